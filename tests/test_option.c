// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_option.c - option values into a state and back
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/option.h"
#include "core/plan.h"
#include "tests/capture.h"

enum { RED, GREEN, BLUE };
static const char *const colours[] = { "red", "green", "blue", NULL };
static const char *const marks[] = { "sync", "direct", "noatime", NULL };
static const char *const kinds[] = { "read", "write", "stat", NULL };

struct state {
	uint64_t bytes, count;
	int colour;
	unsigned marks;
	uint8_t mix[3];
	uint32_t pace[3];
	uint64_t behind;
};

static const struct fs_option options[] = {
	FS_OPT_SIZE(struct state, bytes, "64K", 1, 1ull << 50, "a size"),
	FS_OPT_COUNT(struct state, count, "7", 1, 100, "a count"),
	FS_OPT_ENUM(struct state, colour, "red", colours, "an enum"),
	FS_OPT_FLAGS(struct state, marks, "none", marks, "flags"),
	FS_OPT_WEIGHTS(struct state, mix, "read=10,stat=5", kinds, "weights", .only = "plain"),
	FS_OPT_RATES(struct state, pace, "stat@100", kinds, "rates", .only = "blue"),
	FS_OPT_END
};

static const struct fs_variant plain = { .name = "plain" };
static const struct fs_variant blue = { .name = "blue", .defaults = "colour=blue bytes=1M" };
static const struct fs_variant broken = { .name = "broken", .defaults = "color=blue" };
static const struct fs_stressor stressor = { .name = "paint",
					     .options = options,
					     .state_size = sizeof(struct state) };

static int parse(const char *name, const char *value, struct state *s, char *why)
{
	const struct fs_option *o = fs_option_find(options, name);

	assert_non_null(o);
	return fs_option_parse(o, value, s, why);
}

static void test_defaults(void **unused)
{
	char why[OPTION_WHY_MAX];
	struct state s;

	(void)unused;
	memset(&s, 0xff, sizeof(s));
	assert_int_equal(fs_option_defaults(&stressor, &plain, &s, why), 0);
	assert_int_equal(s.bytes, 65536);
	assert_int_equal(s.count, 7);
	assert_int_equal(s.colour, RED);
	assert_int_equal(s.marks, 0);
	assert_int_equal(s.mix[0], 10);
	assert_int_equal(s.mix[1], 0);
	assert_int_equal(s.mix[2], 5);
	assert_int_equal(s.pace[0], 0);
	assert_int_equal(s.pace[2], 100);
	assert_int_equal(s.behind, 0);
	assert_int_equal(fs_option_defaults(&stressor, &blue, &s, why), 0);
	assert_int_equal(s.colour, BLUE);
	assert_int_equal(s.bytes, 1 << 20);
	assert_int_equal(s.count, 7);
	assert_int_equal(fs_option_defaults(&stressor, &broken, &s, why), -EINVAL);
	assert_non_null(strstr(why, "color"));
}

static void test_sizes(void **unused)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "4GiB", 4294967296 }, { "4Gi", 4294967296 }, { "4G", 4294967296 },
		{ "4GB", 4000000000 },	{ "4096", 4096 },      { "1", 1 },
	};
	static const char *const bad[] = { "10%",	    "4 G", "4g2", "4iB", "-1",	"1e9",
					   "999999999999G", "",	   " 4",  "0",	 "0x10" };
	struct state s = { .bytes = 42 };
	char why[OPTION_WHY_MAX];

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(bad); i++) {
		strcpy(why, "");
		assert_int_not_equal(parse("bytes", bad[i], &s, why), 0);
		assert_int_equal(s.bytes, 42);
		assert_string_not_equal(why, "");
	}
	for (unsigned i = 0; i < FS_ARRAY_SIZE(good); i++) {
		assert_int_equal(parse("bytes", good[i].text, &s, why), 0);
		assert_int_equal(s.bytes, good[i].bytes);
	}
}

static void test_range(void **unused)
{
	struct state s = { .count = 42 };
	char why[OPTION_WHY_MAX];

	(void)unused;
	assert_int_equal(parse("count", "100", &s, why), 0);
	assert_int_equal(s.count, 100);
	assert_int_equal(parse("count", "101", &s, why), -ERANGE);
	assert_non_null(strstr(why, "1 to 100"));
	assert_int_equal(parse("count", "0", &s, why), -ERANGE);
	assert_int_equal(parse("count", "99999999999999999999999", &s, why), -ERANGE);
	assert_int_equal(parse("count", "5K", &s, why), -EINVAL);
	assert_int_equal(s.count, 100);
}

static void test_names(void **unused)
{
	struct state s = { .colour = RED };
	char why[OPTION_WHY_MAX];

	(void)unused;
	assert_int_equal(parse("colour", "green", &s, why), 0);
	assert_int_equal(s.colour, GREEN);
	assert_int_equal(parse("colour", "gren", &s, why), -EINVAL);
	assert_non_null(strstr(why, "did you mean green?"));
	assert_int_equal(parse("colour", "gr", &s, why), -EINVAL);
	assert_int_equal(parse("colour", "green,blue", &s, why), -EINVAL);
	assert_int_equal(parse("colour", "Green", &s, why), -EINVAL);
	assert_int_equal(parse("colour", "qqqqqqqqq", &s, why), -EINVAL);
	assert_non_null(strstr(why, "red green blue"));
	assert_int_equal(s.colour, GREEN);
}

