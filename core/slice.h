/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h - what a worker leaves while it runs: records; a slice is the difference of two
 *
 * A record is cut at the end of the first batch that ends `length_ns` after the last record, so
 * count and time belong together and a slice's rate is exact however long an op takes. A worker has
 * room for FS_RECORDS_MAX: when they are used up every second one goes and the length doubles, so
 * that any window leaves between half of them and all.
 */
#ifndef CORE_SLICE_H
#define CORE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/clock.h"

#define FS_RECORDS_MAX	512
#define FS_SLICE_NS	(10 * FS_NSEC_PER_MSEC)	/* before any doubling */

struct fs_record {			/* all but t_ns: since some moment before the release */
	uint64_t t_ns;			/* CLOCK_MONOTONIC */
	uint64_t ops;
	uint64_t off_ns;		/* off the clock */
	uint64_t cpu_ns;		/* CPU time of the worker's thread */
	uint64_t wait_ns;		/* runnable, but without a CPU */
	uint64_t ref_units, ref_cpu_ns;	/* reference.h; its CPU time is not in cpu_ns */
};

struct fs_slices {			/* in the shared area; written by the worker alone */
	uint32_t n;
	uint64_t length_ns;		/* 0: FS_SLICE_NS */
	struct fs_record record[FS_RECORDS_MAX];
};

/* Whether a record is due at t_ns. */
static inline bool fs_slice_due(const struct fs_slices *s, uint64_t t_ns)
{
	return s->n == 0 || t_ns - s->record[s->n - 1].t_ns >= s->length_ns;
}

/* Append a record. Called by the worker. */
void fs_slice_cut(struct fs_slices *s, const struct fs_record *r);

/*
 * The records from `start` to `end`, two moments of which t_ns, ops and off_ns are known: those
 * two, with the CPU times interpolated, and what was cut between them. Nothing that contradicts
 * them: a worker may have moved on between a stamp and the counters that belong to it. Returns how
 * many; room for FS_RECORDS_MAX + 2. So the slices add up to end - start exactly.
 */
unsigned fs_slices_between(const struct fs_slices *s, const struct fs_record *start,
			   const struct fs_record *end, struct fs_record *out);

/* Merge neighbouring slices until there are at most `most` records, the ends among them. */
unsigned fs_slices_merge(struct fs_record *records, unsigned n, unsigned most);

struct fs_track {			/* one worker from one end of a window to the other */
	struct fs_record *record;
	unsigned n;			/* 2 or more; 0: unknown */
};

/*
 * The rate of all workers together on an even grid: in each of n equal parts of the time between
 * the first and the last record the sum over workers of ops / timed, counts and times taken as
 * linear within a slice. A worker that was never on the clock in a part adds nothing to it.
 */
void fs_series(const struct fs_track *tracks, unsigned workers, double *rates, unsigned n);

#endif
