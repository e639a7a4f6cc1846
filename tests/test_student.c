/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/student.h"
#include "platform/compiler.h"

static void check_near(double got, double expected, double relative)
{
	if (!(fabs(got - expected) <= relative * fabs(expected)))
		fail_msg("%.12g, not %.12g", got, expected);
}

/*
 * 1 - A(t|df) for whole df by the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4, with
 * theta = atan(t / sqrt(df)).
 */
static double p_by_sum(double t, unsigned df)
{
	const double pi = acos(-1), theta = atan(t / sqrt(df)), c = cos(theta);
	double term = df % 2 ? c : 1, sum = 0;

	for (unsigned i = df % 2 ? 3 : 2; i <= df; i += 2) {
		sum += term;
		term *= c * c * (i - 1) / i;
	}
	return df % 2 ? 1 - 2 / pi * (theta + sin(theta) * sum) : 1 - sin(theta) * sum;
}

static void test_p_sums(void **state)
{
	static const unsigned dfs[] = { 1, 2, 3, 4, 5, 8, 10, 18, 19, 30, 101, 1000 };
	static const double ts[] = { 0.001, 0.1, 0.5, 1, 1.7, 2.228, 3.3, 5 };

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(dfs); i++)
		for (size_t j = 0; j < FS_ARRAY_SIZE(ts); j++)
			check_near(fs_t_p(ts[j], dfs[i]), p_by_sum(ts[j], dfs[i]), 1e-8);
}

static void test_p(void **state)
{
	(void)state;
	check_near(fs_t_p(2.228, 10), 0.05001, 1e-4);
	check_near(fs_t_p(1, 1), 0.5, 1e-14);
	check_near(fs_t_p(sqrt(2), 2), 1 - sqrt(0.5), 1e-14);
	check_near(fs_t_p(1e8, 1), 2e-8 / acos(-1), 1e-12);	/* far out, where 1 - ... is lost */
	check_near(fs_t_p(-2.5, 7), fs_t_p(2.5, 7), 0);
	assert_true(fs_t_p(0, 3) == 1);
	assert_true(fs_t_p(INFINITY, 3) == 0);
	assert_true(fs_t_p(-INFINITY, 3) == 0);
	assert_true(fs_t_p(INFINITY, 1e9) == 0);
	assert_true(fs_t_p(1e200, 3) == 0);
}

/* Large df: towards the normal, with no step where the formula changes. */
static void test_p_large_df(void **state)
{
	(void)state;
	check_near(fs_t_p(2, 1e6), erfc(sqrt(2)), 1e-5);
	check_near(fs_t_p(2, 9.9e6), fs_t_p(2, 1.01e7), 1e-6);
	check_near(fs_t_p(0.5, 9.9e6), fs_t_p(0.5, 1.01e7), 1e-6);
	check_near(fs_t_p(2, 1e300), erfc(sqrt(2)), 1e-12);
}

/* Printed tables; for 1e6 the expansion of Abramowitz and Stegun 26.7.5. */
static void test_quantile(void **state)
{
	static const struct {
		double p, df, t;
	} known[] = {
		{ 0.05, 1, 12.706204736 }, { 0.05, 2, 4.3026527297 }, { 0.05, 10, 2.2281388520 },
		{ 0.05, 19, 2.0930240544 }, { 0.05, 30, 2.0422724563 }, { 0.05, 1e6, 1.9599663568 },
		{ 0.01, 10, 3.1692726726 }, { 0.001, 18, 3.9216458250 }, { 0.2, 10, 1.3721836411 },
	};

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(known); i++)
		check_near(fs_t_quantile(known[i].p, known[i].df), known[i].t, 1e-8);
	assert_true(fs_t_quantile(0, 5) == INFINITY);
	assert_true(fs_t_quantile(-1, 5) == INFINITY);
	assert_true(fs_t_quantile(1, 5) == 0);
	assert_true(fs_t_quantile(2, 5) == 0);
}

static void test_inverse(void **state)
{
	static const double dfs[] = { 0.5, 1, 2.7, 10, 133.3, 1e5, 1e8 };
	static const double ps[] = { 1e-12, 1e-4, 0.05, 0.5, 0.9, 0.999 };

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(dfs); i++)
		for (size_t j = 0; j < FS_ARRAY_SIZE(ps); j++)
			check_near(fs_t_p(fs_t_quantile(ps[j], dfs[i]), dfs[i]), ps[j], 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_p_sums),
		cmocka_unit_test(test_p),
		cmocka_unit_test(test_p_large_df),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_inverse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
