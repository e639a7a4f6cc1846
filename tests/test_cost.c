// SPDX-License-Identifier: GPL-2.0-or-later
/* The regime of a window, and what its log took. */
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/cost.h"

enum { MIB = 1 << 20 };

/* 10 s, 1000 ops that wrote 4 KiB each and kept the device busy for 6 s. */
static struct stage_result busy(void)
{
	struct stage_result r;

	fs_stage_result_init(&r, NULL);
	r.status = STATUS_PASSED;
	r.ops = 1000;
	r.measured_s = 10;
	r.duty = 1;
	r.device_io = (struct device_io){
		.known = true, .writes = 1000, .write_bytes = 1000 * 4096, .discards = FS_UNKNOWN,
		.busy_s = 6, .queue_s = 6, .flush_s = NAN,
	};
	return r;
}

static void test_memory(void **state)
{
	struct stage_result r = busy();

	(void)state;
	r.device_io.busy_s = 0.49;
	assert_int_equal(fs_regime(&r), REGIME_MEMORY);
	r.device_io.busy_s = 0.51;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io.queue_s = 0.49;		/* ticks make more of it than it was */
	assert_int_equal(fs_regime(&r), REGIME_MEMORY);
	r.device_io.busy_s = 0.1;
	r.device_io.queue_s = 6;
	r.device_io.flush_s = 0.39;
	assert_int_equal(fs_regime(&r), REGIME_MEMORY);
	r.device_io.flush_s = 0.41;		/* flushes count as well */
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r = busy();
	r.device_io.busy_s = 0.4;
	r.duty = 0.5;				/* may have been in 5 s */
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
}

/* Somebody else keeps the device busy. */
static void test_alien(void **state)
{
	struct stage_result r = busy();

	(void)state;
	r.ops = 1010000;
	assert_int_equal(fs_regime(&r), REGIME_MEMORY);
	r.device_io.reads = 11;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io.reads = 0;
	r.device_io.read_bytes = 1010000 * 12ull;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
}

static void test_log(void **state)
{
	struct stage_result r = busy();

	(void)state;
	r.log_bytes = 500 * 4096;
	assert_int_equal(fs_regime(&r), REGIME_LOG);
	r.device_io.read_bytes = 1;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io.read_bytes = 0;
	r.log_bytes--;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io.flushes = 1000;		/* it is known that they are not the log's */
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.log_bytes = FS_UNKNOWN;
	r.device_io.flushes = 500;
	assert_int_equal(fs_regime(&r), REGIME_LOG);
	r.device_io.flushes = 499;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io.writes = 998;
	assert_int_equal(fs_regime(&r), REGIME_LOG);
	r.device_io.writes = 6000;
	r.device_io.flushes = 500;
	assert_int_equal(fs_regime(&r), REGIME_LOG);
	r.device_io.flushes = FS_UNKNOWN;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io = (struct device_io){ .known = true, .reads = 600, .read_bytes = 600 * 4096,
					  .busy_s = 6, .queue_s = 6 };
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
}

static void test_device(void **state)
{
	struct stage_result r = busy();

	(void)state;
	r.device_io.writes = 499;
	r.device_io.busy_s = 4.9;
	assert_int_equal(fs_regime(&r), REGIME_MIXED);
	r.device_io.reads = 1;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
	r.device_io.reads = 0;
	r.device_io.busy_s = 5;
	assert_int_equal(fs_regime(&r), REGIME_DEVICE);
}

static void test_unknown(void **state)
{
	struct stage_result r = busy();

	(void)state;
	r.ops = 0;
	assert_int_equal(fs_regime(&r), REGIME_UNKNOWN);
	r = busy();
	r.device_io.known = false;
	assert_int_equal(fs_regime(&r), REGIME_UNKNOWN);
	r = busy();
	r.duty = 0;
	assert_int_equal(fs_regime(&r), REGIME_UNKNOWN);
}

static void xfs(struct fs_mount_counters *c, uint64_t log_bytes)
{
	char text[64];

	*c = (struct fs_mount_counters){ .n = 0 };
	snprintf(text, sizeof(text), "log 1 %llu 0 0 0\n", (unsigned long long)log_bytes / 512);
	fs_mount_counters_parse(XFS_SUPER_MAGIC, 0, text, c);
}

