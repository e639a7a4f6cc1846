// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of workers, and the series that is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice.h"

#define MS FS_NSEC_PER_MSEC
#define S FS_NSEC_PER_SEC

#define AT(t, n, off) { .t_ns = (t), .ops = (n), .off_ns = (off) }

static struct fs_slices slices;

static void near(double value, double expected)
{
	if (!(value >= expected * (1 - 1e-6) - 1e-6 && value <= expected * (1 + 1e-6) + 1e-6))
		fail_msg("%.12g is not %.12g", value, expected);
}

/* One op a millisecond, half of its time on the CPU, a tenth waiting for one. */
static struct fs_record at(uint64_t t_ns)
{
	return (struct fs_record){
		.t_ns = t_ns, .ops = t_ns / MS, .cpu_ns = t_ns / 2, .wait_ns = t_ns / 10,
	};
}

static int begin(void **state)
{
	(void)state;
	memset(&slices, 0, sizeof(slices));
	return 0;
}

static void cut_until(uint64_t end_ns, uint64_t step_ns)
{
	for (uint64_t t = 0; t <= end_ns; t += step_ns) {
		const struct fs_record r = at(t);

		if (fs_slice_due(&slices, t))
			fs_slice_cut(&slices, &r);
	}
}

static void test_length(void **state)
{
	(void)state;
	cut_until(1 * S, 3 * MS);
	assert_int_equal(slices.n, 84);		/* each 12 ms, at the end of a batch */
	for (unsigned i = 1; i < slices.n; i++)
		assert_int_equal(slices.record[i].t_ns - slices.record[i - 1].t_ns, 12 * MS);
}

/* However long it goes on there are at least half of all records, and they reach to the end. */
static void test_any_window(void **state)
{
	(void)state;
	for (uint64_t end = 5 * S; end < 100 * S; end += 7 * S) {
		begin(NULL);
		cut_until(end, MS);
		assert_in_range(slices.n, FS_RECORDS_MAX / 2, FS_RECORDS_MAX);
		assert_true(slices.length_ns >= FS_SLICE_NS);
		assert_int_equal(slices.length_ns % FS_SLICE_NS, 0);
		assert_true(slices.record[slices.n - 1].t_ns + slices.length_ns > end);
		for (unsigned i = 1; i < slices.n; i++)
			assert_true(slices.record[i].t_ns > slices.record[i - 1].t_ns);
	}
}

static void test_between(void **state)
{
	const struct fs_record start = AT(105 * MS, 103, 0), end = AT(205 * MS, 207, 0);
	struct fs_record out[FS_RECORDS_MAX + 2];
	unsigned n;

	(void)state;
	cut_until(1 * S, MS);
	n = fs_slices_between(&slices, &start, &end, out);
	assert_int_equal(n, 2 + 10);		/* 110, 120 ... 200 ms */
	assert_int_equal(out[0].ops, 103);
	assert_int_equal(out[1].t_ns, 110 * MS);
	assert_int_equal(out[n - 1].ops, 207);
	near((double)out[0].cpu_ns, 52.5 * MS);
	near((double)out[n - 1].wait_ns, 20.5 * MS);
}

/* The counters were read a little later, or earlier, than the stamp says. */
static void test_contradictions(void **state)
{
	const struct fs_record start = AT(109 * MS, 110, 0), end = AT(201 * MS, 199, 0);
	struct fs_record out[FS_RECORDS_MAX + 2];
	unsigned n;

	(void)state;
	cut_until(1 * S, MS);
	n = fs_slices_between(&slices, &start, &end, out);
	assert_int_equal(n, 2 + 9);		/* not that of 200 ms, whose 200 ops are too many */
	for (unsigned i = 1; i < n; i++) {
		assert_true(out[i].t_ns > out[i - 1].t_ns);
		assert_true(out[i].ops >= out[i - 1].ops);
	}
}

static void test_no_records(void **state)
{
	const struct fs_record start = AT(1 * S, 5, 0), end = AT(2 * S, 15, 0);
	struct fs_record out[FS_RECORDS_MAX + 2];

	(void)state;
	assert_int_equal(fs_slices_between(&slices, &start, &end, out), 2);
	assert_int_equal(out[1].ops - out[0].ops, 10);
}

static void test_merge(void **state)
{
	struct fs_record r[100];

	(void)state;
	for (unsigned n = 2; n <= 100; n++) {
		for (unsigned most = 2; most <= 100; most += 7) {
			unsigned kept;

			for (unsigned i = 0; i < n; i++)
				r[i] = at(i * MS);
			kept = fs_slices_merge(r, n, most);
			assert_true(kept <= most && kept >= (n <= most ? n : 2));
			assert_int_equal(r[0].t_ns, 0);
			assert_int_equal(r[kept - 1].t_ns, (n - 1) * MS);
			for (unsigned i = 1; i < kept; i++)
				assert_true(r[i].t_ns > r[i - 1].t_ns);
		}
	}
}

/* 1000 ops/s, then 3000: each part of the grid has its own rate, whatever the slices' ends are. */
static void test_series(void **state)
{
	struct fs_record a[] = { AT(0, 0, 0), AT(3 * S, 3000, 0),
				 AT(5 * S, 5000, 0), AT(10 * S, 20000, 0) };
	const struct fs_track t = { a, 4 };
	double rates[10], sum = 0;

	(void)state;
	fs_series(&t, 1, rates, 10);
	for (unsigned i = 0; i < 10; i++) {
		near(rates[i], i < 5 ? 1000 : 3000);
		sum += rates[i];
	}
	near(sum, 20000);
}

/* Worker 1 is off the clock for half of each second, so it makes twice its count per second. */
static void test_series_workers(void **state)
{
	struct fs_record a[] = { AT(1 * S, 7, 0), AT(5 * S, 4007, 0) },
		b[] = { AT(1 * S, 0, 9 * S), AT(3 * S, 500, 10 * S),
			AT(5 * S, 1000, 11 * S) };
	const struct fs_track t[] = { { a, 2 }, { b, 3 }, { NULL, 0 } };
	double rates[8];

	(void)state;
	fs_series(t, 3, rates, 8);
	for (unsigned i = 0; i < 8; i++)
		near(rates[i], 1000 + 500);
}

static void test_series_never_timed(void **state)
{
	struct fs_record a[] = { AT(0, 0, 0), AT(1 * S, 0, 1 * S),
				 AT(2 * S, 100, 1 * S) };
	const struct fs_track t = { a, 3 };
	double rates[4];

	(void)state;
	fs_series(&t, 1, rates, 4);
	near(rates[0], 0);
	near(rates[1], 0);
	near(rates[2], 100);
	near(rates[3], 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_length, begin),
		cmocka_unit_test_setup(test_any_window, begin),
		cmocka_unit_test_setup(test_between, begin),
		cmocka_unit_test_setup(test_contradictions, begin),
		cmocka_unit_test_setup(test_no_records, begin),
		cmocka_unit_test(test_merge), cmocka_unit_test(test_series),
		cmocka_unit_test(test_series_workers), cmocka_unit_test(test_series_never_timed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
