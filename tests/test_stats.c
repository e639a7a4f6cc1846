// SPDX-License-Identifier: GPL-2.0-or-later
/* Examples computed by hand for stats.c. */
#include <stdio.h>

#include "core/registry.h"
#include "tests/stats_bench.h"

static double metric(const struct bench *t, const char *name)
{
	for (unsigned i = 0; i < t->r.nmetrics; i++) {
		if (!strcmp(t->r.metrics[i].name, name))
			return t->r.metrics[i].value;
	}
	return NAN;
}

static void test_one_worker(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 1);
	t.a[0].ops = 500;
	t.b[0].ops = 1500;
	bench_reduce(&t);
	assert_int_equal(t.r.status, STATUS_PASSED);
	near(t.r.measured_s, 10);	/* from middle to middle of the stamps */
	assert_int_equal(t.r.start_monotonic_ns, 100 * S);
	assert_int_equal(t.r.end_realtime_ns, 17 * S);
	assert_int_equal(t.r.ops, 1000);
	near(t.r.ops_per_sec, 100);
	near(t.r.duty, 1);
	assert_true(isnan(t.r.fairness));
	assert_true(isnan(t.r.ops_per_cpu_sec));	/* usage unknown */
	assert_true(isnan(t.r.user_s));
	assert_int_equal(t.r.nwarnings, 0);
	assert_null(t.r.granularity);
}

/*
 * Worker 0: on the clock at both ends, 1 s off before the window, 5 s when it ends: 4 s off, 6 s
 * timed. Worker 1: goes off at 98 s having been off 2 s before, is on again at 103 s; goes off at
 * 109 s: 3 + 1 s off, 6 s timed. Worker 2: off since the release at 95 s until after the window:
 * never timed, no ops.
 */
static void test_off_words(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 3);
	t.a[0].off = 1 * S;
	t.b[0].off = 5 * S;
	t.a[1].off = FS_OFF_FLAG | (98 - 2) * S;
	t.b[1].off = FS_OFF_FLAG | (109 - (2 + 5)) * S;
	t.a[2].off = t.b[2].off = FS_OFF_FLAG | 95 * S;
	t.b[0].ops = 600;
	t.b[1].ops = 1200;
	bench_reduce(&t);
	assert_int_equal(t.workers[0].off_ns, 4 * S);
	assert_int_equal(t.workers[1].off_ns, 4 * S);
	assert_int_equal(t.workers[2].off_ns, 10 * S);
	near(t.r.off_s, 18);
	near(t.r.duty, 12.0 / 30);
	near(t.r.ops_per_sec, 100 + 200);
	assert_true(t.r.fairness == 0);	/* one did nothing */
	assert_true(warned(&t, "1 of 3 workers did no op in the window"));
	assert_string_equal(t.r.granularity, "op");	/* worker 2 */
	assert_true(warned(&t, "workers did no op in the window"));
}

/* A word read up to a few microseconds beside the edge must not give time below zero or above the
 * window. */
static void test_off_at_the_edge(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 2);
	t.a[0].off = FS_OFF_FLAG | (100 * S + 900);	/* went off between the edge and the read */
	t.b[0].off = FS_OFF_FLAG | (100 * S + 900);
	t.b[1].off = FS_OFF_FLAG | (110 * S + 2000);
	t.b[0].ops = t.b[1].ops = 100;
	bench_reduce(&t);
	assert_int_equal(t.workers[0].off_ns, 10 * S - 900);
	assert_int_equal(t.workers[1].off_ns, 0);
}

static void test_usage(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 2);
	t.b[0].ops = t.b[1].ops = 500;
	for (int i = 0; i < 2; i++) {
		t.workers[i].usage_known = true;
		t.workers[i].usage = (struct fs_usage){ 1000000, 3000000, 10, 20, 30, 40 };
	}
	bench_reduce(&t);
	near(t.r.user_s, 2);
	near(t.r.system_s, 6);
	near(t.r.ops_per_cpu_sec, 125);
	assert_int_equal(t.r.usage.involuntary, 40);
	t.b[0].off = t.b[1].off = 6 * S;	/* duty 0.4: the time is mostly that of refills */
	bench_reduce(&t);
	assert_true(isnan(t.r.ops_per_cpu_sec));
	t.b[0].off = t.b[1].off = 0;
	bench_reduce(&t);
	near(t.r.fairness, 1);
	t.workers[1].usage_known = false;	/* half of it is not all of it */
	fs_stats_window(&t.r, &t.start, &t.end);
	assert_false(t.r.usage_known);
	assert_true(isnan(t.r.system_s));
}

