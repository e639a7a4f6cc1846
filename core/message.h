/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - everything that is said to a person goes through here: one line on stderr
 */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include "platform/compiler.h"

/* "fsstress: TEXT\n", one line always: newlines and unprintable bytes are shown as \xNN. */
void fs_error(const char *fmt, ...) FS_PRINTF(1, 2);
/* "fsstress: warning: TEXT\n" and "fsstress: note: TEXT\n"; notes are not printed when quiet. */
void fs_warning(const char *fmt, ...) FS_PRINTF(1, 2);
void fs_note(const char *fmt, ...) FS_PRINTF(1, 2);
void fs_message_quiet(int quiet);

#endif
