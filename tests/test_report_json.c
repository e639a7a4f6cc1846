// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON: values, keys, and how it gets into a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/report_parts.h"
#include "tests/golden.h"
#include "tests/results.h"

static char *json_text(const struct run_result *runs, unsigned nruns)
{
	char path[] = "/tmp/fsstress-test.XXXXXX", *text;

	close(mkstemp(path));
	assert_int_equal(fs_report_json(path, runs, nruns), 0);
	text = slurp_file(path);
	unlink(path);
	return text;
}

static void test_json(void **state)
{
	struct toy_run a, b;
	struct run_result runs[2];
	json_t *json;
	char *text;

	(void)state;
	toy_run_make(&a, &runs[0]);
	toy_run_make(&b, &runs[1]);
	toy_second_run(&runs[1]);
	text = json_text(runs, 2);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_true(json_is_array(json));
	assert_int_equal(json_array_size(json), 2);
	json_decref(json);
	golden("json", json_text(runs, 1));
}

/* Objects whose keys are data. */
static bool keyed_by_data(const char *path)
{
	static const char *const paths[] = {
		"host.mitigations", "stages.options", "stages.errors",
		"stages.metrics",   "stages.kinds",   "stages.fs_counters",
	};

	for (unsigned i = 0; i < FS_ARRAY_SIZE(paths); i++) {
		if (!strcmp(path, paths[i]))
			return true;
	}
	return false;
}

static void list_keys(FILE *out, const char *path, json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(json, key, value) {
		char below[256];

		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "." : "",
			 keyed_by_data(path) ? "*" : key);
		fprintf(out, "%s\n", below);
		list_keys(out, below, value);
	}
	json_array_foreach(json, i, value)
		list_keys(out, path, value);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The keys are an interface: none may go. Each stage alone has all of its keys, whatever became of
 * it, also in a plan. */
static void test_json_keys(void **state)
{
	struct toy_run t;
	struct run_result run;
	char *text, *lines[512], *sorted = NULL, *rest;
	size_t n = 0, size;
	unsigned per_stage;
	json_t *json, *stages;
	FILE *out;

	(void)state;
	toy_run_make(&t, &run);
	text = json_text(&run, 1);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	stages = json_object_get(json, "stages");
	per_stage = (unsigned)json_object_size(json_array_get(stages, 0));
	for (size_t i = 0; i < json_array_size(stages); i++)
		assert_int_equal(json_object_size(json_array_get(stages, i)), per_stage);
	out = open_memstream(&text, &size);
	list_keys(out, "", json);
	fclose(out);
	json_decref(json);
	rest = text;
	for (char *line; n < FS_ARRAY_SIZE(lines) && (line = strsep(&rest, "\n")) && *line; )
		lines[n++] = line;
	qsort(lines, n, sizeof(lines[0]), compare_lines);
	out = open_memstream(&sorted, &size);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(lines[i], lines[i - 1]))
			fprintf(out, "%s\n", lines[i]);
	}
	fclose(out);
	free(text);
	golden("json-keys", sorted);
}

static void test_json_plan(void **state)
{
	struct toy_run t;
	struct run_result run;
	json_t *json, *stage;
	char *text;

	(void)state;
	toy_run_make(&t, &run);
	run.dry = true;
	for (unsigned i = 0; i < TOYS; i++)
		fs_stage_result_init(&t.results[i], &t.stages[i]);
	text = json_text(&run, 1);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_int_equal(json_integer_value(json_object_get(json, "planned")), TOYS);
	stage = json_array_get(json_object_get(json, "stages"), 1);
	assert_true(json_is_null(json_object_get(stage, "status")));
	assert_true(json_is_null(json_object_get(stage, "ops")));
	assert_int_equal(json_array_size(json_object_get(stage, "cpus")), 2);
	json_decref(json);
}

/* A path of any bytes: readable, and exact beside it. */
static void test_json_path(void **state)
{
	struct toy_run t;
	struct run_result run;
	json_t *json, *target;
	char *text;

	(void)state;
	toy_run_make(&t, &run);
	strcpy(run.target.path, "/a \"b\"\n\xff\xc3\xa4");
	text = json_text(&run, 1);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	target = json_object_get(json, "target");
	assert_string_equal(json_string_value(json_object_get(target, "path")),
			    "/a \"b\"\\x0a\\xff\xc3\xa4");
	assert_string_equal(json_string_value(json_object_get(target, "path_hex")),
			    "2f61202262220affc3a4");
	json_decref(json);
}

static unsigned entries(const char *directory)
{
	char command[128];
	FILE *f;
	unsigned n = 0;

	snprintf(command, sizeof(command), "ls -A %s", directory);
	f = popen(command, "r");
	for (int c; (c = fgetc(f)) != EOF; )
		n += c == '\n';
	pclose(f);
	return n;
}

/* Replaced whole, or untouched and nothing beside it. */
static void test_json_file(void **state)
{
	char directory[] = "/tmp/fsstress-test.XXXXXX", path[64], long_path[400];
	struct toy_run t;
	struct run_result run;
	struct stat st;

	(void)state;
	toy_run_make(&t, &run);
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/out", directory);
	fclose(fopen(path, "w"));
	assert_int_equal(fs_report_json(path, &run, 1), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 1000);
	assert_int_equal(entries(directory), 1);
	snprintf(long_path, sizeof(long_path), "%s/%0300d", directory, 0);
	assert_int_equal(fs_report_json(long_path, &run, 1), -ENAMETOOLONG);
	assert_int_equal(entries(directory), 1);
	snprintf(long_path, sizeof(long_path), "%s/none/out", directory);
	assert_int_equal(fs_report_json(long_path, &run, 1), -ENOENT);
	snprintf(long_path, sizeof(long_path), "%s/full", directory);
	assert_int_equal(symlink("/dev/full", long_path), 0);
	assert_int_equal(fs_report_json(long_path, &run, 1), -ENOSPC);
	assert_int_equal(fs_report_json(directory, &run, 1), -EISDIR);
	assert_int_equal(entries(directory), 2);
	unlink(long_path);
	unlink(path);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_keys),
		cmocka_unit_test(test_json_plan),
		cmocka_unit_test(test_json_path),
		cmocka_unit_test(test_json_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
