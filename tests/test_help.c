// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_help.c - help, describe and the command as text
 */
#include <regex.h>

#include "core/help.h"
#include "tests/capture.h"

/* lkp-tests adds `--TEST-method all` where a line of --help says that there is such a method. */
static void test_help_and_lkp(void **unused)
{
	char *text = NULL, pattern[128];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)unused;
	fs_help_usage(out);
	fclose(out);
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		regex_t re;

		if (!e->stressor || !*e->stressor->variants->name)
			continue;
		snprintf(pattern, sizeof(pattern), "^ +--%s-method ", e->name);
		assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE), 0);
		assert_int_equal(regexec(&re, text, 0, NULL, 0), 0);
		regfree(&re);
		snprintf(pattern, sizeof(pattern), "^ +--%s-method .*(\\[.*all|all,)", e->name);
		assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE), 0);
		assert_int_equal(regexec(&re, text, 0, NULL, 0), REG_NOMATCH);
		regfree(&re);
	}
	free(text);
}

static void test_describe_json(void **unused)
{
	(void)unused;
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		json_t *json = fs_describe_json(e, NULL);

		assert_non_null(json);
		assert_string_equal(json_string_value(json_object_get(json, "name")), e->name);
		assert_int_equal(json_is_true(json_object_get(json, "built")), e->stressor != NULL);
		if (e->stressor) {
			const json_t *variant =
				json_array_get(json_object_get(json, "variants"), 0);

			assert_int_equal(
				json_integer_value(json_object_get(json, "workload_version")),
				e->stressor->version);
			assert_true(json_is_object(json_object_get(variant, "need")));
		}
		json_decref(json);
	}
}

static void test_command_line(void **unused)
{
	char *argv[] = { "./fsstress", "--target", "a b",	  "it's", "",
			 "\xff\nx'",   "10%",	   "--label=k=v", NULL };
	const struct config config = { .argc = 8, .argv = argv };
	char *text = fs_command_line(&config);

	(void)unused;
	assert_string_equal(
		text, "./fsstress --target 'a b' 'it'\\''s' '' $'\\xff\\x0ax\\'' 10% --label=k=v");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_and_lkp),
		cmocka_unit_test(test_describe_json),
		cmocka_unit_test(test_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