static void test_flags(void **unused)
{
	struct state s = { .marks = 0 };
	char why[OPTION_WHY_MAX];

	(void)unused;
	assert_int_equal(parse("marks", "direct+sync", &s, why), 0);
	assert_int_equal(s.marks, 3);
	assert_int_equal(parse("marks", "direct,noatime", &s, why), 0);
	assert_int_equal(s.marks, 6);
	assert_int_equal(parse("marks", "direct+", &s, why), -EINVAL);
	assert_int_equal(parse("marks", "direct+noatme", &s, why), -EINVAL);
	assert_non_null(strstr(why, "noatime"));
	assert_int_equal(s.marks, 6);
	assert_int_equal(parse("marks", "none", &s, why), 0);
	assert_int_equal(s.marks, 0);
}

static void test_weights(void **unused)
{
	static const char *const bad[] = { "read",    "read=",	 "read=256",	    "read=-1",
					   "reed=1",  "read=1,", "read=1 ,write=2", "=1",
					   "read=1=2" };
	struct state s = { .mix = { 9, 9, 9 }, .behind = 1 };
	char why[OPTION_WHY_MAX];

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(bad); i++) {
		assert_int_equal(parse("mix", bad[i], &s, why), -EINVAL);
		assert_int_equal(s.mix[0], 9);
	}
	assert_int_equal(parse("mix", "write=90,stat=255", &s, why), 0);
	assert_int_equal(s.mix[0], 0);
	assert_int_equal(s.mix[1], 90);
	assert_int_equal(s.mix[2], 255);
	assert_int_equal(s.behind, 1);
}

static void test_rates(void **unused)
{
	static const char *const bad[] = { "read", "read@", "read=5", "read@1000001", "read@-1", "read@1.5",
					   "reed@1", "read@1,", "@1" };
	struct state s = { .pace = { 9, 9, 9 }, .behind = 1 };
	char why[OPTION_WHY_MAX];

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(bad); i++) {
		assert_int_equal(parse("pace", bad[i], &s, why), -EINVAL);
		assert_int_equal(s.pace[0], 9);
	}
	assert_int_equal(parse("pace", "write@90,stat@1000000", &s, why), 0);
	assert_int_equal(s.pace[0], 0);
	assert_int_equal(s.pace[1], 90);
	assert_int_equal(s.pace[2], 1000000);
	assert_int_equal(s.behind, 1);
}

static void test_of_one_variant(void **unused)
{
	(void)unused;
	assert_true(fs_option_applies(fs_option_find(options, "pace"), &blue));
	assert_false(fs_option_applies(fs_option_find(options, "pace"), &plain));
	assert_true(fs_option_applies(fs_option_find(options, "bytes"), &plain));
}

/* What is printed can be typed back and gives the same state. */
static void test_print(void **unused)
{
	static const struct {
		const char *name, *value, *printed;
	} table[] = {
		{ "bytes", "64K", "65536" }, { "count", "8", "8" }, { "colour", "blue", "blue" },
		{ "marks", "noatime,sync", "sync+noatime" }, { "marks", "none", "none" },
		{ "mix", "stat=1,read=2", "read=2,stat=1" },
		{ "pace", "stat@1000,read@2", "read@2,stat@1000" },
	};
	char why[OPTION_WHY_MAX], text[256];

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++) {
		const struct fs_option *o = fs_option_find(options, table[i].name);
		struct state s = { .count = 1 }, again = { .count = 1 };

		assert_int_equal(fs_option_parse(o, table[i].value, &s, why), 0);
		assert_true(fs_option_print(o, &s, text, sizeof(text)) > 0);
		assert_string_equal(text, table[i].printed);
		assert_int_equal(fs_option_parse(o, text, &again, why), 0);
		assert_memory_equal(&s, &again, sizeof(s));
	}
}

static void test_given_error(void **unused)
{
	struct capture c;

	(void)unused;
	capture_start(&c);
	assert_int_equal(fs_given_error("--fiemap-extents", "fiemap-extents", "5x", "bad"),
			 -EINVAL);
	fs_given_error("dir/j:12", "fiemap-extents", "5x", "bad");
	fs_given_error("--a", "a", NULL, "bad\n%s", "line");
	assert_int_equal(capture_end(&c), 3);
	assert_string_equal(
		c.text,
		"fsstress: --fiemap-extents 5x: bad\nfsstress: dir/j:12: fiemap-extents = 5x: bad\n"
		"fsstress: --a: bad\\x0aline\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_range),	 cmocka_unit_test(test_names),
		cmocka_unit_test(test_flags),	 cmocka_unit_test(test_weights),
		cmocka_unit_test(test_rates),	 cmocka_unit_test(test_of_one_variant),
		cmocka_unit_test(test_print),	 cmocka_unit_test(test_given_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
