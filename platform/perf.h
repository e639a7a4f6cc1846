/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - hardware counters of the calling thread: perf_event_open(2)
 */
#ifndef PLATFORM_PERF_H
#define PLATFORM_PERF_H

#include <stdint.h>

#define FS_PERF_EVENTS 6

struct fs_perf_event {
	const char *name;		/* "instructions" */
	const char *where;		/* "user" or "kernel" */
	uint32_t type;			/* of struct perf_event_attr */
	uint64_t config;
};
/* What is counted of each worker. */
extern const struct fs_perf_event fs_perf_events[FS_PERF_EVENTS];

struct fs_perf {
	unsigned counted;		/* bit i: event i is; all zeros is closed */
	int fd[FS_PERF_EVENTS];
};

/*
 * Count events from now on. How many of them can be: 0 where there is no such counter (a virtual
 * machine), no such call, or no permission.
 */
int fs_perf_open(struct fs_perf *p, const struct fs_perf_event events[FS_PERF_EVENTS]);
/*
 * Counts since then; UINT64_MAX for what is not counted. Where the kernel shared a counter among
 * more events than it has room for, the count is scaled up by time enabled / time running.
 */
void fs_perf_read(const struct fs_perf *p, uint64_t counts[FS_PERF_EVENTS]);
void fs_perf_close(struct fs_perf *p);

#endif
