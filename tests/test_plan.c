// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_plan.c - from options to stages: classes, groups, times, order
 */
#include "core/option.h"
#include "core/registry.h"
#include "tests/planned.h"

static void test_class(void **unused)
{
	static const char *const filesystem[] = { "fallocate.alloc", "fallocate.alloc.fsync",
						  "fallocate.punch", "fiemap.warm",
						  "fiemap.first",    "fiemap.dirty",
						  "iomix.mix",	     "lease.cycle" };
	struct planned p;

	(void)unused;
	planned_make(&p, 4, "plan --class filesystem");
	assert_int_equal(p.rc, 0);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(filesystem); i++) {
		const struct stage *s = planned_find(&p.plan, filesystem[i]);

		assert_non_null(s);
		assert_false(s->named || s->together);
		assert_int_equal(s->workers, 4);
		assert_string_equal(s->asked, "100%");
	}
	assert_null(planned_find(&p.plan, "revio.sparse"));
	planned_free(&p);
	planned_make(&p, 4, "plan --class io,filesystem --test lease.open");
	assert_non_null(planned_find(&p.plan, "revio.sparse"));
	assert_non_null(planned_find(&p.plan, "fiemap.warm"));
	assert_true(planned_find(&p.plan, "lease.open")->named);
	planned_free(&p);
}

static void test_every_class_key_is_valid(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 4, "plan --class all");
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.lines, 0);
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		bool there = false;

		for (unsigned i = 0; i < p.plan.nstages && !there; i++)
			there = !strcmp(p.plan.stages[i].stressor->name, e->name);
		assert_true(there);
	}
	planned_free(&p);
}

/* A key is what a stage is found by: parsing it gives the same stage again. */
static void test_keys_come_back(void **unused)
{
	struct planned p, again;

	(void)unused;
	planned_make(&p, 4, "probe");
	assert_int_equal(p.rc, 0);
	for (unsigned i = 0; i < p.plan.nstages; i++) {
		char line[256];

		assert_int_equal(p.plan.stages[i].workers, 1);
		snprintf(line, sizeof(line), "plan --nr-threads 1 --test %s", p.plan.stages[i].key);
		planned_make(&again, 4, line);
		assert_int_equal(again.rc, 0);
		assert_int_equal(again.plan.nstages, 1);
		assert_string_equal(again.plan.stages[0].key, p.plan.stages[i].key);
		assert_memory_equal(again.plan.stages[0].state, p.plan.stages[i].state,
				    AREA_STATE_MAX);
		planned_free(&again);
	}
	planned_free(&p);
}

static void test_filters(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 2, "plan --class filesystem --exclude fiemap,fallocate.alloc,touch,spawn");
	assert_int_equal(p.rc, 0);
	assert_null(planned_find(&p.plan, "fiemap.warm"));
	assert_null(planned_find(&p.plan, "fallocate.alloc"));
	assert_non_null(planned_find(&p.plan, "fallocate.alloc.fsync"));
	planned_free(&p);
	planned_stages(2,
		       "plan --class filesystem --with fallocate.alloc.fsync,lease --nr-threads 2",
		       "fallocate.alloc.fsyncx2 lease.cyclex2");
	planned_stages(2, "plan --sequential 1 --with revio", "revio.sparsex1 revio.densex1");
	/* a mode that the user gave replaces those of the class; an option applies to all of them */
	planned_stages(
		2, "plan --class os --with fallocate --fallocate-mode zero,insert --nr-threads 1",
		"fallocate.zerox1 fallocate.insertx1");
	planned_stages(2, "plan --class os --with fallocate --fallocate-sync fsync --nr-threads 1",
	       "fallocate.alloc.fsyncx1 fallocate.punch.fsyncx1");
}

static void test_stress_ng_command(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 2,
		     "plan --timeout 1 --times --verify --metrics-brief --sequential 9 --class os "
		     "--minimize "
		     "--exclude spawn,exec,swap");
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.lines, 1);
	assert_non_null(planned_find(&p.plan, "fiemap.warm"));
	for (unsigned i = 0; i < p.plan.nstages; i++) {
		assert_int_equal(p.plan.stages[i].workers, 9);
		assert_true(p.plan.stages[i].oversubscribed);
	}
	planned_free(&p);
}

static void test_share(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 2, "plan --class filesystem --share file --nr-threads 1");
	assert_int_equal(p.rc, 0);
	assert_int_equal(planned_find(&p.plan, "fiemap.warm.file")->share, FS_SHARE_FILE);
	assert_int_equal(planned_find(&p.plan, "iomix.mix")->share, FS_SHARE_NONE);
	assert_non_null(planned_find(&p.plan, "iomix.mix")->notes[0]);
	planned_free(&p);
	planned_stages(2, "plan --test fiemap --share none --nr-threads 1", "fiemap.warmx1");
}

static void test_together(void **unused)
{
	struct planned p;
	uint64_t each;

	(void)unused;
	planned_make(&p, 2, "plan --test lease.open --timeout 3");
	each = p.plan.seconds_ns;
	planned_free(&p);
	planned_make(
		&p, 2,
		"plan --class filesystem --all 2 --test lease.open --order random --timeout 3");
	assert_int_equal(p.rc, 0);
	assert_false(p.plan.stages[0].together);
	for (unsigned i = 1; i < p.plan.nstages; i++) {
		assert_true(p.plan.stages[i].together);
		assert_int_equal(p.plan.stages[i].workers, 2);
	}
	assert_int_equal(p.plan.seconds_ns, 2 * each);	/* one window for all of them */
	planned_free(&p);
}

