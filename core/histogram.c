// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/histogram.h"

#include <assert.h>
#include <string.h>

#define HISTOGRAM_TAIL 0.025		/* of either side of a 95 % interval */
#define HISTOGRAM_NEGLIGIBLE 1e-15	/* a probability, as a share of the greatest one */

void fs_histogram_merge(struct fs_histogram *into, const struct fs_histogram *from)
{
	for (unsigned i = 0; i < FS_HISTOGRAM_CELLS; i++)
		into->cells[i] += fs_load_acquire(&from->cells[i]);
	into->clamped += fs_load(&from->clamped);
	into->sum_ns += fs_load(&from->sum_ns);
	fs_histogram_raise(&into->max_ns, fs_load(&from->max_ns));
	fs_histogram_raise(&into->min_inverse, fs_load(&from->min_inverse));
}

unsigned fs_histogram_next(const struct fs_histogram *h, unsigned cell)
{
	while (cell < FS_HISTOGRAM_CELLS && !h->cells[cell])
		cell++;
	return cell;
}

static unsigned histogram_last(const struct fs_histogram *h)
{
	unsigned cell = FS_HISTOGRAM_CELLS;

	while (cell-- > 0 && !h->cells[cell])
		;
	return cell;
}

/* The longest time that a cell may hold. */
static uint64_t histogram_high(unsigned cell)
{
	return cell == FS_HISTOGRAM_CELLS - 1 ? UINT64_MAX : fs_histogram_low(cell + 1) - 1;
}

/* No sample lies beyond the extremes, though the middle or the edge of its cell may. */
static uint64_t histogram_within(const struct fs_histogram *h, uint64_t ns)
{
	const uint64_t min_ns = ~h->min_inverse, least = ns < h->max_ns ? ns : h->max_ns;

	return least > min_ns ? least : min_ns;
}

void fs_histogram_subtract(struct fs_histogram *end, const struct fs_histogram *start)
{
	unsigned first;

	for (unsigned i = 0; i < FS_HISTOGRAM_CELLS; i++)
		end->cells[i] -= start->cells[i];
	end->sum_ns -= start->sum_ns;
	end->clamped -= start->clamped;
	first = fs_histogram_next(end, 0);
	if (first == FS_HISTOGRAM_CELLS) {
		memset(end, 0, sizeof(*end));
		return;
	}
	end->max_ns = histogram_within(end, histogram_high(histogram_last(end)));
	end->min_inverse = ~histogram_within(end, fs_histogram_low(first));
}

uint64_t fs_histogram_samples(const struct fs_histogram *h)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < FS_HISTOGRAM_CELLS; i++)
		n += h->cells[i];
	return n;
}

/* The cell of the rank-th smallest sample; ranks count from 1. */
static unsigned histogram_ranked(const struct fs_histogram *h, uint64_t rank)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < FS_HISTOGRAM_CELLS; i++) {
		n += h->cells[i];
		if (n >= rank)
			return i;
	}
	return FS_HISTOGRAM_CELLS - 1;
}

/*
 * The largest r with P(B < r) <= HISTOGRAM_TAIL, B binomial (n, p), n p >= FS_PERCENTILE_BEYOND.
 * Probabilities are taken relative to the one at the middle, from the ratio of neighbours
 * P(k) / P(k - 1) = (n - k + 1) p / (k (1 - p)), and divided by their sum: exact but for rounding,
 * in about 16 standard deviations of steps.
 */
static uint64_t histogram_rank_below(uint64_t n, double p)
{
	const uint64_t middle = (uint64_t)((double)n * p);
	const double odds = p / (1 - p);
	double w, below = 0, above = 0, tail;
	uint64_t k;

	for (k = middle, w = 1; w > HISTOGRAM_NEGLIGIBLE; k--) {
		below += w;
		w *= (double)k / ((double)(n - k + 1) * odds);
	}
	for (k = middle + 1, w = 1; w > HISTOGRAM_NEGLIGIBLE; k++) {
		w *= (double)(n - k + 1) * odds / (double)k;
		above += w;
	}
	tail = (below + above) * HISTOGRAM_TAIL;
	for (k = middle, w = 1; below > tail; k--) {
		below -= w;
		w *= (double)k / ((double)(n - k + 1) * odds);
	}
	return k + 1;
}

/*
 * The order statistic X(ceil(n q)): definition 1 of Hyndman and Fan, "Sample quantiles in
 * statistical packages", The American Statistician 50(4), 1996. Its interval [X(r), X(s)] is free
 * of the distribution: it misses the quantile where fewer than r samples lie at or below it or at
 * least s below it, and those counts are binomial (n, q); David and Nagaraja, "Order Statistics",
 * 3rd ed., 2003, section 7.1; Conover, "Practical Nonparametric Statistics", 3rd ed., 1999, section
 * 3.2. s is r of the samples counted from the other end.
 */
struct fs_percentile fs_histogram_percentile(const struct fs_histogram *h, unsigned per_mille)
{
	const uint64_t n = fs_histogram_samples(h);
	const double q = per_mille / 1000.0;
	struct fs_percentile p = { .valid = false };
	uint64_t r, s;

	assert(per_mille >= 500 && per_mille < 1000);
	if (n * (1000 - per_mille) < 1000 * FS_PERCENTILE_BEYOND)
		return p;
	r = histogram_rank_below(n, q);
	s = n + 1 - histogram_rank_below(n, 1 - q);
	p.valid = true;
	p.ns = fs_histogram_middle(histogram_ranked(h, (n * per_mille + 999) / 1000));
	p.ns = histogram_within(h, p.ns);
	p.low_ns = histogram_within(h, fs_histogram_low(histogram_ranked(h, r)));
	p.high_ns = histogram_within(h, histogram_high(histogram_ranked(h, s)));
	return p;
}

void fs_histogram_summary(struct fs_latency *l, const struct fs_histogram *h)
{
	*l = (struct fs_latency){ .samples = fs_histogram_samples(h) };
	if (!l->samples)
		return;
	l->clamped = h->clamped;
	l->mean_ns = (double)h->sum_ns / (double)l->samples;
	l->min_ns = ~h->min_inverse;
	l->max_ns = h->max_ns;
	l->p50 = fs_histogram_percentile(h, 500);
	l->p90 = fs_histogram_percentile(h, 900);
	l->p99 = fs_histogram_percentile(h, 990);
	l->p999 = fs_histogram_percentile(h, 999);
}
