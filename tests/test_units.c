/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/units.h"
#include "platform/clock.h"
#include "platform/compiler.h"

typedef int scan(const char *text, uint64_t *value);

struct accepted {
	const char *text;
	uint64_t value;
};

static void check_accepted(scan *scan_one, const struct accepted *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = UINT64_MAX / 3;

		if (scan_one(table[i].text, &value) || value != table[i].value)
			fail_msg("'%s' gave %llu", table[i].text, (unsigned long long)value);
	}
}

static void check_refused(scan *scan_one, int err, const char *const *table)
{
	for (; *table; table++) {
		uint64_t value;
		const int rc = scan_one(*table, &value);

		if (rc != err)
			fail_msg("'%s' gave %d, not %d", *table, rc, err);
	}
}

static void test_durations(void **state)
{
	static const struct accepted good[] = {
		{ "60", 60 * FS_NSEC_PER_SEC }, { "0.2", 200 * FS_NSEC_PER_MSEC },
		{ "60s", 60 * FS_NSEC_PER_SEC }, { "1.5s", 1500 * FS_NSEC_PER_MSEC },
		{ "500ms", 500 * FS_NSEC_PER_MSEC }, { "2m", 120 * FS_NSEC_PER_SEC },
		{ "1h", 3600 * FS_NSEC_PER_SEC }, { "1m30s", 90 * FS_NSEC_PER_SEC },
		{ "0", 0 }, { "0s", 0 }, { "007", 7 * FS_NSEC_PER_SEC },
		{ "1.5h", 5400 * FS_NSEC_PER_SEC },
		{ "1h2m3s4ms", 3723004 * FS_NSEC_PER_MSEC },
		{ "1h5ms", 3600005 * FS_NSEC_PER_MSEC },
		{ "1m1.5s", 61500 * FS_NSEC_PER_MSEC }, { "90m", 5400 * FS_NSEC_PER_SEC },
		{ "0.000000001", 1 }, { "0.000001ms", 1 },
		{ "1.00000000000000000000", FS_NSEC_PER_SEC },
		{ "0.1", 100 * FS_NSEC_PER_MSEC }, { "0.3", 300 * FS_NSEC_PER_MSEC },
		{ "87600h", 315360000 * FS_NSEC_PER_SEC },
	};
	static const char *const bad[] = {
		"", " ", " 4", "4 ", "4 s", "-1", "+1", "1e3", "1e9", ".5", "5.", "5.s", "1..5",
		"1.5.5", "1,5", "s", "ms", "1S", "1M", "1sec", "1min", "1d", "1w", "1y", "1us",
		"1ns", "1m30", "30s1m", "1m2m", "1s1s", "1ms1s", "1.5m30s", "1m 30s", "0x10",
		"inf", "nan", "ten", "5%", "1s\n", "0.0000000001", "0.0000001ms",
		"99999999999999999999999d", NULL
	};
	static const char *const huge[] = {
		"87601h", "315360001", "99999999999999999999999", "99999999999999999999999h",
		"5124096h", "315360000.1", "87600h1ms", NULL
	};

	(void)state;
	check_accepted(fs_scan_duration, good, FS_ARRAY_SIZE(good));
	check_refused(fs_scan_duration, -EINVAL, bad);
	check_refused(fs_scan_duration, -ERANGE, huge);
}

static void test_sizes(void **state)
{
	static const struct accepted good[] = {
		{ "4096", 4096 }, { "0", 0 }, { "1", 1 },
		{ "64K", 65536 }, { "64Ki", 65536 }, { "64KiB", 65536 }, { "64KB", 64000 },
		{ "64kB", 64000 },
		{ "3M", 3145728 }, { "3Mi", 3145728 }, { "3MiB", 3145728 }, { "3MB", 3000000 },
		{ "4G", 4294967296 }, { "4Gi", 4294967296 }, { "4GiB", 4294967296 },
		{ "4GB", 4000000000 },
		{ "2T", 2199023255552 }, { "2Ti", 2199023255552 }, { "2TiB", 2199023255552 },
		{ "2TB", 2000000000000 }, { "18446744073709551615", UINT64_MAX },
		{ "16777215T", 16777215ull << 40 },
	};
	static const char *const bad[] = {
		"", " ", "K", "GiB", "10%", "4 G", " 4", "4g2", "4g", "4k", "64ki", "64kiB",
		"4iB", "4i", "4B", "4b", "-1", "+1", "1e9", "1.5G", "0x10", "4GiB ", "4Gib",
		"4GIB", "4GBi", "4GG", "4P", "4E", "4\n", "999999999999999999999X", NULL
	};
	static const char *const huge[] = {
		"999999999999G", "18446744073709551616", "99999999999999999999999", "16777216T",
		"18446745TB", NULL
	};

	(void)state;
	check_accepted(fs_scan_size, good, FS_ARRAY_SIZE(good));
	check_refused(fs_scan_size, -EINVAL, bad);
	check_refused(fs_scan_size, -ERANGE, huge);
}

