// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_key.c - keys, sweeps and options of stressors: what names a stage
 */
#include "tests/planned.h"

static void test_keys(void **unused)
{
	(void)unused;
	planned_stages(2, "plan --test fiemap --nr-threads 1", "fiemap.warmx1");
	planned_stages(2, "plan --test fiemap.first,fiemap.file --nr-threads 1",
		       "fiemap.firstx1 fiemap.warm.filex1");
	planned_stages(2, "plan --test fallocate.alloc.fsync.dir --nr-threads 1",
		       "fallocate.alloc.fsync.dirx1");
	/* canonical: option order, share last; a value that is the variant's default is not in it */
	planned_stages(2, "plan --test revio.file.direct.sync --nr-threads 1",
		       "revio.sparse.sync.direct.filex1");
	planned_stages(2, "plan --test fallocate.punch.unwritten --nr-threads 1",
		       "fallocate.punchx1");
	planned_stages(2, "plan --test fallocate.punch.written --nr-threads 1",
		       "fallocate.punch.writtenx1");
	planned_stages(2, "plan --fallocate 1 --fallocate-sync fsync", "fallocate.alloc.fsyncx1");
	planned_stages(2, "plan --test fiemap,fiemap.warm --nr-threads 1", "fiemap.warmx1");
}

static void test_bad_keys(void **unused)
{
	static const struct {
		const char *line, *says;
	} table[] = {
		{ "plan --test fiemap,revoi", "did you mean revio?" },
		{ "plan --test fiemap.wram", "did you mean fiemap.warm?" },
		{ "plan --test fallocate.alloc.fsnyc", "did you mean fallocate.alloc.fsync?" },
		{ "plan --test fallocate.aloc", "did you mean fallocate.alloc?" },
		{ "plan --test fiemap.", "no such key" },
		{ "plan --test fiemap..warm", "did you mean fiemap.warm?" },
		{ "plan --test .warm", "no stressor ''" },
		{ "plan --test zzzzzzzzzz", "see fsstress list" },
		{ "plan --test umask", "not in this version" },
		{ "plan --test iomix.pcaed", "did you mean iomix.paced?" },
		{ "plan --test iomix.paced.fdatsync", "did you mean iomix.paced.fdatasync?" },
		{ "plan --class os --exclude fiemp", "did you mean fiemap?" },
		{ "plan --class os --with touch", "not in this version" },
		{ "plan --class filesystem --exclude fallocate,fiemap,iomix,lease --with lease",
		  "nothing is left" },
		{ "plan --test iomix --share file", "iomix.mix cannot share: file" },
		{ "plan --test iomix.file", "iomix.mix cannot share: file" },
		{ "plan --test fiemap.file --share dir", "contradicts" },
		{ "plan --test fallocate.alloc.fsync --fallocate-sync none", "contradicts" },
		{ "plan --test fallocate.alloc --fallocate-mode punch", "contradicts" },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++)
		planned_refused(2, table[i].line, -EINVAL, table[i].says);
}

static void test_bad_options(void **unused)
{
	static const struct {
		const char *line, *says;
	} table[] = {
		{ "plan --fiemap 1 --fiemap-extents 4x",
		  "--fiemap-extents 4x: not a plain number" },
		{ "plan --fiemap 1 --fiemap-extents 0", "out of range: 1 to" },
		{ "plan --fiemap 1 --fiemap-layout punch", "did you mean punched?" },
		{ "plan --fiemap 1 --fiemap-mode warn", "did you mean warm?" },
		{ "plan --fiemap 1 --fiemap-method all", "modes: warm first dirty cold" },
		{ "plan --fiemap 1 --fiemap-mode warm,", "empty mode" },
		{ "plan --fiemap 1 --fiemap-layout sparse,,punched", "empty value" },
		{ "plan --fallocate 1 --fallocate-bytes 10%", "--fallocate-bytes 10%: not a size" },
		{ "plan --test fiemap --fallocate-bytes 1G", "fallocate is not part of this run" },
		{ "plan --fiemap 1 --fiemap-ops 0", "--fiemap-ops 0: " },
		{ "plan --test fiemap --ops 5 --timeout 3", "no window" },
		{ "plan --fiemap 1 --fiemap-ops 5 --timeout 3", "no window" },
		{ "plan --test fiemap --cpus x", "--cpus x: " },
		{ "plan --test fiemap --numa-node x", "--numa-node x: " },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++)
		planned_refused(2, table[i].line, -EINVAL, table[i].says);
	planned_refused(2, "plan --test fiemap --numa-node 9", -ENODEV,
			"no allowed CPU on that node");
	planned_refused(2, "plan --test fiemap --cpus 77", -ENODEV,
			"no allowed CPU is in this list");
}

static void test_sweeps(void **unused)
{
	(void)unused;
	planned_stages(2, "plan --fiemap 1 --fiemap-mode first,warm --fiemap-layout sparse,punched",
	       "fiemap.first.sparsex1 fiemap.firstx1 fiemap.warm.sparsex1 fiemap.warmx1");
	/* lkp's spelling of a set of mode flags is one stage, as are flags joined by a comma */
	planned_stages(2, "plan --fallocate 1 --fallocate-mode keep-size,punch-hole",
		       "fallocate.punchx1");
	planned_stages(2, "plan --fallocate 1 --fallocate-mode keep-size,punch",
		       "fallocate.keep-sizex1 fallocate.punchx1");
	planned_stages(2, "plan --revio 1 --revio-opts direct,sync", "revio.sparse.sync.directx1");
	planned_stages(2, "plan --revio 1 --revio-opts direct+sync --revio-method dense",
		       "revio.dense.sync.directx1");
	planned_stages(
		2,
		"plan --test fallocate.alloc.fsync --nr-threads 1 --fallocate-state hole,written",
		"fallocate.alloc.fsyncx1 fallocate.alloc.written.fsyncx1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_bad_keys),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_sweeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