static void test_no_ops(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 2);
	t.b[0].work = 4096;
	bench_reduce(&t);
	assert_int_equal(t.r.status, STATUS_NO_PROGRESS);
	assert_string_equal(t.r.reason, "no op succeeded in 10.0 s");
	assert_true(isnan(t.r.ops_per_sec));
	assert_true(isnan(t.r.ops_per_cpu_sec));
	assert_true(isnan(t.r.fairness));
	assert_int_equal(t.r.nmetrics, 0);
	assert_int_equal(t.r.nwarnings, 0);
}

/* Who did not pass keeps the count, but has no rate. */
static void test_not_passed(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 1);
	t.b[0].ops = 1000;
	t.r.status = STATUS_INCOMPLETE;
	bench_reduce(&t);
	assert_int_equal(t.r.status, STATUS_INCOMPLETE);
	assert_int_equal(t.r.ops, 1000);
	assert_true(isnan(t.r.ops_per_sec));
	assert_int_equal(t.r.nmetrics, 0);
}

static void test_metrics(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 2);
	t.b[1].off = 5 * S;
	for (int i = 0; i < 2; i++) {
		t.b[i].ops = 100;
		t.b[i].work = 409600;
		t.a[i].counters[0] = 7;
		t.b[i].counters[0] = 17;
		t.b[i].counters[1] = 300;
		t.b[i].counters[2] = 50;
		t.a[i].counters[3] = 1000;
		t.b[i].counters[3] = i ? 30 : 20;
	}
	bench_reduce(&t);
	near(metric(&t, "calls"), 20);
	near(metric(&t, "calls_per_op"), 3);
	near(metric(&t, "calls_per_sec"), 50.0 / 10 + 50.0 / 5);
	near(metric(&t, "extents"), 25);
	near(metric(&t, "bytes_per_sec"), 40960 + 81920);
	assert_int_equal(t.r.nmetrics, 5);
}

/* A quarter of the ops are writes, each three times as long: half of the time. */
static void test_kinds(void **state)
{
	struct bench t;

	(void)state;
	bench_init(&t, 1);
	t.b[0].ops = 800;
	t.b[0].kinds[0] = (struct fs_kind_count){ 600, 75, 75 * 1000 };
	t.a[0].kinds[1] = (struct fs_kind_count){ 100, 10, 10 * 9000 };
	t.b[0].kinds[1] = (struct fs_kind_count){ 300, 35, 10 * 9000 + 25 * 3000 };
	bench_reduce(&t);
	assert_int_equal(t.r.nkinds, 3);
	assert_string_equal(t.r.kinds[1].name, "write");
	assert_int_equal(t.r.kinds[1].ops, 200);
	near(t.r.kinds[1].share, 0.25);
	near(t.r.kinds[1].mean_ns, 3000);
	near(t.r.kinds[1].time_share, 0.5);
	near(t.r.kinds[0].mean_ns, 1000);
	assert_true(isnan(t.r.kinds[2].mean_ns));
}

/* What the stressors return must have a name in the table of work units, or it is never reported.
 */
static void test_work_units(void **state)
{
	(void)state;
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		struct bench t;
		struct fs_stressor s;
		char name[64];

		if (!e->stressor || !e->stressor->work_unit)
			continue;
		bench_init(&t, 1);
		s = (struct fs_stressor){ .name = e->name, .work_unit = e->stressor->work_unit };
		t.stage.stressor = &s;
		t.b[0].ops = 100;
		t.b[0].work = 200;
		bench_reduce(&t);
		snprintf(name, sizeof(name), "%s_per_sec", s.work_unit);
		near(metric(&t, name), 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_worker), cmocka_unit_test(test_off_words),
		cmocka_unit_test(test_off_at_the_edge), cmocka_unit_test(test_usage),
		cmocka_unit_test(test_no_ops), cmocka_unit_test(test_not_passed),
		cmocka_unit_test(test_metrics), cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_work_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