static void test_time(void **unused)
{
	static const struct {
		const char *line;
		uint64_t ms;
	} table[] = {				/* window + warm-up + set-up + settle */
		{ "plan --test fiemap --settle 0 --timeout 10", 10000 + 1000 + 1000 },
		{ "plan --test fiemap --settle 0", 10000 + 1000 + 1000 },
		{ "plan --test fiemap --settle 0 --timeout 1", 1000 + 200 + 1000 },
		{ "plan --test fiemap --settle 0 --timeout 600", 600000 + 5000 + 1000 },
		{ "plan --test fiemap --settle 0 --timeout 10 --warmup 0", 10000 + 1000 },
		{ "plan --test fiemap.cold --settle 0 --timeout 10", 10000 + 1000 },
		{ "plan --test fiemap,lease --settle 0 --timeout 10 --nr-threads 1,2", 4 * 12000 },
		{ "plan --test fiemap --settle 0 --ops 5", 1000 },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++) {
		struct planned p;

		planned_make(&p, 4, table[i].line);
		assert_int_equal(p.rc, 0);
		assert_int_equal(p.plan.seconds_ns, table[i].ms * FS_NSEC_PER_MSEC);
		planned_free(&p);
	}
}

static void test_order(void **unused)
{
	char given[512], random[512], again[512], other[512];
	struct planned p;
	static const struct {
		const char *order;
		unsigned text;
	} runs[] = { { "given", 0 },
		     { "random --seed 7", 1 },
		     { "random --seed 7", 2 },
		     { "random --seed 8", 3 } };
	char *const texts[] = { given, random, again, other };

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(runs); i++) {
		char line[256];

		snprintf(line, sizeof(line),
			 "plan --test fiemap,lease,revio,iomix,fallocate --nr-threads 1,2 --order "
			 "%s",
			 runs[i].order);
		planned_make(&p, 2, line);
		assert_int_equal(p.plan.nstages, 10);
		planned_text(&p.plan, texts[runs[i].text], 512);
		planned_free(&p);
	}
	assert_string_equal(random, again);
	assert_string_not_equal(random, given);
	assert_string_not_equal(random, other);
}

static void test_ops(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 2, "plan --ops 100 --fiemap 1 --lease 1 --lease-ops 7");
	assert_int_equal(planned_find(&p.plan, "fiemap.warm")->ops, 100);
	assert_int_equal(planned_find(&p.plan, "lease.cycle")->ops, 7);
	planned_free(&p);
	planned_make(&p, 2, "plan --timeout 1 --fiemap 1 --lease 1 --lease-ops 7");
	assert_int_equal(p.rc, 0);
	assert_int_equal(planned_find(&p.plan, "fiemap.warm")->ops, 0);
	planned_free(&p);
}

static void test_processes(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 2, "plan --test lease.cycle,lease.break --nr-threads 1");
	assert_false(p.plan.stages[0].process);
	assert_true(p.plan.stages[1].process);
	planned_free(&p);
	planned_make(&p, 2, "plan --test lease.cycle --workers process");
	assert_true(p.plan.stages[0].process);
	planned_free(&p);
}

static void test_needs(void **unused)
{
	struct planned p;

	(void)unused;
	planned_make(&p, 2, "plan --fallocate 1 --fallocate-bytes 128M");
	assert_int_equal(p.rc, 0);
	assert_true(p.plan.stages[0].need.bytes >= 128u << 20);
	assert_true(p.plan.stages[0].need.inodes > 0);
	planned_free(&p);
}

static const struct area_load *plan_load(const struct stage *s, unsigned i, const char *key, double rate)
{
	assert_in_range(i, 0, s->nloads - 1);
	assert_string_equal(s->loads[i].key, key);
	assert_true(s->loads[i].rate == rate);
	return &s->loads[i];
}

/* A load has its stressor's options; where that is the stage's, the stage's. Its presets come first. */
static void test_loads(void **unused)
{
	const size_t extents = fs_option_find(fs_registry_find("fiemap")->stressor->options, "extents")->offset;
	struct planned p;
	uint64_t of_load;

	(void)unused;
	planned_make(&p, 2, "plan --test lease,fiemap.dirty --load fiemap@2.5 --fiemap-extents 7 --nr-threads 2");
	assert_int_equal(p.rc, 0);
	for (unsigned i = 0; i < 2; i++) {
		const struct area_load *load = plan_load(&p.plan.stages[i], 0, "fiemap.warm", 2.5);

		memcpy(&of_load, load->state + extents, sizeof(of_load));
		assert_int_equal(of_load, 7);
		assert_int_equal(fs_stage_helpers(&p.plan.stages[i]), 1);
		assert_true(fs_load_asked(&p.plan.stages[i], 0) == 5);
	}
	planned_free(&p);
	planned_make(&p, 2, "plan --test iomix.paced --iomix-bg fstat@3 --load lease.open@1 --nr-threads 2");
	assert_int_equal(p.rc, 0);
	plan_load(&p.plan.stages[0], 0, "iomix.paced.fstat", 3);
	plan_load(&p.plan.stages[0], 1, "lease.open", 1);
	assert_int_equal(p.plan.stages[0].helper_cpus[3], 1);	/* 2 workers, then 4 loads on 2 CPUs */
	planned_free(&p);
	planned_make(&p, 2, "plan --disk loop:1G --fs ext4 --class filesystem --fiemap-mode warm,cold --load lease@1");
	assert_int_equal(p.rc, 0);
	for (unsigned i = 0; i < p.plan.nstages; i++)
		assert_int_equal(p.plan.stages[i].nloads, strcmp(p.plan.stages[i].key, "fiemap.cold") ? 1 : 0);
	assert_non_null(planned_find(&p.plan, "fiemap.cold")->notes[0]);
	planned_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_every_class_key_is_valid),
		cmocka_unit_test(test_keys_come_back),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_stress_ng_command),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
