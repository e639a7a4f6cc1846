// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/histogram.h"
#include "core/rng.h"
#include "platform/clock.h"

#define MANY (1u << 20)
#define SAMPLES 20000
#define LAST (FS_HISTOGRAM_CELLS - 1)

static struct fs_histogram h, other;
static const struct fs_histogram empty;

static int make_empty(void **state)
{
	(void)state;
	h = other = empty;
	return 0;
}

static void add_n(struct fs_histogram *to, uint64_t ns, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		fs_histogram_add(to, ns);
}

/* Its cell holds it, is narrow enough, and has a middle that is near enough. */
static void check_value(uint64_t ns)
{
	const unsigned cell = fs_histogram_cell(ns);
	const uint64_t low = fs_histogram_low(cell), end = fs_histogram_low(cell + 1);
	const uint64_t middle = fs_histogram_middle(cell);

	if (cell > LAST || ns < low || ns >= end || (end - low > 1 && (end - low) * 64 > low) ||
	    (ns > middle ? ns - middle : middle - ns) * 128 > ns)
		fail_msg("%llu is in cell %u, [%llu, %llu)", (unsigned long long)ns, cell,
			 (unsigned long long)low, (unsigned long long)end);
}

static void test_cells(void **state)
{
	struct fs_rng r;
	unsigned before = 0;

	(void)state;
	assert_int_equal(FS_HISTOGRAM_CELLS, 2368);
	for (uint64_t ns = 0; ns <= MANY; ns++) {
		const unsigned cell = fs_histogram_cell(ns);

		check_value(ns);
		if (ns < 128)
			assert_int_equal(cell, ns);
		if (cell != before && cell != before + 1)
			fail_msg("from cell %u to %u", before, cell);
		before = cell;
	}
	fs_rng_seed(&r, 1, "cells", 0);
	for (unsigned i = 0; i < MANY; i++)	/* every octave as often as any */
		check_value(fs_rng_next(&r) >> (22 + fs_rng_below(&r, FS_HISTOGRAM_BITS)));
}

static void test_cells_are_all_used(void **state)
{
	(void)state;
	assert_int_equal(fs_histogram_low(0), 0);
	for (unsigned i = 0; i < FS_HISTOGRAM_CELLS; i++) {
		assert_int_equal(fs_histogram_cell(fs_histogram_low(i)), i);
		assert_int_equal(fs_histogram_cell(fs_histogram_low(i + 1) - 1), i);
	}
	assert_int_equal(fs_histogram_low(FS_HISTOGRAM_CELLS), 1ull << 42);
}

static void test_add(void **state)
{
	struct fs_latency l;

	(void)state;
	add_n(&h, 1000, 2);
	add_n(&h, 70, 1);
	add_n(&h, 1000000007, 1);
	fs_histogram_summary(&l, &h);
	assert_int_equal(l.samples, 4);
	assert_int_equal(l.min_ns, 70);
	assert_int_equal(l.max_ns, 1000000007);
	assert_true(l.mean_ns == 1000002077 / 4.0);
	assert_int_equal(l.clamped, 0);
	assert_int_equal(h.cells[fs_histogram_cell(1000)], 2);
	assert_false(l.p50.valid || l.p90.valid || l.p99.valid || l.p999.valid);
}

static void test_nothing(void **state)
{
	static const struct fs_latency nothing;
	struct fs_latency l;

	(void)state;
	memset(&l, 0xff, sizeof(l));
	fs_histogram_summary(&l, &h);
	assert_int_equal(l.samples, 0);
	assert_true(l.mean_ns == 0);
	assert_int_equal(l.min_ns, 0);
	assert_memory_equal(&l.p999, &nothing.p999, sizeof(l.p999));
}

static void test_clamping(void **state)
{
	struct fs_latency l;

	(void)state;
	add_n(&h, FS_HISTOGRAM_LIMIT_NS - 1, 10);
	assert_int_equal(h.cells[LAST], 10);
	assert_int_equal(h.clamped, 0);
	add_n(&h, FS_HISTOGRAM_LIMIT_NS, 1);
	add_n(&h, FS_HISTOGRAM_LIMIT_NS << 10, 9);
	assert_int_equal(h.cells[LAST], 20);
	fs_histogram_summary(&l, &h);
	assert_int_equal(l.clamped, 10);
	assert_int_equal(l.max_ns, FS_HISTOGRAM_LIMIT_NS << 10);
	assert_int_equal(l.p50.high_ns, l.max_ns);	/* how long they were is not known */
}

static void test_cells_with_a_count(void **state)
{
	static const uint64_t values[] = { 0, 63, 64, 4096, FS_HISTOGRAM_LIMIT_NS };
	unsigned n = 0;

	(void)state;
	assert_int_equal(fs_histogram_next(&h, 0), FS_HISTOGRAM_CELLS);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(values); i++)
		add_n(&h, values[i], i + 1);
	for (unsigned i = fs_histogram_next(&h, 0); i < FS_HISTOGRAM_CELLS;
	     i = fs_histogram_next(&h, i + 1)) {
		assert_int_equal(i, fs_histogram_cell(values[n]));
		assert_int_equal(h.cells[i], ++n);
	}
	assert_int_equal(n, FS_ARRAY_SIZE(values));
}

