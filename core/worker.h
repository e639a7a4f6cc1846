/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - the whole worker, behind the struct fs_worker that a stressor sees
 *
 * Made by the stage's main task, then used by the worker's own task alone. worker.c is its life,
 * loop.c its measured part, fixture.c and extents.c what stressors call to make their state.
 */
#ifndef CORE_WORKER_H
#define CORE_WORKER_H

#include "core/area.h"
#include "core/reference.h"
#include "core/registry.h"
#include "platform/task.h"

#define WORKER_FDS_MAX	128
#define WORKER_MAPS_MAX	8

struct worker_dirs {			/* of the stage; each worker closes its copies */
	int target_fd, workspace_fd, marker_fd;
	const char *workspace;		/* its name in the target */
};

struct worker {				/* on lines of its own: ops write to it */
	FS_LINE_ALIGNED struct fs_worker pub;	/* first: a stressor's pointer is ours */
	struct area *area;
	struct area_stage *stage;
	struct area_slot *slot;
	unsigned stage_index;
	const struct fs_stressor *stressor;
	struct worker_dirs dirs;
	int dir_fd;			/* own directory, or the shared one; -1: none */
	int helper;			/* which helper this is; -1: the worker itself */
	unsigned load;			/* 1 + which load this is, a helper as well; 0: none */
	struct {			/* where a helper counts */
		uint64_t ops, work, counters[FS_COUNTERS_MAX];
		struct fs_kind_count kinds[FS_KINDS_MAX];
	} spare;
	const char *where;		/* what it is doing, for failures: "setup", "op" ... */
	int fds[WORKER_FDS_MAX];	/* closed by core */
	unsigned nfds;
	struct {
		void *start;
		size_t bytes;
	} maps[WORKER_MAPS_MAX];	/* unmapped by core */
	unsigned nmaps;
	char run_name[16], off_name[16];	/* task names on and off the clock */
	struct fs_rng batch_rng;	/* which batches are stamped */
	uint64_t batch, last_ns[3];	/* ops in a batch; time of the last three of that size */
	unsigned timed_batches;		/* of that size */
	uint64_t off_ns;		/* finished off periods */
	struct fs_histogram *service, *response;	/* one of each kind; NULL: not wanted */
	struct {			/* open loop, see pace.h */
		double rate;		/* ops/s; 0: closed loop */
		double due_ns, step_ns;	/* when the next op should start; from one to the next */
		uint64_t wake_ns;	/* before the due time, spun instead of slept */
		uint64_t *late_ns;	/* how late an op started at worst, in the window */
	} pace;
	struct fs_reference reference;
	struct fs_perf perf;
	int wait_fd;			/* for fs_task_wait_ns(); -1: not to be had */
	uint32_t seen_phase;
	bool counted;			/* in the stage's `counted` */
	uint64_t round_cut;		/* ops that the last round did in time; 0: it was not cut */
	struct fs_task task;
};

static inline struct worker *fs_worker_of(const struct fs_worker *w)
{
	return (struct worker *)(uintptr_t)w;
}

static inline bool fs_worker_stopped(const struct worker *k)
{
	return fs_load(&k->stage->stop);
}

/* Of the last op. */
static inline unsigned fs_worker_kind(const struct worker *k)
{
	return fs_kinds_of(k->stressor, k->pub.variant) ? k->pub.kind : 0;
}

static inline bool fs_worker_shares_file(const struct worker *k)
{
	return k->pub.share == FS_SHARE_FILE || k->pub.share == FS_SHARE_RANGE;
}

/* Body of a worker's, and of a helper's, task: struct worker *. */
void fs_worker_main(void *worker);
void fs_helper_main(void *worker);

/*
 * Record -errno as the stage's failure, unless there is one, and stop the stage. ECANCELED and
 * EINTR of a stage that is stopped already are no failures: it was cut short. Returns false.
 */
bool fs_worker_failed(struct worker *k, int rc);

/* Say that one more is set up; sleep until the gate opens, or the stage is stopped. */
void fs_worker_gate(struct worker *k);

/* The measured part: from the gate until the stage stops or --ops are done. */
void fs_loop(struct worker *k);

/* Publish what the worker is doing now. */
void fs_worker_phase(struct worker *k, enum area_worker_phase phase, const char *where);

/* For long fixtures: -ECANCELED once nobody wants any more what they make; else 0. */
int fs_abandoned(const struct fs_worker *w);
/* For fixtures: close, or unmap, when the worker ends; on failure at once. 0 or -EMFILE. */
int fs_worker_keep_fd(struct fs_worker *w, int fd);
int fs_worker_keep_map(struct fs_worker *w, void *map, size_t bytes);
/* Close everything kept, and the directory. The worker can open its directory again: remount. */
void fs_worker_close_files(struct worker *k);
int fs_worker_open_dir(struct worker *k);
int fs_worker_dir(const struct fs_worker *w);
uint64_t fs_worker_seed(const struct fs_worker *w);

#endif
