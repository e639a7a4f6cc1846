/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - latencies of many ops in little room: counted in log-linear cells, read as
 * percentiles with their intervals
 *
 * An octave, [2^e, 2^(e+1)), is cut into 64 cells of one width, as fio's and HdrHistogram's are.
 * With s = max(0, e - 6) a time of v ns lies in cell 64 s + floor(v / 2^s): below 128 ns cells are
 * 1 ns wide, above they are 2^s wide and start at 64 x 2^s or more, so a cell is at most 1/64
 * (1.6 %) of what it holds and its middle at most 1/128 (0.8 %) away. Below 64 ns there are 64
 * cells, then 64 for each of the 36 octaves up to 2^42 ns (73 minutes): 37 x 64 = 2368. What is
 * longer is counted in the last cell and in `clamped`.
 *
 * A histogram lies in shared memory: no pointer, all zeros is an empty one, any number of tasks may
 * add, and it is never reset: a window is what fs_histogram_subtract() leaves of two copies. Counts
 * have 64 bits, since 32 would overflow within minutes when many workers time every op; only the
 * cells that are hit, a few lines, take room in a cache.
 */
#ifndef CORE_HISTOGRAM_H
#define CORE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/compiler.h"

#define FS_HISTOGRAM_SUB_BITS	6
#define FS_HISTOGRAM_SUB	(1u << FS_HISTOGRAM_SUB_BITS)	/* cells of an octave */
#define FS_HISTOGRAM_BITS	42
#define FS_HISTOGRAM_LIMIT_NS	(1ull << FS_HISTOGRAM_BITS)	/* first that is clamped */
#define FS_HISTOGRAM_CELLS	((FS_HISTOGRAM_BITS - FS_HISTOGRAM_SUB_BITS + 1) * FS_HISTOGRAM_SUB)

struct fs_histogram {
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t min_inverse;		/* ~least: both extremes grow from 0 */
	uint64_t clamped;
	uint64_t cells[FS_HISTOGRAM_CELLS];
};

static inline unsigned fs_histogram_cell(uint64_t ns)
{
	const uint64_t v = ns < FS_HISTOGRAM_LIMIT_NS ? ns : FS_HISTOGRAM_LIMIT_NS - 1;
	const unsigned e = 63 - (unsigned)__builtin_clzll(v | FS_HISTOGRAM_SUB);
	const unsigned s = e - FS_HISTOGRAM_SUB_BITS;

	return (s << FS_HISTOGRAM_SUB_BITS) + (unsigned)(v >> s);
}

/* Cell i holds [fs_histogram_low(i), fs_histogram_low(i + 1)), and the last one what is longer. */
static inline uint64_t fs_histogram_low(unsigned cell)
{
	const unsigned octave = cell >> FS_HISTOGRAM_SUB_BITS, s = octave ? octave - 1 : 0;

	return (uint64_t)(cell - (s << FS_HISTOGRAM_SUB_BITS)) << s;
}

static inline uint64_t fs_histogram_middle(unsigned cell)
{
	return (fs_histogram_low(cell) + fs_histogram_low(cell + 1)) / 2;
}

/* *greatest becomes at least ns. */
static inline void fs_histogram_raise(uint64_t *greatest, uint64_t ns)
{
	uint64_t seen = fs_load(greatest);

	while (ns > seen && !__atomic_compare_exchange_n(greatest, &seen, ns, true,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The cell comes last, with release: a sample that is counted is in the other words as well. */
static inline void fs_histogram_add(struct fs_histogram *h, uint64_t ns)
{
	fs_histogram_raise(&h->max_ns, ns);
	fs_histogram_raise(&h->min_inverse, ~ns);
	fs_add(&h->sum_ns, ns);
	if (fs_unlikely(ns >= FS_HISTOGRAM_LIMIT_NS))
		fs_add(&h->clamped, 1);
	fs_add(&h->cells[fs_histogram_cell(ns)], 1);
}

/*
 * Add a histogram, to which others may be adding meanwhile, to one of the caller's own. Merged into
 * an empty one it is a copy. The sum and the extremes may be ahead of the cells by the samples in
 * flight, one for each task, never behind.
 */
void fs_histogram_merge(struct fs_histogram *into, const struct fs_histogram *from);

/*
 * Take an earlier copy away from a later one: what was added in between. Cells and sum are exact.
 * An extreme is exact if it was set in between; else it is the outer edge of the outermost cell
 * that has a count, which no sample in between lies beyond.
 */
void fs_histogram_subtract(struct fs_histogram *end, const struct fs_histogram *start);

uint64_t fs_histogram_samples(const struct fs_histogram *h);

/* The first cell from `cell` on that has a count; FS_HISTOGRAM_CELLS: there is none. */
unsigned fs_histogram_next(const struct fs_histogram *h, unsigned cell);

/*
 * A percentile is refused where fewer samples than this are expected beyond it, n (1 - q): below
 * 20 samples for the median, 100 for p90, 1000 for p99, 10000 for p99.9. With ten the count beyond
 * has a standard deviation of a third of itself, and there are samples on either side that bound
 * the 95 % interval (at 3 the upper bound does not exist).
 */
#define FS_PERCENTILE_BEYOND	10

struct fs_percentile {
	bool valid;			/* else refused, and the rest is 0 */
	uint64_t ns;			/* middle of the cell of the order statistic */
	uint64_t low_ns, high_ns;	/* 95 % confidence, outer edges of the cells: inclusive */
};

struct fs_latency {
	uint64_t samples;		/* 0: nothing else is known */
	uint64_t clamped;
	double mean_ns;
	uint64_t min_ns, max_ns;
	struct fs_percentile p50, p90, p99, p999;
};

/*
 * The percentile at q = per_mille / 1000, of 500 to 999, of a histogram that nobody adds to. The
 * interval supposes independent samples: ops picked at random are nearly so, successive ones are
 * not, and then it is too narrow.
 */
struct fs_percentile fs_histogram_percentile(const struct fs_histogram *h, unsigned per_mille);
void fs_histogram_summary(struct fs_latency *l, const struct fs_histogram *h);

#endif
