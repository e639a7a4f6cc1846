// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/perf.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PERF_HARDWARE(event, at, id) { (event), (at), PERF_TYPE_HARDWARE, (id) }

const struct fs_perf_event fs_perf_events[FS_PERF_EVENTS] = {
	PERF_HARDWARE("instructions", "user", PERF_COUNT_HW_INSTRUCTIONS),
	PERF_HARDWARE("instructions", "kernel", PERF_COUNT_HW_INSTRUCTIONS),
	PERF_HARDWARE("cycles", "user", PERF_COUNT_HW_CPU_CYCLES),
	PERF_HARDWARE("cycles", "kernel", PERF_COUNT_HW_CPU_CYCLES),
	PERF_HARDWARE("branch_misses", "user", PERF_COUNT_HW_BRANCH_MISSES),
	PERF_HARDWARE("branch_misses", "kernel", PERF_COUNT_HW_BRANCH_MISSES),
};

static int perf_open_one(const struct fs_perf_event *e)
{
	struct perf_event_attr attr = {
		.type = e->type, .size = sizeof(attr), .config = e->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_hv = 1,
	};

	attr.exclude_kernel = !strcmp(e->where, "user");
	attr.exclude_user = !strcmp(e->where, "kernel");
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int fs_perf_open(struct fs_perf *p, const struct fs_perf_event events[FS_PERF_EVENTS])
{
	int n = 0;

	p->counted = 0;
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++) {
		p->fd[i] = perf_open_one(&events[i]);
		if (p->fd[i] < 0 && i == 0)
			break;		/* nor any other: spares workers five calls */
		if (p->fd[i] < 0)
			continue;
		p->counted |= 1u << i;
		n++;
	}
	return n;
}

static uint64_t perf_read_one(int fd)
{
	struct {
		uint64_t count, enabled, running;
	} v;

	if (read(fd, &v, sizeof(v)) != (ssize_t)sizeof(v) || !v.running)
		return UINT64_MAX;
	return v.running == v.enabled ? v.count :
	       (uint64_t)((double)v.count * (double)v.enabled / (double)v.running);
}

void fs_perf_read(const struct fs_perf *p, uint64_t counts[FS_PERF_EVENTS])
{
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++)
		counts[i] = p->counted & 1u << i ? perf_read_one(p->fd[i]) : UINT64_MAX;
}

void fs_perf_close(struct fs_perf *p)
{
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++) {
		if (p->counted & 1u << i)
			close(p->fd[i]);
	}
	p->counted = 0;
}