static void test_counts(void **state)
{
	static const struct accepted good[] = {
		{ "0", 0 }, { "2000", 2000 }, { "010", 10 }, { "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = {
		"", " ", "-1", "+1", "1 ", " 1", "1K", "1.0", "1e3", "0x10", "ten", "%",
		"99999999999999999999999x", NULL
	};
	static const char *const huge[] = { "18446744073709551616", "184467440737095516150", NULL };

	(void)state;
	check_accepted(fs_scan_count, good, FS_ARRAY_SIZE(good));
	check_refused(fs_scan_count, -EINVAL, bad);
	check_refused(fs_scan_count, -ERANGE, huge);
}

static void test_rates(void **state)
{
	static const char *const bad[] = { "", ".", "-1", "+1", "1e3", " 1", "1K", "inf", "nan", "0x10", "1.2.3" };
	static const char *const off[] = { "0", "0.0009", "1000.5", "99999999999999999999" };
	double rate = 42;

	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(bad); i++)
		assert_int_equal(fs_scan_rate(bad[i], 1000, &rate), -EINVAL);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(off); i++)
		assert_int_equal(fs_scan_rate(off[i], 1000, &rate), -ERANGE);
	assert_true(rate == 42);
	assert_int_equal(fs_scan_rate("0.001", 1000, &rate), 0);
	assert_true(rate == 0.001);
	assert_int_equal(fs_scan_rate("1000", 1000, &rate), 0);
	assert_true(rate == 1000);
}

static void check_duration(uint64_t ns, const char *expected)
{
	char text[32];

	assert_string_equal(fs_print_duration(ns, text, sizeof(text)), expected);
}

static void check_size(uint64_t bytes, const char *expected)
{
	char text[32];

	assert_string_equal(fs_print_size(bytes, text, sizeof(text)), expected);
}

static void test_print(void **state)
{
	char little[6];

	(void)state;
	check_duration(10 * FS_NSEC_PER_SEC, "10 s");
	check_duration(1500 * FS_NSEC_PER_MSEC, "1.5 s");
	check_duration(3012 * FS_NSEC_PER_MSEC, "3.012 s");
	check_duration(500 * FS_NSEC_PER_MSEC, "500 ms");
	check_duration(90 * FS_NSEC_PER_SEC, "1 m 30 s");
	check_duration(3600 * FS_NSEC_PER_SEC, "1 h");
	check_duration(3605 * FS_NSEC_PER_SEC, "1 h 5 s");
	check_duration(119900 * FS_NSEC_PER_MSEC, "2 m");
	check_duration(250 * FS_NSEC_PER_USEC, "250 us");
	check_duration(999, "999 ns");
	check_duration(0, "0 s");
	check_size(64 << 20, "64 MiB");
	check_size(3ull << 29, "1.5 GiB");
	check_size(4000000000, "3.725 GiB");
	check_size(1023, "1023 bytes");
	check_size(1024, "1 KiB");
	check_size(0, "0 bytes");
	check_size(UINT64_MAX, "16777215.999 TiB");
	fs_print_duration(3725 * FS_NSEC_PER_SEC, little, sizeof(little));
	assert_string_equal(little, "1 h 2");
}

static void test_nearest(void **state)
{
	static const char *const names[] = {
		"fallocate", "fiemap", "iomix", "lease", "revio", "io-uring", NULL
	};
	static const char *const none[] = { NULL };
	char longest[200];

	(void)state;
	assert_string_equal(fs_nearest("fiemap", names), "fiemap");
	assert_string_equal(fs_nearest("fiemp", names), "fiemap");
	assert_string_equal(fs_nearest("feimap", names), "fiemap");	/* swapped: one step */
	assert_string_equal(fs_nearest("falocate", names), "fallocate");
	assert_string_equal(fs_nearest("fallocat3", names), "fallocate");
	assert_string_equal(fs_nearest("iouring", names), "io-uring");
	assert_string_equal(fs_nearest("leese", names), "lease");
	assert_null(fs_nearest("umount", names));
	assert_null(fs_nearest("xyz", names));
	assert_null(fs_nearest("", names));
	assert_null(fs_nearest("fiemap", none));
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(fs_nearest(longest, (const char *const[]){ longest, NULL }));
}

/* At most a third of the word's length + 1 steps; a swap is one step, not two. */
static void test_nearest_limit(void **state)
{
	(void)state;
	assert_non_null(fs_nearest("abcdef", (const char *const[]){ "abcxyz", NULL }));
	assert_null(fs_nearest("abcdef", (const char *const[]){ "abuxyz", NULL }));
	assert_non_null(fs_nearest("ab", (const char *const[]){ "ba", NULL }));
	assert_null(fs_nearest("ab", (const char *const[]){ "cd", NULL }));
	assert_string_equal(fs_nearest("abcd", (const char *const[]){ "abxy", "abxd", NULL }),
			    "abxd");
	assert_string_equal(fs_nearest("abcd", (const char *const[]){ "abxd", "abyd", NULL }),
			    "abxd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_counts), cmocka_unit_test(test_rates),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_nearest_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
