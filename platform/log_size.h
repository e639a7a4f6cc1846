/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_size.h - how much room a filesystem's log, or journal, has
 */
#ifndef PLATFORM_LOG_SIZE_H
#define PLATFORM_LOG_SIZE_H

#include <stdint.h>

#include "platform/target.h"

/*
 * In bytes, of the filesystem that the directory open at fd, described by *t, lies on; 0: it has
 * none of a fixed size, or that is not known. Of ext4 it takes the right to read the device, and
 * a journal on another device is not known.
 */
uint64_t fs_log_size(int fd, const struct fs_target *t);

#endif
