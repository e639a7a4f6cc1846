/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/interval.h"
#include "core/student.h"
#include "platform/compiler.h"
#include "tests/series.h"

enum { SERIES = 600 };

static void check_near(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9))
		fail_msg("%.12g, not %.12g", got, expected);
}

static void test_batches(void **state)
{
	static const struct {
		size_t n;
		unsigned k;
	} known[] = {
		{ 0, 0 }, { 9, 0 }, { 10, 5 }, { 15, 7 }, { 19, 9 }, { 20, 10 }, { 299, 10 },
		{ 300, 20 }, { 1024, 20 },
	};
	const double x[] = { 1, 2, 3, 4, 5, 6, 7 };
	double means[3];

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(known); i++)
		assert_int_equal(fs_batches(known[i].n), known[i].k);
	fs_batch_means(x, 7, means, 3);		/* 2 + 2 + 3 slices: each in one batch */
	check_near(means[0], 1.5);
	check_near(means[1], 3.5);
	check_near(means[2], 6);
}

/* 5 batches of 2 with the means 1 2 4 2 1: mean 2, sum of squares 6, s^2 / k = 0.3, df 4. */
static void test_by_hand(void **state)
{
	const double x[] = { 0, 2, 3, 1, 4, 4, 1.5, 2.5, 2, 0 };
	struct fs_interval iv;

	(void)state;
	fs_interval(x, FS_ARRAY_SIZE(x), &iv);
	check_near(iv.mean, 2);
	check_near(iv.trimmed, 2);		/* without 0 and 4 */
	assert_int_equal(iv.batches, 5);
	check_near(iv.high - iv.mean, fs_t_quantile(0.05, 4) * sqrt(0.3));
	check_near(iv.mean - iv.low, iv.high - iv.mean);
	check_near(iv.lag1, 0);			/* (0 + 0 + 0 + 0) / 6 */
	assert_true(iv.reliable);
}

static void test_trimmed(void **state)
{
	double x[40];
	struct fs_interval iv;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		x[i] = (double)((i * 7 % 40) * (i * 7 % 40));
	x[0] = -1000;
	fs_interval(x, 40, &iv);		/* 4 of either end out: 4^2 .. 35^2 are left */
	check_near(iv.trimmed, (35 * 36 * 71 / 6 - 14) / 32.0);
}

static void test_few(void **state)
{
	static const double x[9] = { 5, 6, 5, 6, 5, 6, 5, 6, 1 };
	struct fs_interval iv;

	(void)state;
	fs_interval(NULL, 0, &iv);
	assert_true(isnan(iv.mean) && isnan(iv.trimmed) && isnan(iv.low) && isnan(iv.high));
	assert_true(iv.ess == 0 && !iv.batches && !iv.reliable);
	for (size_t n = 1; n <= 9; n++) {
		fs_interval(x, n, &iv);
		assert_true(isnan(iv.low) && isnan(iv.high) && iv.batches == 0 && !iv.reliable);
		assert_true(iv.ess >= 1 && iv.ess <= (double)n);
		assert_true(iv.mean >= 1 && iv.mean <= 6 && iv.trimmed == iv.mean);
	}
}

static void test_constant(void **state)
{
	static const double levels[] = { 0, 7, 1e9 / 3 };
	double x[FS_SLICES_MAX];
	struct fs_interval iv;

	(void)state;
	for (size_t l = 0; l < FS_ARRAY_SIZE(levels); l++) {
		for (size_t i = 0; i < FS_SLICES_MAX; i++)
			x[i] = levels[l];
		fs_interval(x, FS_SLICES_MAX, &iv);
		assert_true(fabs(iv.mean - levels[l]) <= 1e-12 * levels[l]);
		assert_true(iv.high - iv.low <= 1e-9 * levels[l] && iv.high >= iv.low);
		assert_true(isfinite(iv.lag1) && iv.ess >= 1 && iv.ess <= FS_SLICES_MAX);
	}
}

/* Batch means that follow each other: half as many, and if that does not help, no trust. */
static void test_halving(void **state)
{
	static const struct {
		size_t n, run;		/* the level changes its sign every `run` slices */
		unsigned batches;
		bool reliable;
	} cases[] = {
		{ 400, 40, 20, true }, { 400, 60, 10, true }, { 400, 100, 10, false },
		{ 200, 40, 10, true }, { 200, 60, 10, true },
		{ 200, 80, 5, true }, { 200, 100, 5, false }, { 16, 8, 8, false },
	};
	double x[FS_SLICES_MAX];
	struct fs_interval iv;

	(void)state;
	for (size_t c = 0; c < FS_ARRAY_SIZE(cases); c++) {
		for (size_t i = 0; i < cases[c].n; i++)
			x[i] = i / cases[c].run % 2 ? 9 : 11;
		fs_interval(x, cases[c].n, &iv);
		if (iv.batches != cases[c].batches || iv.reliable != cases[c].reliable)
			fail_msg("case %zu: %u batches, lag1 %g", c, iv.batches, iv.lag1);
		assert_true(iv.reliable == (iv.lag1 <= 0.3));
	}
}

/* What the interval would be if slices were independent. */
static bool naive_covers(const double *x, size_t n, double mean)
{
	double square = 0;

	for (size_t i = 0; i < n; i++)
		square += (x[i] - mean) * (x[i] - mean);
	return fabs(mean - 1) <= fs_t_quantile(0.05, (double)n - 1) *
					 sqrt(square / (double)(n - 1) / (double)n);
}

/* Percent of intervals that hold the true mean, and the mean effective sample size. */
static double coverage(double phi, size_t n, double *naive, double *ess)
{
	unsigned covered = 0, naively = 0;
	struct fs_rng r;

	fs_rng_seed(&r, 1, "coverage", 0);
	*ess = 0;
	for (unsigned i = 0; i < SERIES; i++) {
		double x[FS_SLICES_MAX];
		struct fs_interval iv;

		series_noise(&r, phi, x, n);
		fs_interval(x, n, &iv);
		covered += iv.low <= 1 && iv.high >= 1;
		naively += naive_covers(x, n, iv.mean);
		*ess += iv.ess / SERIES;
	}
	*naive = 100.0 * naively / SERIES;
	return 100.0 * covered / SERIES;
}

/*
 * IAT of AR(1) is (1 + phi) / (1 - phi); the outliers are white and have a variance of half of it
 * on top: 500 / ((4 * 16 + 8) / (16 + 8)) = 167.
 */
static void test_coverage(void **state)
{
	double naive, ess;

	(void)state;
	check_range("coverage", coverage(0.6, 500, &naive, &ess), 92, 97);
	check_range("naive coverage", naive, 60, 80);
	check_range("ess", ess, 150, 185);
	check_range("coverage", coverage(0, 500, &naive, &ess), 93, 97);
	check_range("naive coverage", naive, 93, 97);
	check_range("ess", ess, 430, 500);
	check_range("coverage", coverage(0.6, 200, &naive, &ess), 91, 97);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_halving),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
