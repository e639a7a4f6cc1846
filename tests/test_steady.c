/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/interval.h"
#include "core/steady.h"
#include "platform/compiler.h"
#include "tests/series.h"

#define STEP_S 0.02

enum { SLICES = SERIES_SLICES };

static void check_drift(const double *x, size_t n, enum drift expected)
{
	struct fs_steady s;

	fs_steady(x, n, STEP_S, &s);
	if (!s.judged || s.drift != expected)
		fail_msg("%s, change %g at %zu, slope %g, not %s", fs_drift_names[s.drift], s.change,
			 s.change_at, s.slope, fs_drift_names[expected]);
}

/* The formula, word for word. */
static size_t mser_by_formula(const double *x, size_t n)
{
	const size_t k = n / 5;
	double least = INFINITY, b[FS_SLICES_MAX / 5];
	size_t best = 0;

	for (size_t i = 0; i < k; i++)
		b[i] = fs_mean(x + 5 * i, 5);
	for (size_t d = 0; d <= k / 2; d++) {
		const double mean = fs_mean(b + d, k - d), count = (double)(k - d);
		double sum = 0;

		for (size_t i = d; i < k; i++)
			sum += (b[i] - mean) * (b[i] - mean);
		if (sum / (count * count) < least) {
			least = sum / (count * count);
			best = d;
		}
	}
	return 5 * best;
}

static void test_mser_formula(void **state)
{
	static const size_t lengths[] = { 5, 10, 37, 100, 503, FS_SLICES_MAX };
	double x[FS_SLICES_MAX];
	struct fs_rng r;

	(void)state;
	fs_rng_seed(&r, 5, "formula", 0);
	for (unsigned i = 0; i < 60; i++) {
		const size_t n = lengths[i % FS_ARRAY_SIZE(lengths)];

		series_make(x, i % 2 ? series_decay : series_cache, n);
		series_add_noise(&r, x, n);
		assert_int_equal(fs_mser(x, n).cut, mser_by_formula(x, n));
	}
}

static void test_mser_border(void **state)
{
	double x[SLICES];

	(void)state;
	series_make(x, series_line, SLICES);
	assert_int_equal(fs_mser(x, SLICES).cut, SLICES / 2);
	assert_true(fs_mser(x, SLICES).border);
	series_make(x, series_cache, SLICES);
	assert_int_equal(fs_mser(x, SLICES).cut, 60);
	assert_false(fs_mser(x, SLICES).border);
	series_make(x, series_none, SLICES);
	for (size_t n = 0; n < 12; n++) {
		assert_int_equal(fs_mser(x, n).cut, 0);
		assert_false(fs_mser(x, n).border);
	}
}

static void test_warmup(void **state)
{
	double x[SLICES];

	(void)state;
	series_make(x, series_cache, SLICES);
	assert_true(fs_warmup_short(x, 0, SLICES));
	assert_true(fs_warmup_short(x, 30, SLICES));
	assert_true(fs_warmup_short(x, 50, SLICES));
	assert_false(fs_warmup_short(x, 57, SLICES));	/* 3 slices: 0.3 % of the mean */
	assert_false(fs_warmup_short(x, 60, SLICES));
	assert_false(fs_warmup_short(x, 100, SLICES));
	assert_false(fs_warmup_short(x, 0, 60));
	assert_true(fs_warmup_short(x + 50, 5, 5 + FS_STEADY_SLICES_MIN));
	assert_false(fs_warmup_short(x + 50, 5, 4 + FS_STEADY_SLICES_MIN));	/* not judged */
	assert_false(fs_warmup_short(x, SLICES, SLICES));
	assert_false(fs_warmup_short(x, 0, 0));
	series_make(x, series_line, SLICES);	/* the border: another verdict */
	assert_false(fs_warmup_short(x, 0, SLICES));
	series_make(x, series_late, SLICES);
	assert_false(fs_warmup_short(x, 100, SLICES));
}

/* A fall by 20 % in 10 s, from 1: 0.2 / 0.9 / 10 s. */
static void test_slope(void **state)
{
	const double expected = -0.2 / 0.9 / (SLICES * STEP_S) * 60 * 100;
	double x[SLICES];
	struct fs_steady s;
	struct fs_rng r;

	(void)state;
	series_make(x, series_line, SLICES);
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_SLOPE);
	check_range("slope", s.slope, 1.001 * expected, 0.999 * expected);
	check_range("low", s.slope_low, 1.001 * expected, s.slope);
	check_range("high", s.slope_high, s.slope, 0.999 * expected);
	fs_rng_seed(&r, 6, "slope", 0);
	series_add_noise(&r, x, SLICES);
	fs_steady(x, SLICES, STEP_S, &s);
	check_range("slope with noise", s.slope, 1.2 * expected, 0.8 * expected);
	assert_true(s.slope_low < s.slope && s.slope < s.slope_high);
	check_range("width", (s.slope_high - s.slope_low) / -expected, 0.1, 0.5);
}

