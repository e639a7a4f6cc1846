// SPDX-License-Identifier: GPL-2.0-or-later
/* What happened beside a window, and when it is worth a warning. */
#include "core/environment.h"
#include "core/message.h"
#include "tests/capture.h"
#include "tests/stats_bench.h"

#define US 1000000ull

/* A quiet machine with four CPUs, far from its boot. */
static void quiet(struct fs_pressure *a, struct fs_pressure *b)
{
	*a = *b = (struct fs_pressure){
		.busy_ns = 50 * S, .steal_ns = 40 * S, .cpu_some_us = 30 * US, .io_some_us = 20 * US,
		.io_full_us = 10 * US, .memory_some_us = 6 * US, .memory_full_us = 5 * US,
		.dirty_bytes = 4096, .writeback_bytes = 8192, .cpus = 4, .sync_action = "idle",
	};
}

static void bench_environment(struct bench *t, const struct fs_pressure *a, const struct fs_pressure *b)
{
	bench_init(t, 1);
	t->b[0].ops = 1000;
	fs_environment_window(&t->r, a, b);
	bench_reduce(t);
}

static void test_window(void **state)
{
	struct fs_pressure a, b;
	struct bench t;

	(void)state;
	quiet(&a, &b);
	b.busy_ns += 9 * S;
	b.steal_ns += S / 2;
	b.cpu_some_us += 4 * US;
	b.io_some_us += 3 * US;
	b.io_full_us += 2 * US;
	b.memory_some_us += US;
	b.memory_full_us += US / 20;
	b.dirty_bytes = 12288;
	b.writeback_bytes = 16384;
	bench_environment(&t, &a, &b);
	near(t.r.machine_busy_s, 9);
	near(t.r.environment.steal_s, 0.5);
	near(t.r.environment.cpu_some_s, 4);
	near(t.r.environment.io_some_s, 3);
	near(t.r.environment.io_full_s, 2);
	near(t.r.environment.memory_some_s, 1);
	near(t.r.environment.memory_full_s, 0.05);
	assert_int_equal(t.r.environment.dirty_bytes[0], 4096);
	assert_int_equal(t.r.environment.dirty_bytes[1], 12288);
	assert_int_equal(t.r.environment.writeback_bytes[0], 8192);
	assert_int_equal(t.r.environment.writeback_bytes[1], 16384);
	assert_int_equal(t.r.nwarnings, 0);
}

/* What is not known at one end, or runs backwards, is not known. */
static void test_unknown(void **state)
{
	struct fs_pressure a, b;
	struct bench t;

	(void)state;
	quiet(&a, &b);
	b.busy_ns = UINT64_MAX;
	a.memory_full_us = UINT64_MAX;
	b.steal_ns--;
	bench_environment(&t, &a, &b);
	assert_true(isnan(t.r.machine_busy_s));
	assert_true(isnan(t.r.environment.memory_full_s));
	assert_true(isnan(t.r.environment.steal_s));
	near(t.r.environment.io_full_s, 0);
	assert_int_equal(t.r.nwarnings, 0);
	bench_init(&t, 1);		/* never measured */
	assert_true(isnan(t.r.environment.steal_s) && isnan(t.r.environment.io_some_s));
	assert_true(t.r.environment.dirty_bytes[1] == FS_UNKNOWN);
	assert_int_equal(t.r.environment.lazyinit, -1);
}

/* Ten seconds of four CPUs: 2 % are 0.8 s of stolen time; 1 % of the window is 0.1 s. */
static void test_limits(void **state)
{
	struct fs_pressure a, b;
	struct bench t;

	(void)state;
	quiet(&a, &b);
	b.steal_ns += 790 * MS;
	b.memory_full_us += 99000;
	bench_environment(&t, &a, &b);
	assert_int_equal(t.r.nwarnings, 0);
	b.steal_ns += 20 * MS;
	bench_environment(&t, &a, &b);
	assert_int_equal(t.r.nwarnings, 1);
	assert_true(warned(&t, "the hypervisor gave 2.0 % of the CPUs' time to others"));
	quiet(&a, &b);
	b.memory_full_us += 250000;
	bench_environment(&t, &a, &b);
	assert_int_equal(t.r.nwarnings, 1);
	assert_true(warned(&t, "for want of memory in 2.5 % of the window"));
}

/* Background work that was there at either end. */
static void test_background(void **state)
{
	struct fs_pressure a, b;
	struct bench t;

	(void)state;
	quiet(&a, &b);
	a.lazyinit = 1;
	strcpy(b.sync_action, "check");
	bench_environment(&t, &a, &b);
	assert_int_equal(t.r.environment.lazyinit, 1);
	assert_int_equal(t.r.nwarnings, 2);
	assert_true(warned(&t, "ext4lazyinit"));
	assert_true(warned(&t, "was in check"));
	quiet(&a, &b);
	b.lazyinit = 1;
	strcpy(a.sync_action, "resync");
	bench_environment(&t, &a, &b);
	assert_int_equal(t.r.nwarnings, 2);
	assert_true(warned(&t, "was in resync"));
	quiet(&a, &b);
	a.lazyinit = b.lazyinit = -1;
	a.sync_action[0] = b.sync_action[0] = '\0';
	bench_environment(&t, &a, &b);
	assert_int_equal(t.r.environment.lazyinit, -1);
	assert_int_equal(t.r.nwarnings, 0);
}

static unsigned warnings(struct run_result *run, int autogroup, int terminal, const char *distorting)
{
	run->nwarnings = 0;
	run->host.autogroup = autogroup;
	run->host.terminal = terminal;
	snprintf(run->host.distorting, sizeof(run->host.distorting), "%s", distorting);
	fs_environment_warn(run);
	return run->nwarnings;
}

static void test_run(void **state)
{
	static struct run_result run;

	(void)state;
	assert_int_equal(warnings(&run, 1, 1, ""), 0);
	assert_int_equal(warnings(&run, 0, 0, ""), 0);
	assert_int_equal(warnings(&run, 1, -1, ""), 0);
	assert_int_equal(warnings(&run, -1, 0, ""), 0);
	assert_int_equal(warnings(&run, 1, 0, ""), 1);
	assert_non_null(strstr(run.warnings[0], "kernel.sched_autogroup_enabled=0"));
	assert_int_equal(warnings(&run, 1, 1, "KASAN slub_debug=FZ"), 1);
	assert_non_null(strstr(run.warnings[0], "use one without KASAN slub_debug=FZ"));
}

static unsigned notes(const char *governor)
{
	struct capture capture;
	struct fs_host h = { .autogroup = -1 };

	snprintf(h.governor, sizeof(h.governor), "%s", governor);
	capture_start(&capture);
	fs_environment_note(&h);
	return capture_end(&capture);
}

static void test_governor(void **state)
{
	(void)state;
	assert_int_equal(notes(""), 0);
	assert_int_equal(notes("performance"), 0);
	assert_int_equal(notes("mixed"), 1);
	assert_int_equal(notes("schedutil"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window), cmocka_unit_test(test_unknown), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_background), cmocka_unit_test(test_run), cmocka_unit_test(test_governor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
