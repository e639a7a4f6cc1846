/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.h - wait until the target has nothing left to write
 */
#ifndef PLATFORM_SETTLE_H
#define PLATFORM_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * syncfs(fd), repeated until one takes less than 20 ms or limit_ns are over; with freeze also
 * FIFREEZE and FITHAW (a mount of our own; errors are ignored, where the filesystem has none).
 * *settled: the last one was quick. 0 or -errno of syncfs.
 */
int fs_settle(int fd, uint64_t limit_ns, bool freeze, bool *settled);

#endif
