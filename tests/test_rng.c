/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "platform/compiler.h"

/* Test vectors in wide use: seed 1234567. */
static void test_splitmix64(void **state)
{
	static const uint64_t expected[] = {
		6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
		4593380528125082431u, 16408922859458223821u,
	};
	uint64_t x = 1234567;

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(expected); i++)
		assert_int_equal(fs_splitmix64(&x), expected[i]);
}

/* The state { 1, 2, 3, 4 } of the reference implementation. */
static void test_xoshiro256(void **state)
{
	static const uint64_t expected[] = {
		11520u, 0u, 1509978240u, 1215971899390074240u, 1216172134540287360u,
		607988272756665600u, 16172922978634559625u, 8476171486693032832u,
		10595114339597558777u, 2904607092377533576u,
	};
	struct fs_rng r = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(expected); i++)
		assert_int_equal(fs_rng_next(&r), expected[i]);
}

static void test_fnv1a64(void **state)
{
	(void)state;
	assert_int_equal(fs_fnv1a64(""), 0xcbf29ce484222325u);
	assert_int_equal(fs_fnv1a64("a"), 0xaf63dc4c8601ec8cu);
	assert_int_equal(fs_fnv1a64("foobar"), 0x85944171f73967e8u);
	assert_int_equal(fs_fnv1a64("\xff"), (0xcbf29ce484222325u ^ 0xff) * 0x100000001b3u);
}

static unsigned matches(struct fs_rng a, struct fs_rng b)
{
	unsigned equal = 0;

	for (int i = 0; i < 1000; i++)
		equal += fs_rng_next(&a) == fs_rng_next(&b);
	return equal;
}

static void test_streams(void **state)
{
	struct fs_rng r, same, seed, key, worker;
	uint64_t x = 42 ^ fs_fnv1a64("fiemap.warm") ^ 3;

	(void)state;
	fs_rng_seed(&r, 42, "fiemap.warm", 3);
	for (int i = 0; i < 4; i++)
		assert_int_equal(r.s[i], fs_splitmix64(&x));
	fs_rng_seed(&same, 42, "fiemap.warm", 3);
	fs_rng_seed(&seed, 43, "fiemap.warm", 3);
	fs_rng_seed(&key, 42, "fiemap.cold", 3);
	fs_rng_seed(&worker, 42, "fiemap.warm", 4);
	assert_int_equal(matches(r, same), 1000);
	assert_int_equal(matches(r, seed), 0);
	assert_int_equal(matches(r, key), 0);
	assert_int_equal(matches(r, worker), 0);
}

static void test_below(void **state)
{
	static const uint64_t limits[] = { 1, 2, 3, 10, 1000, 0xffffffff };
	unsigned counts[10] = { 0 };
	struct fs_rng r;

	(void)state;
	fs_rng_seed(&r, 1, "below", 0);
	for (size_t l = 0; l < FS_ARRAY_SIZE(limits); l++)
		for (int i = 0; i < 10000; i++)
			assert_true(fs_rng_below(&r, limits[l]) < limits[l]);
	for (int i = 0; i < 100000; i++)
		counts[fs_rng_below(&r, 10)]++;
	for (int i = 0; i < 10; i++)	/* 10 standard deviations: any seed would pass */
		assert_in_range(counts[i], 9050, 10950);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_splitmix64),
		cmocka_unit_test(test_xoshiro256),
		cmocka_unit_test(test_fnv1a64),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
