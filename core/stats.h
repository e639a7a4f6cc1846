/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - from two snapshots of the counters to a result; pure functions
 */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include "core/result.h"

/* One worker as the supervisor saw it. */
struct snapshot_worker {
	uint64_t ops, work, off;	/* off: the slot's word, see fs_off_ns() */
	struct fs_kind_count kinds[FS_KINDS_MAX];
	uint64_t counters[FS_COUNTERS_MAX];
	uint64_t load_ops[AREA_LOADS_MAX];
};

/* All workers at one end of the window, which lies half-way between the stamps around the read. */
struct snapshot {
	uint64_t before_ns, after_ns, realtime_ns;
	struct snapshot_worker *workers;
};

/*
 * Reduce the window between two snapshots into r->workers and the sums of r. Set by the caller
 * before: r->stage, r->status, r->workers and in each worker usage, usage_known. Called when the
 * stage is over: counters of kind FS_COUNTER_LAST are taken from `end` as they are, so that the
 * caller can put in what measure() has set afterwards.
 *   timed_i     = measured - off_i
 *   ops_per_sec = sum over workers of ops_i / timed_i
 *   duty        = sum of timed_i / (workers * measured)
 *   fairness    = least / greatest of ops_i / timed_i (0 without an op); NAN for one worker
 *   ops_per_cpu_sec = ops / (user + system), NAN where duty < 0.5: CPU time is taken over the whole
 *                 window, so with rounds the refills are in it and this is a lower bound
 * Rates, and the side metrics made of them, are NAN or absent unless the stage passed and ops > 0;
 * a FS_COUNTER_LAST that no worker has set is absent.
 */
void fs_stats_window(struct stage_result *r, const struct snapshot *start,
		     const struct snapshot *end);

/* The rate alone, between any two snapshots: sum over workers of ops / timed; 0 where none is. */
double fs_stats_rate(const struct snapshot *start, const struct snapshot *end, unsigned workers);

#endif
