// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every writer against a file in tests/golden. After a change that is meant, FSSTRESS_GOLDEN=update
 * writes the files anew; read their difference before you commit it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/report_parts.h"
#include "tests/golden.h"
#include "tests/results.h"

/* All of one format, as text. */
static char *written(void (*writer)(FILE *, const struct run_result *, unsigned),
		     const struct run_result *runs, unsigned nruns)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	writer(out, runs, nruns);
	fclose(out);
	return text;
}

static char *table_text(const struct run_result *runs, unsigned nruns, bool brief, bool times)
{
	FILE *f = tmpfile();
	char *text;

	assert_int_equal(fs_report_stress_ng(fileno(f), runs, nruns, brief, times), 0);
	rewind(f);
	text = slurp(f);
	fclose(f);
	return text;
}

static void test_text(void **state)
{
	struct toy_run a, b;
	struct run_result runs[2];

	(void)state;
	toy_run_make(&a, &runs[0]);
	golden("text", written(fs_report_text, runs, 1));
	toy_run_make(&b, &runs[1]);
	toy_second_run(&runs[1]);
	golden("text-two", written(fs_report_text, runs, 2));
}

static void plan_writer(FILE *out, const struct run_result *runs, unsigned nruns)
{
	assert_int_equal(nruns, 1);
	fs_report_plan(out, runs);
}

static void test_plan(void **state)
{
	struct fs_place places[] = {
		{ .cpu = 2, .node_os = 1, .kind = 0 }, { .cpu = 0, .node_os = 0, .kind = 1 },
		{ .cpu = 1, .node_os = 0, .kind = 1 }, { .cpu = 3, .node_os = 1, .kind = 0 },
	};
	const struct fs_topology topo = {
		.places = places, .nplaces = 4, .nnodes = 2, .nkinds = 2
	};
	static int cpus[] = { 9, 0, 2, 1, 5, 6, 0, 12, 10 }, helpers[] = { 3, 4 };
	struct fs_variant helped = toy_variant;
	struct toy_run t;
	struct run_result run;

	(void)state;
	toy_run_make(&t, &run);
	run.dry = true;
	golden("plan", written(plan_writer, &run, 1));
	run.topo = &topo;
	t.stages[0].cpus = cpus;
	t.stages[0].workers = 9;
	t.stages[0].oversubscribed = true;
	t.stages[1].ops = 1000;
	t.stages[1].need = (struct fs_need){ .aio_slots = 8 };
	t.stages[2].variant = &helped;
	t.stages[2].helper_cpus = helpers;
	helped.helpers = 2;
	t.cpus[3][0] = -1;
	golden("plan-places", written(plan_writer, &run, 1));
}

static void test_lkp(void **state)
{
	struct toy_run a, b;
	struct run_result runs[2];

	(void)state;
	toy_run_make(&a, &runs[0]);
	golden("lkp", written(fs_report_lkp, runs, 1));
	toy_run_make(&b, &runs[1]);
	b.results[TOY_PASSED].ops_per_sec = 1400;	/* a repetition: averaged */
	b.results[TOY_MIX].status = STATUS_FAILED;	/* one bad run makes it bad */
	toy_passed(&b, TOY_SKIPPED, 30);
	golden("lkp-repeated", written(fs_report_lkp, runs, 2));
	toy_second_run(&runs[1]);
	golden("lkp-targets", written(fs_report_lkp, runs, 2));
}

/* Cells of the line at *text, which is moved behind it, by the rules of RFC 4180. */
static unsigned csv_cells(const char **text)
{
	unsigned n = 1;

	for (bool quoted = false; quoted || **text != '\n'; ++*text) {
		assert_true(**text);
		quoted ^= **text == '"';
		n += !quoted && **text == ',';
	}
	++*text;
	return n;
}

static void test_csv(void **state)
{
	struct toy_run a, b;
	struct run_result runs[2];
	unsigned columns, rows = 0;
	char *text;

	(void)state;
	toy_run_make(&a, &runs[0]);
	toy_run_make(&b, &runs[1]);
	toy_second_run(&runs[1]);
	/* commas, quotes and line ends, which a path may have */
	strcpy(runs[1].target.path, "/mnt/\"a\",b\nc");
	runs[1].disk = NULL;
	runs[0].disk = "loop:2G,dir=/x";
	strcpy(b.results[TOY_STUCK].reason, "says \"no\"");
	b.stages[TOY_MIX].process = b.stages[TOY_MIX].together = true;
	b.results[TOY_MIX].usage_known = false;
	b.results[TOY_FAILED].ops_per_sec = 7.7;	/* not to be seen */
	fs_warn_add(b.results[TOY_MIX].warnings, &b.results[TOY_MIX].nwarnings, "a second, too");
	text = written(fs_report_csv, runs, 2);
	for (const char *at = text; *at; rows++) {
		const unsigned n = csv_cells(&at);

		columns = rows ? columns : n;
		assert_int_equal(n, columns);
	}
	assert_int_equal(rows, 1 + 2 * TOYS);
	golden("csv", text);
}

