// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/clock.h"

#include <errno.h>

void fs_sleep_until(uint64_t at_ns)
{
	const struct timespec at = {
		.tv_sec = (time_t)(at_ns / FS_NSEC_PER_SEC),
		.tv_nsec = (long)(at_ns % FS_NSEC_PER_SEC),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}