static struct stage_result turned(uint64_t log_bytes)
{
	const struct fs_target t = { .log_bytes = 64 * MIB };
	struct stage_result r = busy();
	struct fs_mount_counters a, b;

	r.device_io.write_bytes = 200 * MIB;
	xfs(&a, 0);
	xfs(&b, log_bytes);
	fs_cost(&r, &t, &a, &b);
	assert_int_equal(r.log_bytes, log_bytes);
	assert_int_equal(r.nmount_counts, 6);
	return r;
}

static void test_turnover(void **state)
{
	struct stage_result r = turned(32 * MIB);

	(void)state;
	assert_float_equal(r.log_turnover, 0.5, 1e-9);
	assert_int_equal(r.regime, REGIME_MIXED);
	assert_int_equal(r.nwarnings, 1);
	assert_non_null(strstr(r.warnings[0], "two regimes: 0.5 times"));
	assert_int_equal(turned(128 * MIB).regime, REGIME_MIXED);
	assert_int_equal(turned(128 * MIB + 512).regime, REGIME_LOG);
	r = turned(32 * MIB - 512);
	assert_int_equal(r.regime, REGIME_DEVICE);
	assert_int_equal(r.nwarnings, 0);
	r.log_turnover = 1;			/* but nobody can have waited for it */
	r.device_io.busy_s = 0;
	assert_int_equal(fs_regime(&r), REGIME_MEMORY);
}

static void jbd2(struct fs_mount_counters *c, const char *info, const char *fast)
{
	*c = (struct fs_mount_counters){ .block_size = 4096 };
	fs_mount_counters_parse(EXT4_SUPER_MAGIC, 0, info, c);
	fs_mount_counters_parse(EXT4_SUPER_MAGIC, 1, fast, c);
}

/* 4 to 4.99 blocks a transaction. */
static void test_rounded(void **state)
{
	struct stage_result r = busy();
	struct fs_mount_counters a, b;

	(void)state;
	jbd2(&a, "0 transactions (0 requested), each up to 9 blocks\n", "1 numblks");
	jbd2(&b, "101 transactions (9 requested), each up to 9 blocks\n"
		 " 4 logged blocks per transaction\n", "1 numblks");
	fs_cost(&r, NULL, &a, &b);
	assert_int_equal(r.log_bytes, (4 * 101 + 50) * 4096);
	assert_true(isnan(r.log_turnover));
	r = busy();
	r.device_io.write_bytes = 410 * 4096;	/* then it was not more than that */
	fs_cost(&r, NULL, &a, &b);
	assert_int_equal(r.log_bytes, 410 * 4096);
	r = busy();
	r.device_io.write_bytes = 1;
	r.device_io.known = false;
	fs_cost(&r, NULL, &a, &b);
	assert_int_equal(r.log_bytes, (4 * 101 + 50) * 4096);
	r = busy();
	jbd2(&b, "0 transactions (0 requested), each up to 9 blocks\n", "3 numblks");
	fs_cost(&r, NULL, &a, &b);
	assert_int_equal(r.log_bytes, 2 * 4096);
	r = busy();
	jbd2(&b, "", "3 numblks");		/* a journal that is not to be found */
	fs_cost(&r, NULL, &a, &b);
	assert_int_equal(r.log_bytes, FS_UNKNOWN);
	r = busy();
	xfs(&a, 0);
	xfs(&b, MIB);
	r.device_io.write_bytes = 1;		/* its log is on another device */
	fs_cost(&r, NULL, &a, &b);
	assert_int_equal(r.log_bytes, MIB);
}

static void test_no_device(void **state)
{
	const struct fs_target memory = { .in_memory = true, .log_bytes = 0 };
	const struct fs_mount_counters none = { .n = 0 };
	struct stage_result r = busy();

	(void)state;
	r.device_io.known = false;
	fs_cost(&r, &memory, &none, &none);
	assert_int_equal(r.regime, REGIME_MEMORY);
	assert_int_equal(r.nmount_counts, 0);
	assert_int_equal(r.log_bytes, FS_UNKNOWN);
	fs_cost(&r, NULL, &none, &none);
	assert_int_equal(r.regime, REGIME_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_alien),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_turnover),
		cmocka_unit_test(test_rounded),
		cmocka_unit_test(test_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