static void test_stress_ng(void **state)
{
	struct toy_run t;
	struct run_result run;

	(void)state;
	toy_run_make(&t, &run);
	t.results[0].ops_per_cpu_sec = NAN;	/* as at a low duty: the table is of times */
	golden("stress-ng", table_text(&run, 1, false, true));
	golden("stress-ng-brief", table_text(&run, 1, true, false));
}

/*
 * lkp-tests' rule (programs/stress-ng/parse) over all that a run with --metrics says: exactly the
 * rows of the table are keys.
 */
static void test_stress_ng_parse(void **state)
{
	static const char rule[] =
		"awk '/(this stressor is not implemented on this system)/ { exit } "
		"/(No stress workers invoked)/ { exit } "
		"/fail:/ || /warn:/ { next } "
		"/[(]secs[)] +[(]secs[)] +[(]secs[)]/ { on = 1; next } "
		"/run time:/ { exit } "
		"!on || (NF != 10 && NF != 12) { next } "
		"$5 == \"0\" { print $4 \".fail: 1\"; next } "
		"{ print $4 \".pass: 1\"; print $4 \".ops: \" $5 } "
		"{ print $4 \".ops_per_sec: \" $9 }'";
	char command[sizeof(rule) + 64], path[] = "/tmp/fsstress-test.XXXXXX";
	struct toy_run t;
	struct run_result run;

	(void)state;
	toy_run_make(&t, &run);
	for (int brief = 0; brief <= 1; brief++) {
		char *text = written(fs_report_text, &run, 1),
		     *table = table_text(&run, 1, brief, true);
		FILE *f = fdopen(mkstemp(path), "w");

		fputs("fsstress: note: one two three four five six seven\n"
		      "fsstress: note: one two three four five six seven eight nine ten\n", f);
		fprintf(f, "%s%s", text, table);
		fclose(f);
		snprintf(command, sizeof(command), "%s %s", rule, path);
		f = popen(command, "r");
		golden("stress-ng-parsed", slurp(f));
		assert_int_equal(pclose(f), 0);
		unlink(path);
		strcpy(path, "/tmp/fsstress-test.XXXXXX");
		free(text);
		free(table);
	}
}

static void test_upper_bound(void **state)
{
	struct stage stage = { .workers = 1 };
	struct stage_result r = { .stage = &stage, .duty = 1 };

	(void)state;
	assert_false(fs_report_upper_bound(&r));
	r.duty = 0.999;
	assert_true(fs_report_upper_bound(&r));
	r.duty = 1;
	stage.together = true;
	assert_true(fs_report_upper_bound(&r));
}

static void test_decimal(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0.00" },	     { 1234567890123, "1234567890123.00" },
		{ 1000, "1000.00" }, { 12.345678, "12.3457" },
		{ 0.5, "0.500000" }, { 0.000012345678, "0.0000123457" },
	};
	char text[REPORT_NUMBER_MAX];

	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(cases); i++)
		assert_string_equal(fs_report_decimal(cases[i].value, text), cases[i].text);
}

static void test_printable(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{ "plain", "plain" },
		{ "\t\x7f", "\\x09\\x7f" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xc3", "\\xc3" },
		{ "\xc0\xaf", "\\xc0\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xc2\x9b", "\\xc2\\x9b" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	};
	char text[64];

	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(cases); i++)
		assert_string_equal(fs_printable(cases[i].bytes, text, sizeof(text)),
				    cases[i].text);
	assert_string_equal(fs_printable("ab\xff", text, 6), "ab");	/* cut between characters */
	assert_string_equal(fs_printable("ab\xff", text, 7), "ab\\xff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_lkp),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_stress_ng),
		cmocka_unit_test(test_stress_ng_parse),
		cmocka_unit_test(test_upper_bound),
		cmocka_unit_test(test_decimal),
		cmocka_unit_test(test_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