static void test_merge_and_subtract(void **state)
{
	struct fs_histogram whole = empty, copy;
	struct fs_rng r;

	(void)state;
	fs_rng_seed(&r, 4, "merge", 0);
	for (unsigned i = 0; i < SAMPLES; i++) {
		const uint64_t ns = 1 | fs_rng_next(&r) >> (20 + fs_rng_below(&r, 44));

		fs_histogram_add(i % 3 ? &h : &other, ns);
		fs_histogram_add(&whole, ns);
	}
	copy = other;
	add_n(&h, 0, 2);	/* beyond all in the other */
	add_n(&h, 1ull << 44, 2);
	add_n(&whole, 0, 2);
	add_n(&whole, 1ull << 44, 2);
	fs_histogram_merge(&other, &h);
	assert_memory_equal(&other, &whole, sizeof(whole));
	fs_histogram_subtract(&other, &h);
	assert_int_equal(other.sum_ns, copy.sum_ns);
	assert_true(copy.clamped > 0);
	assert_int_equal(other.clamped, copy.clamped);
	assert_memory_equal(other.cells, copy.cells, sizeof(copy.cells));
	fs_histogram_subtract(&whole, &whole);
	assert_memory_equal(&whole, &empty, sizeof(whole));
}

/* What is known of the extremes when 50001 and 1000003 ns are followed by two others. */
static void extremes_after(uint64_t ns, uint64_t longer_ns, uint64_t min_ns, uint64_t max_ns)
{
	h = empty;
	add_n(&h, 50001, 1);
	add_n(&h, 1000003, 1);
	other = h;
	add_n(&h, ns, 1);
	add_n(&h, longer_ns, 1);
	fs_histogram_subtract(&h, &other);
	assert_int_equal(fs_histogram_samples(&h), 2);
	assert_int_equal(~h.min_inverse, min_ns);
	assert_int_equal(h.max_ns, max_ns);
}

static void test_subtract_extremes(void **state)
{
	(void)state;
	/* Exact where they are new. */
	extremes_after(99, 1000005, 99, 1000005);
	extremes_after(60000, FS_HISTOGRAM_LIMIT_NS + 9, 59904, FS_HISTOGRAM_LIMIT_NS + 9);
	/* Else the edges of their cells: [59904, 60416), [69632, 70656). */
	extremes_after(60000, 70003, 59904, 70655);
	/* In the cells of the old ones, [49664, 50176) and [999424, 1007616), these bound them. */
	extremes_after(50002, 1000001, 50001, 1000003);
}

#define ADDERS 2
#define ADDS 1000000

struct adder {
	pthread_t thread;
	unsigned index, lost;
	uint32_t *started, *ended;
};

static uint64_t added(unsigned adder, unsigned i)
{
	return i % 4 ? 100 : 1000ull * i + adder;	/* three in one cell, then the longest so far */
}

static void *adder_main(void *arg)
{
	struct adder *a = arg;

	fs_add(a->started, 1);
	while (fs_load_acquire(a->started) < ADDERS)
		;
	for (unsigned i = 0; i < ADDS; i++) {
		fs_histogram_add(&h, added(a->index, i));
		a->lost += fs_load(&h.max_ns) < added(a->index, i);
	}
	fs_add(a->ended, 1);
	return NULL;
}

/* Where the last cell that has a count starts. */
static uint64_t greatest_low(const struct fs_histogram *of)
{
	uint64_t low = 0;

	for (unsigned i = 0; i < FS_HISTOGRAM_CELLS; i++)
		low = of->cells[i] ? fs_histogram_low(i) : low;
	return low;
}

/* Copies taken meanwhile never go back, and what they count is in their extremes. */
static void test_concurrent_adds(void **state)
{
	struct adder adders[ADDERS];
	uint32_t started = 0, ended = 0;
	uint64_t before = 0;

	(void)state;
	for (unsigned i = 0; i < ADDERS; i++) {
		adders[i] = (struct adder){ .index = i, .started = &started, .ended = &ended };
		assert_int_equal(pthread_create(&adders[i].thread, NULL, adder_main, &adders[i]), 0);
	}
	do {
		other = empty;
		fs_histogram_merge(&other, &h);
		assert_true(fs_histogram_samples(&other) >= before);
		before = fs_histogram_samples(&other);
		assert_true(other.max_ns >= greatest_low(&other));
		fs_sleep_until(fs_now_ns() + FS_NSEC_PER_MSEC);	/* the adders need both CPUs */
	} while (fs_load_acquire(&ended) < ADDERS);
	other = empty;
	for (unsigned i = 0; i < ADDERS; i++) {
		pthread_join(adders[i].thread, NULL);
		assert_int_equal(adders[i].lost, 0);
		for (unsigned k = 0; k < ADDS; k++)
			fs_histogram_add(&other, added(i, k));
	}
	assert_memory_equal(&h, &other, sizeof(h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_cells_are_all_used),
		cmocka_unit_test_setup(test_add, make_empty),
		cmocka_unit_test_setup(test_nothing, make_empty),
		cmocka_unit_test_setup(test_clamping, make_empty),
		cmocka_unit_test_setup(test_cells_with_a_count, make_empty),
		cmocka_unit_test_setup(test_merge_and_subtract, make_empty),
		cmocka_unit_test_setup(test_subtract_extremes, make_empty),
		cmocka_unit_test_setup(test_concurrent_adds, make_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
