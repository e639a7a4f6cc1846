// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_place.c - how many workers, and where
 */
#include "tests/planned.h"

static void test_nr_threads(void **unused)
{
	static const struct {
		unsigned cpus;
		const char *given;
		unsigned workers;
		const char *note;	/* NULL: none */
		bool oversubscribed;
	} table[] = {
		{ 8, "10%", 1, "rounded up from 0.8", false },
		{ 2, "10%", 1, "rounded up from 0.2", false },
		{ 8, "12.5%", 1, NULL, false },
		{ 8, "50%", 4, NULL, false },
		{ 8, "100%", 8, NULL, false },
		{ 8, "300%", 24, NULL, true },
		{ 8, "99.9%", 7, NULL, false },
		{ 8, "3", 3, NULL, false },
		{ 8, "9", 9, NULL, true },
		{ 96, "10%", 9, NULL, false },
		{ 2048, "100%", 2048, NULL, false },
		{ 8, "0.000001%", 1, "rounded up from 8e-08", false },
		{ 4, "128", 128, NULL, true },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++) {
		struct planned p;
		char line[64];

		snprintf(line, sizeof(line), "plan --test fiemap --nr-threads %s", table[i].given);
		planned_make(&p, table[i].cpus, line);
		assert_int_equal(p.rc, 0);
		assert_int_equal(p.plan.nstages, 1);
		assert_int_equal(p.plan.stages[0].workers, table[i].workers);
		assert_int_equal(p.plan.stages[0].oversubscribed, table[i].oversubscribed);
		assert_string_equal(p.plan.stages[0].asked, table[i].given);
		if (table[i].note)
			assert_string_equal(p.plan.stages[0].notes[0], table[i].note);
		else
			assert_null(p.plan.stages[0].notes[0]);
		planned_free(&p);
	}
}

static void test_bad_nr_threads(void **unused)
{
	static const char *const bad[] = {
		"0",	"0%",	"-5%", "%",    "110%%",	      "ten%",	     "1e3%", "-1",
		"10 %", "1,",	",1",  "1,,2", "1,0",	      "0.0%",	     "5.%",  ".5%",
		"+1",	"0x10", "1.5", "10%%", "99999999999", "1000000000%", "1;2",
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(bad); i++) {
		struct planned p;
		char *argv[] = { "fsstress",	 "plan",	 "--test=fiemap",
				 "--nr-threads", (char *)bad[i], NULL };
		const struct fs_topology t = planned_topology(8);

		capture_start(&p.capture);
		assert_int_equal(fs_cli_parse(5, argv, &p.command.config), 0);
		p.rc = fs_plan_make(&p.command.config, &t, &p.plan);
		p.lines = capture_end(&p.capture);
		if (p.rc != -EINVAL || p.lines != 1 || !strstr(p.capture.text, bad[i]))
			fail_msg("%s: %d, said: %s", bad[i], p.rc, p.capture.text);
		planned_free(&p);
	}
}

static void test_lists_of_counts(void **unused)
{
	struct planned p;

	(void)unused;
	planned_stages(8, "plan --test fiemap,lease --nr-threads 1,10%,100%,8",
		       "fiemap.warmx1 fiemap.warmx8 lease.cyclex1 lease.cyclex8");
	planned_make(&p, 8, "plan --fiemap 2 --test lease --nr-threads 1,2");
	assert_false(planned_find(&p.plan, "fiemap.warm")->key_repeats);
	assert_true(p.plan.stages[1].key_repeats && p.plan.stages[2].key_repeats);
	planned_free(&p);
}

static void test_stress_ng_counts(void **unused)
{
	struct planned p;

	(void)unused;
	planned_stages(8, "plan --fiemap 3", "fiemap.warmx3");
	planned_stages(8, "plan --fiemap 25%", "fiemap.warmx2");
	planned_stages(8, "plan --fiemap 0", "fiemap.warmx8");
	planned_stages(8, "plan --fiemap -1 --revio 5", "fiemap.warmx8 revio.sparsex5");
	planned_make(&p, 8, "plan --sequential 0 --class filesystem");
	assert_int_equal(p.plan.stages[0].workers, 8);
	assert_string_equal(p.plan.stages[0].notes[0], "0 means all 8 allowed CPUs");
	planned_free(&p);
	planned_refused(8, "plan --fiemap 1,2", -EINVAL, "--nr-threads LIST");
	planned_refused(8, "plan --fiemap x", -EINVAL, "--fiemap x: ");
	planned_refused(8, "plan --fiemap 0%", -EINVAL, "--fiemap 0%: ");
}

static void places_are(unsigned cpus, const char *line, unsigned n, const int *wanted,
		       const int *helpers)
{
	struct planned p;

	planned_make(&p, cpus, line);
	if (p.rc)
		fail_msg("'%s': %s", line, p.capture.text);
	assert_int_equal(p.plan.stages[0].workers, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(p.plan.stages[0].cpus[i], wanted[i]);
		if (helpers)
			assert_int_equal(p.plan.stages[0].helper_cpus[i], helpers[i]);
	}
	if (!helpers)
		assert_null(p.plan.stages[0].helper_cpus);
	planned_free(&p);
}

static void test_places(void **unused)
{
	(void)unused;
	places_are(8, "plan --test fiemap", 8, (const int[]){ 0, 4, 2, 6, 1, 5, 3, 7 }, NULL);
	places_are(8, "plan --test fiemap --pin compact --nr-threads 3", 3,
		   (const int[]){ 0, 1, 2 }, NULL);
	places_are(8, "plan --test fiemap --pin none --nr-threads 2", 2, (const int[]){ -1, -1 },
		   NULL);
	places_are(8, "plan --test fiemap --cpus 6-7 --nr-threads 3", 3, (const int[]){ 6, 7, 6 },
		   NULL);
	places_are(8, "plan --test fiemap --numa-node 1 --nr-threads 50%", 2, (const int[]){ 4, 6 },
		   NULL);
	places_are(8, "plan --lease 2 --lease-mode break2 --lease-place same-cpu", 2,
		   (const int[]){ 0, 4 }, (const int[]){ 0, 4 });
	places_are(8, "plan --lease 2 --lease-mode break2 --lease-place sibling", 2,
		   (const int[]){ 0, 4 }, (const int[]){ 1, 5 });
	places_are(8, "plan --lease 2 --lease-mode break2 --pin none", 2, (const int[]){ -1, -1 },
		   (const int[]){ -1, -1 });
	planned_refused(1, "plan --lease 1 --lease-mode break2 --lease-place sibling", -ENODEV,
			"--lease-place sibling");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nr_threads),
		cmocka_unit_test(test_bad_nr_threads),
		cmocka_unit_test(test_lists_of_counts),
		cmocka_unit_test(test_stress_ng_counts),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
