// SPDX-License-Identifier: GPL-2.0-or-later
/* What numbers are worth: examples for judge.c. */
#include "tests/stats_bench.h"

static void test_tolerated(void **state)
{
	struct bench t;

	(void)state;
	for (uint64_t count = 10; count <= 11; count++) {
		bench_init(&t, 1);
		t.b[0].ops = 990;
		t.r.tolerated[0] = (struct area_errno){ EAGAIN, 0, 2 };
		t.r.tolerated[1] = (struct area_errno){ EINTR, 0, count - 2 };
		bench_reduce(&t);
		assert_int_equal(t.r.status, count == 10 ? STATUS_PASSED : STATUS_FAILED);
		assert_int_equal(t.r.err, count == 10 ? 0 : EINTR);
		assert_int_equal(isnan(t.r.ops_per_sec) != 0, count != 10);
	}
	assert_string_equal(t.r.reason, "1.1 % of 1001 attempts failed, mostly with EINTR");
}

static void test_warnings(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 2);
	t.b[0].ops = 100;
	t.b[1].ops = 49;
	t.workers[1].pin_lost = true;
	t.workers[1].cpu = 1;
	t.workers[1].cpu_end = 3;
	t.config.timeout_ns = 9 * S;
	bench_reduce(&t);
	assert_true(warned(&t, "1 of 2 workers lost their CPU: worker 1 ended on 3 instead of 1"));
	assert_true(warned(&t, "the slowest made 49 % of the rate of the fastest"));
	assert_true(warned(&t, "the window took 10 s instead of 9 s"));
	assert_int_equal(t.r.nwarnings, 3);
	bench_init(&t, 1);
	t.b[0].ops = 19;
	t.b[0].off = 9500 * MS;
	t.config.timeout_ns = 9600 * MS;	/* 4 % */
	bench_reduce(&t);
	assert_true(warned(&t, "only 19 ops"));
	assert_true(warned(&t, "duty 0.050"));
	assert_int_equal(t.r.nwarnings, 2);
	near(t.r.ops_per_sec, 38);
}

static void test_passes(void **state)
{
	struct bench t;

	(void)state;
	for (unsigned passes = 4; passes <= 5; passes++) {
		bench_init(&t, 1);
		t.stage.variant = &refilled;
		t.b[0].ops = 1000;
		t.workers[0].nrounds = passes + 2;
		for (int64_t i = -1; i <= (int64_t)passes;
		     i++) /* the first before the window, the last after it */
			t.workers[0].rounds[i + 1] = (struct area_round){
				.run = i < (int64_t)passes ? (uint64_t)(i * (int64_t)S) : 11 * S,
				.run_end = i < (int64_t)passes
						   ? (uint64_t)((i + 1) * (int64_t)S) - 1
						   : 12 * S,
			};
		bench_reduce(&t);
		assert_int_equal(t.r.status, STATUS_PASSED);
		if (passes == 5)
			assert_null(t.r.granularity);
		else
			assert_string_equal(t.r.granularity, "pass");
		assert_int_equal(t.r.nwarnings, passes == 5 ? 0 : 1);
	}
}

static void test_crowded_rounds(void **state)
{
	struct bench t;

	(void)state;
	for (unsigned rounds = 0; rounds < 2; rounds++) {
		bench_init(&t, 1);
		t.b[0].ops = 100;
		t.stage.oversubscribed = true;
		t.stage.variant = rounds ? &refilled : t.stage.variant;
		bench_reduce(&t);
		assert_int_equal(warned(&t, "oversubscribed rounds"), rounds);
	}
}

/* With --ops there is no window to be off from. */
static void test_ops_limit(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 1);
	t.stage.variant = &refilled;
	t.stage.ops = 1000;
	t.b[0].ops = 1000;
	t.config.timeout_ns = 60 * S;
	bench_reduce(&t);
	assert_int_equal(t.r.nwarnings, 0);
	assert_null(t.r.granularity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tolerated), cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_passes), cmocka_unit_test(test_crowded_rounds),
		cmocka_unit_test(test_ops_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
