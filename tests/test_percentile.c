// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/histogram.h"
#include "core/rng.h"

#define SAMPLES 20000

static struct fs_histogram h;
static const struct fs_histogram empty;

/* n samples at once: what fs_histogram_add() leaves, for counts that nobody would wait for. */
static void put_n(uint64_t ns, uint64_t n)
{
	fs_histogram_raise(&h.max_ns, ns);
	fs_histogram_raise(&h.min_inverse, ~ns);
	h.sum_ns += n * ns;
	h.cells[fs_histogram_cell(ns)] += n;
}

static void test_refusals(void **state)
{
	static const struct {
		unsigned per_mille, least;
	} limits[] = { { 500, 20 }, { 900, 100 }, { 990, 1000 }, { 999, 10000 } };

	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(limits); i++) {
		struct fs_percentile p;

		h = empty;
		put_n(501, limits[i].least - 1);
		p = fs_histogram_percentile(&h, limits[i].per_mille);
		assert_false(p.valid);
		assert_int_equal(p.ns | p.low_ns | p.high_ns, 0);
		put_n(501, 1);
		p = fs_histogram_percentile(&h, limits[i].per_mille);
		assert_true(p.valid);
		assert_int_equal(p.ns, 501);	/* though its cell is [500, 504) */
		assert_int_equal(p.low_ns, 501);
		assert_int_equal(p.high_ns, 501);
	}
}

/* The percentile when `ones` of n samples are 1 and the others 3. */
static struct fs_percentile of_two(uint64_t n, uint64_t ones, unsigned per_mille)
{
	h = empty;
	put_n(1, ones);
	put_n(3, n - ones);
	return fs_histogram_percentile(&h, per_mille);
}

/*
 * Ranks of the order statistics at the ends of the interval: binomial sums in integers (n to 20000)
 * or decimals of 50 digits, each computed once with Python. 6, 15 of 20 and 40, 61 of 100 are in
 * any table for the median.
 */
static void test_interval_ranks(void **state)
{
	static const struct {
		uint64_t n, per_mille, low, high;
	} ranks[] = {
		{ 20, 500, 6, 15 },		{ 21, 500, 6, 16 },
		{ 100, 500, 40, 61 },		{ 1000, 500, 469, 532 },
		{ 100, 900, 84, 96 },		{ 101, 900, 85, 97 },
		{ 1000, 900, 881, 919 },	{ 1000, 990, 983, 997 },
		{ 5000, 990, 4936, 4964 },	{ 10000, 999, 9983, 9997 },
		{ 20000, 999, 19971, 19989 },	{ 1000000, 500, 499020, 500981 },
		{ 1000000, 990, 989805, 990196 },	{ 1000000, 999, 998938, 999062 },
		{ 100000000, 999, 99899380, 99900620 },
	};

	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(ranks); i++) {
		const uint64_t n = ranks[i].n, rank = (n * ranks[i].per_mille + 999) / 1000;
		const unsigned q = (unsigned)ranks[i].per_mille;

		assert_int_equal(of_two(n, ranks[i].low - 1, q).low_ns, 3);
		assert_int_equal(of_two(n, ranks[i].low, q).low_ns, 1);
		assert_int_equal(of_two(n, ranks[i].high - 1, q).high_ns, 3);
		assert_int_equal(of_two(n, ranks[i].high, q).high_ns, 1);
		assert_int_equal(of_two(n, rank - 1, q).ns, 3);
		assert_int_equal(of_two(n, rank, q).ns, 1);
	}
}

/*
 * A sample is 1 with probability q and 3 otherwise, so the quantile is between them, and the cells
 * take nothing away: the interval misses exactly where it would with any continuous distribution.
 * Coverage is 95 to 98 %, since ranks are whole; three standard deviations of 4000 tries are 1 %.
 */
static void test_interval_covers(void **state)
{
	static const struct {
		unsigned n, per_mille;
	} cases[] = { { 20, 500 }, { 200, 500 }, { 100, 900 }, { 400, 900 }, { 1000, 990 } };
	const unsigned tries = 4000;
	struct fs_rng r;

	(void)state;
	fs_rng_seed(&r, 2, "interval", 0);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(cases); i++) {
		unsigned above = 0, below = 0;

		for (unsigned t = 0; t < tries; t++) {
			struct fs_percentile p;
			uint64_t ones = 0;

			for (unsigned k = 0; k < cases[i].n; k++)
				ones += fs_rng_below(&r, 1000) < cases[i].per_mille;
			p = of_two(cases[i].n, ones, cases[i].per_mille);
			above += p.low_ns == 3;
			below += p.high_ns == 1;
		}
		assert_in_range(above + below, tries / 100, tries * 6 / 100);
		assert_in_range(above, 1, tries * 325 / 10000);
		assert_in_range(below, 1, tries * 325 / 10000);
	}
}

enum shape { UNIFORM, OCTAVES, TWO_MODES, PARETO, SHAPES };

static uint64_t draw(struct fs_rng *r, enum shape shape)
{
	switch (shape) {
	case UNIFORM:
		return 200 + fs_rng_below(r, 1000000);
	case OCTAVES:
		return fs_rng_next(r) >> (22 + fs_rng_below(r, FS_HISTOGRAM_BITS));
	case TWO_MODES:	/* a cache that misses one time in 100 */
		return fs_rng_below(r, 100) ? 240 + fs_rng_below(r, 30) :
					      80000 + fs_rng_below(r, 40000);
	default:	/* a tail of index 1: no mean */
		return (100ull << 32) / (1 + (fs_rng_next(r) >> 32));
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_percentile(struct fs_percentile p, const uint64_t sorted[], unsigned rank)
{
	const uint64_t exact = sorted[rank - 1];

	assert_true(p.valid);
	if ((p.ns > exact ? p.ns - exact : exact - p.ns) * 128 > exact || p.low_ns > exact ||
	    p.high_ns < exact)
		fail_msg("rank %u: %llu [%llu, %llu], not %llu", rank, (unsigned long long)p.ns,
			 (unsigned long long)p.low_ns, (unsigned long long)p.high_ns,
			 (unsigned long long)exact);
}

static void test_percentiles(void **state)
{
	static uint64_t values[SAMPLES];
	struct fs_latency l;
	struct fs_rng r;

	(void)state;
	for (enum shape shape = UNIFORM; shape < SHAPES; shape++) {
		double sum = 0;

		h = empty;
		fs_rng_seed(&r, 3, "percentiles", shape);
		for (unsigned i = 0; i < SAMPLES; i++) {
			values[i] = draw(&r, shape);
			sum += (double)values[i];
			fs_histogram_add(&h, values[i]);
		}
		qsort(values, SAMPLES, sizeof(*values), by_value);
		fs_histogram_summary(&l, &h);
		assert_int_equal(l.samples, SAMPLES);
		assert_true(fabs(l.mean_ns - sum / SAMPLES) <= 1e-12 * l.mean_ns);
		assert_int_equal(l.min_ns, values[0]);
		assert_int_equal(l.max_ns, values[SAMPLES - 1]);
		check_percentile(l.p50, values, SAMPLES / 2);
		check_percentile(l.p90, values, SAMPLES / 10 * 9);
		check_percentile(l.p99, values, SAMPLES / 100 * 99);
		check_percentile(l.p999, values, SAMPLES / 1000 * 999);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_interval_ranks),
		cmocka_unit_test(test_interval_covers),
		cmocka_unit_test(test_percentiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
