/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the two clocks of a result and sleeping to an absolute time
 *
 * All times are nanoseconds. The window is stamped with CLOCK_MONOTONIC, so a step of the wall
 * clock changes nothing; CLOCK_REALTIME is only recorded, to match a window with other tools' logs.
 */
#ifndef PLATFORM_CLOCK_H
#define PLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

#define FS_NSEC_PER_SEC		1000000000ull
#define FS_NSEC_PER_MSEC	1000000ull
#define FS_NSEC_PER_USEC	1000ull

static inline uint64_t fs_clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * FS_NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t fs_now_ns(void)
{
	return fs_clock_read(CLOCK_MONOTONIC);
}

static inline uint64_t fs_realtime_ns(void)
{
	return fs_clock_read(CLOCK_REALTIME);
}

/* Sleep until CLOCK_MONOTONIC reads at_ns, not at all if that is past, whatever signals come. */
void fs_sleep_until(uint64_t at_ns);

#endif
