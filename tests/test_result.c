// SPDX-License-Identifier: GPL-2.0-or-later
/* Statuses and exit codes are an interface: this table is changed with the major version only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/result.h"

static void test_names(void **state)
{
	static const char *const frozen[] = {
		NULL, "passed", "skipped", "failed", "no-progress", "incomplete",
	};

	(void)state;
	assert_int_equal(FS_ARRAY_SIZE(frozen), FS_STATUSES);
	assert_null(fs_status_names[0]);
	for (unsigned i = 1; i < FS_STATUSES; i++)
		assert_string_equal(fs_status_names[i], frozen[i]);
}

/*
 * Stages as letters: p passed, w passed with a warning, l passed with a lost pin, o passed in a
 * window that overran, O the same with more workers than CPUs, s skipped for want of support, n for
 * want of room, f failed, z no progress, i incomplete. A slash starts the next run; ! in a run: a
 * warning of the run.
 */
static const struct {
	const char *stages;
	int status, strict, interrupted;
} table[] = {
	{ "p", 0, 0, 130 },  { "pp", 0, 0, 130 },  { "ps", 0, 5, 130 },	 { "pn", 0, 5, 130 },
	{ "w", 0, 5, 130 },  { "p!", 0, 5, 130 },  { "p/p", 0, 0, 130 }, { "p/s", 0, 5, 130 },
	{ "O", 0, 0, 130 },  { "f", 1, 1, 130 },   { "z", 1, 1, 130 },	 { "pf", 1, 1, 130 },
	{ "fi", 1, 1, 130 }, { "sf", 1, 1, 130 },  { "p/z", 1, 1, 130 }, { "fl", 1, 1, 130 },
	{ "n", 3, 5, 130 },  { "sn", 3, 5, 130 },  { "s/n", 3, 5, 130 }, { "s", 4, 5, 130 },
	{ "ss", 4, 5, 130 }, { "s/s", 4, 5, 130 }, { "i", 5, 5, 130 },	 { "pi", 5, 5, 130 },
	{ "si", 5, 5, 130 }, { "l", 5, 5, 130 },   { "o", 5, 5, 130 },	 { "p/i", 5, 5, 130 },
};

struct bench {
	struct config config;
	struct stage stages[4];
	struct stage_result results[4];
	struct worker_result workers[4];
	struct run_result runs[2];
};

static void bench_stage(struct bench *t, unsigned i, char letter)
{
	static const char letters[] = "-psfzi";
	struct stage_result *r = &t->results[i];
	const char *status = strchr(letters, letter);

	t->stages[i].workers = 1;
	fs_stage_result_init(r, &t->stages[i]);
	r->workers = &t->workers[i];
	r->measured_s = 10;
	r->status = letter == 'n' ? STATUS_SKIPPED
		    : status	  ? (enum status)(status - letters)
				  : STATUS_PASSED;
	r->skip = letter == 's' ? SKIP_UNSUPPORTED : letter == 'n' ? SKIP_NEED : SKIP_NONE;
	if (letter == 'w')
		fs_warn_add(r->warnings, &r->nwarnings, "beware");
	t->workers[i].pin_lost = letter == 'l';
	t->stages[i].oversubscribed = letter == 'O';
	if (letter == 'o' || letter == 'O')
		r->measured_s = 10.6;
}

static unsigned bench_make(struct bench *t, const char *stages)
{
	unsigned run = 0, stage = 0;

	memset(t, 0, sizeof(*t));
	t->config.timeout_ns = 10 * FS_NSEC_PER_SEC;
	t->runs[0].config = t->runs[1].config = &t->config;
	t->runs[0].stages = t->results;
	for (; *stages; stages++) {
		if (*stages == '/') {
			t->runs[++run].stages = &t->results[stage];
		} else if (*stages == '!') {
			fs_warn_add(t->runs[run].warnings, &t->runs[run].nwarnings, "beware");
		} else {
			bench_stage(t, stage++, *stages);
			t->runs[run].nstages++;
		}
	}
	return run + 1;
}

static void test_exit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++) {
		struct bench t;
		const unsigned nruns = bench_make(&t, table[i].stages);
		const int status = fs_exit_status(t.runs, nruns, false);
		const int strict = fs_exit_status(t.runs, nruns, true);

		if (status != table[i].status || strict != table[i].strict)
			fail_msg("%s: %d, strict %d", table[i].stages, status, strict);
		t.runs[nruns - 1].interrupted = 2;
		assert_int_equal(fs_exit_status(t.runs, nruns, false), table[i].interrupted);
	}
}

static void test_counts(void **state)
{
	static const unsigned expected[FS_STATUSES] = { 0, 1, 1, 1, 0, 1 };
	unsigned counts[FS_STATUSES];
	struct bench t;

	(void)state;
	fs_status_count(t.runs, bench_make(&t, "ps/fi"), counts);
	assert_memory_equal(counts, expected, sizeof(counts));
}

static void test_warn(void **state)
{
	char list[FS_WARNINGS_MAX][256];
	unsigned n = 0;

	(void)state;
	for (int i = 0; i < FS_WARNINGS_MAX + 3; i++)
		fs_warn_add(list, &n, "number %d %0300d", i, 0);
	assert_int_equal(n, FS_WARNINGS_MAX);
	assert_int_equal(strlen(list[n - 1]), 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_exit),
		cmocka_unit_test(test_counts), cmocka_unit_test(test_warn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
