/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - private to supervise.c, group.c, window.c, stop.c, verdict.c and observe.c: stages in
 * flight
 */
#ifndef CORE_GROUP_H
#define CORE_GROUP_H

#include "core/copy.h"
#include "core/monitor.h"
#include "core/snapshot.h"
#include "core/supervise.h"
#include "platform/fs_counters.h"
#include "platform/pressure.h"

struct flight {				/* one stage in flight */
	struct group_stage *to;
	struct area_stage *stage;
	struct child child;
	struct snapshot start, end;
	struct area_errno tolerated[AREA_ERRNOS_MAX];	/* before the window; at its end, in it */
	uint64_t spawned_ns;
	bool spawned, hung, have_window;
	bool stalled;			/* --ops: no op succeeds any more, though something moves */
	uint64_t moves;			/* what moved when it was last looked at */
	int spawn_err;			/* -errno of a failed start */
	char hung_text[256];		/* who has not ended, and where it is */
	uint64_t device_start[17], device_end[17];
	unsigned device_fields;
};

struct group {
	struct session *session;
	const struct fs_target *facts;	/* NULL: nothing is known of the target, as in a trial */
	struct area *area;
	int area_fd;
	struct flight flights[AREA_STAGES_MAX];
	unsigned n, next;		/* next: to be spawned */
	bool probing;
	struct fs_mount_counters mount_start, mount_end;
	uint64_t window_start_ns;
	struct fs_pressure_files pressure_files;	/* open in supervise.c's window */
	struct fs_pressure pressure_start, pressure_end;
	bool observed;			/* others were told that the window begins */
	struct monitor monitors[FS_WATCHERS_MAX];
	struct copy copies[FS_WATCHERS_MAX];
};

/* group.c: the area with its plans, and starting a stage process. */
int fs_group_open(struct group *g, const char *target);
void fs_group_close(struct group *g);
int fs_group_spawn(struct group *g, unsigned i);
/* Open the gate: all sleep until its start_ns, or leave if they are stopped. */
void fs_group_go(struct group *g);
/* A stage that cannot go on: not started, hung, ended or failed. */
bool fs_group_over(const struct flight *f);
/* What making, or removing, a stage's files may take on a slow disk. */
uint64_t fs_group_bytes_ns(const struct flight *f);

static inline unsigned fs_group_workers(const struct flight *f)
{
	return f->stage->plan.workers;
}

/* window.c: what all counters say when the window opens, and when it ends. */
void fs_group_window_start(struct group *g);
void fs_group_window_end(struct group *g);

/* stop.c: let the workers leave, within limits; reap; sweep what they could not remove. */
void fs_group_stop(struct group *g);

/* verdict.c: from what a stage left in the area to the status and reason of its result. */
void fs_group_verdict(struct group *g, unsigned i);

#endif
