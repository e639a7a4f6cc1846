/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shown.h - values of the user's, quoted in messages
 */
#ifndef PLATFORM_SHOWN_H
#define PLATFORM_SHOWN_H

#define FS_SHOWN_MAX 84

/* The value whole if it is short, else its first 80 bytes and "...", as in the buffer. */
const char *fs_shown(const char *value, char shown[FS_SHOWN_MAX]);

#endif