static void test_changes(void **state)
{
	double x[SLICES];
	struct fs_steady s;

	(void)state;
	series_make(x, series_late, SLICES);
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 350);
	check_range("change", s.change, -0.1501, -0.1499);
	series_make(x, series_dip, SLICES);	/* a level that ends again */
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 350);
	check_range("dip", s.change, -0.2001, -0.1999);
	series_make(x, series_early, SLICES);
	check_drift(x, SLICES, DRIFT_NONE);
	series_make(x, series_early_dip, SLICES);
	check_drift(x, SLICES, DRIFT_NO_STEADY_STATE);
	for (size_t i = 0; i < SLICES; i++)		/* from nothing */
		x[i] = i < 400 ? 0 : 1;
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 400);
	check_range("rise", s.change, 1, 1e4);
	for (size_t i = 0; i < SLICES; i++)		/* to nothing */
		x[i] = i < 400 ? 1 : 0;
	fs_steady(x, SLICES, STEP_S, &s);
	check_range("fall", s.change, -1.0001, -0.9999);
}

/* Of several late levels, the one that explains most; each ends where the next begins. */
static void test_levels(void **state)
{
	double x[SLICES];
	struct fs_steady s;

	(void)state;
	for (size_t i = 0; i < SLICES; i++)
		x[i] = i < 260 ? 1 : i < 420 ? 0.3 : i < 470 ? 1 : 2;
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 260);
	for (size_t i = 0; i < SLICES; i++)
		x[i] = i >= 260 && i < 330 ? 2 : i < 400 ? 1 : 0;
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 400);
}

/* Single slow slices neither hide a step nor make one, nor does a stall end a level. */
static void test_stalls(void **state)
{
	double x[SLICES];
	struct fs_steady s;

	(void)state;
	series_make(x, series_late, SLICES);
	for (size_t i = 0; i < 350; i += 10)
		x[i] = 0.4;
	for (size_t i = 495; i < 500; i++)
		x[i] = 0.65;
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 350);
	check_range("change", s.change, 0.8433 / 0.94 - 1, 0.8434 / 0.94 - 1);
	series_make(x, series_none, SLICES);
	for (size_t i = 420; i < 430; i++)
		x[i] = 0.3;
	check_drift(x, SLICES, DRIFT_NONE);
}

/* What moves the mean by less than 1 % is no drift, however clear it is. */
static void test_small(void **state)
{
	static const struct {
		double end, step;
		enum drift drift;
	} cases[] = {
		{ 0.985, 1, DRIFT_NONE }, { 0.975, 1, DRIFT_SLOPE },
		{ 1, 0.975, DRIFT_NONE }, { 1, 0.96, DRIFT_LATE_STEP },
	};
	double x[SLICES];

	(void)state;
	for (size_t c = 0; c < FS_ARRAY_SIZE(cases); c++) {
		for (size_t i = 0; i < SLICES; i++)
			x[i] = (1 + (cases[c].end - 1) * (double)i / SLICES) *
			       (i < 350 ? 1 : cases[c].step);
		check_drift(x, SLICES, cases[c].drift);
	}
}

/* Few ops in a slice: most rates are equal, and the MAD of their differences is 0. */
static void test_quantised(void **state)
{
	double x[SLICES];
	struct fs_steady s;

	(void)state;
	for (size_t i = 0; i < SLICES; i++)
		x[i] = (i / 5 % 7 ? 20 : 21);
	check_drift(x, SLICES, DRIFT_NONE);
	for (size_t i = 300; i < SLICES; i++)
		x[i] -= 4;
	fs_steady(x, SLICES, STEP_S, &s);
	assert_int_equal(s.drift, DRIFT_LATE_STEP);
	assert_int_equal(s.change_at, 300);
}

static void check_finite(const double *x, size_t n)
{
	struct fs_steady s;

	fs_steady(x, n, STEP_S, &s);
	assert_int_equal(s.judged, n >= FS_STEADY_SLICES_MIN);
	assert_true(isfinite(s.change) && isfinite(s.slope) && isfinite(s.slope_low) &&
		    isfinite(s.slope_high));
	assert_true(s.slope_low <= s.slope && s.slope <= s.slope_high && s.change_at < n + !n);
	assert_true(s.judged || (s.drift == DRIFT_NONE && s.slope_low == 0 && s.change_at == 0));
}

static void test_degenerate(void **state)
{
	double zero[FS_SLICES_MAX] = { 0 }, flat[FS_SLICES_MAX], spike[FS_SLICES_MAX] = { 0 },
	       line[FS_SLICES_MAX];

	(void)state;
	spike[25] = 1e9;
	for (size_t i = 0; i < FS_SLICES_MAX; i++) {
		flat[i] = 1e6 / 3;
		line[i] = 1e-6 * (double)i;
	}
	for (size_t n = 0; n <= FS_SLICES_MAX; n += n < 110 ? 1 : 457) {
		check_finite(zero, n);
		check_finite(flat, n);
		check_finite(spike, n);
		check_finite(line, n);
		assert_false(fs_warmup_short(zero, n / 2, n));
		assert_false(fs_warmup_short(flat, n / 2, n));
	}
	check_drift(zero, FS_SLICES_MAX, DRIFT_NONE);
	check_drift(flat, FS_SLICES_MAX, DRIFT_NONE);
	check_drift(line, FS_SLICES_MAX, DRIFT_SLOPE);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(fs_drift_names[DRIFT_NONE], "none");
	assert_string_equal(fs_drift_names[DRIFT_LATE_STEP], "late-step");
	assert_string_equal(fs_drift_names[DRIFT_SLOPE], "slope");
	assert_string_equal(fs_drift_names[DRIFT_NO_STEADY_STATE], "no-steady-state");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mser_formula),
		cmocka_unit_test(test_mser_border),
		cmocka_unit_test(test_warmup),
		cmocka_unit_test(test_slope),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_quantised),
		cmocka_unit_test(test_degenerate),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
