/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/compiler.h"
#include "platform/cpu.h"

#define TWO_PACKAGES "pack:2 numa:1 core:24 pu:2"
#define MANY_CPUS 65536			/* for affinity masks */

static int forget_topology(void **state)
{
	(void)state;
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	return 0;
}

static int load_synthetic(const char *text, struct fs_topology *t)
{
	const char *why;

	setenv("HWLOC_SYNTHETIC", text, 1);
	return fs_topology_load(t, &why);
}

static void test_spread(void **state)
{
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic(TWO_PACKAGES, &t), 0);
	assert_true(t.foreign);
	assert_int_equal(t.nplaces, 96);
	assert_int_equal(t.nnodes, 2);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(t.places[i].package, i % 2);
		assert_int_equal(t.places[i].node_os, i % 2);
		assert_int_equal(t.places[i].cpu, i % 2 * 48 + i / 2 * 2);
	}
	for (int i = 0; i < 96; i++)	/* second threads only when every core has a first one */
		assert_int_equal(t.places[i].smt, i / 48);
	fs_topology_free(&t);
	assert_null(t.places);
}

static void test_compact(void **state)
{
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic(TWO_PACKAGES, &t), 0);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	fs_topology_order(&t, FS_ORDER_COMPACT);
	for (int i = 0; i < 96; i++) {
		assert_int_equal(t.places[i].cpu, i);
		assert_int_equal(t.places[i].package, i / 48);
		assert_int_equal(t.places[i].node, 0);
		assert_int_equal(t.places[i].core, i % 48 / 2);
		assert_int_equal(t.places[i].smt, i % 2);
	}
	fs_topology_free(&t);
}

/* Several nodes in a package: packages in turn before nodes, nodes before cores. */
static void test_spread_nodes(void **state)
{
	static const int cpus[] = { 0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15 };
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic("pack:2 [numa] die:2 [numa] core:2 pu:2", &t), 0);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	assert_int_equal(t.nplaces, FS_ARRAY_SIZE(cpus));
	for (unsigned i = 0; i < t.nplaces; i++) {
		assert_int_equal(t.places[i].cpu, cpus[i]);
		assert_int_equal(t.places[i].node, cpus[i] % 8 / 4);
	}
	fs_topology_free(&t);
}

/* OS indices need not follow the machine's structure. */
static void test_interleaved_indices(void **state)
{
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic("pack:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)", &t), 0);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	for (int i = 0; i < 8; i++)
		assert_int_equal(t.places[i].cpu, i);
	fs_topology_free(&t);
}

static void test_more_than_1024(void **state)
{
	unsigned char seen[2048] = { 0 };
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic("pack:16 core:64 pu:2", &t), 0);
	assert_int_equal(t.nplaces, 2048);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	for (unsigned i = 0; i < t.nplaces; i++) {
		assert_in_range(t.places[i].cpu, 0, 2047);
		assert_int_equal(seen[t.places[i].cpu]++, 0);
		assert_int_equal(t.places[i].package, i % 16);
	}
	assert_int_equal(t.places[2047].cpu, 2047);
	assert_int_equal(fs_topology_cpus(&t, "1024-2047") || t.nplaces != 1024, 0);
	fs_topology_free(&t);
}

/* Only processing units: each is a core of its own, all on node 0. */
static void test_flat(void **state)
{
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic("pu:4", &t), 0);
	assert_int_equal(t.nnodes, 1);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(t.places[i].core, i);
		assert_int_equal(t.places[i].smt, 0);
		assert_int_equal(t.places[i].node_os, 0);
		assert_int_equal(t.places[i].kind, -1);
	}
	fs_topology_free(&t);
}

static void check_bogus(const char *variable, const char *value)
{
	struct fs_topology t;
	const char *why = NULL;

	forget_topology(NULL);
	setenv(variable, value, 1);
	assert_int_equal(fs_topology_load(&t, &why), -EINVAL);
	assert_non_null(why);
	assert_true(strstr(why, variable) && strstr(why, value));
	assert_null(t.places);
}

static void test_bogus(void **state)
{
	struct fs_topology t;
	const char *why = NULL;

	(void)state;
	check_bogus("HWLOC_SYNTHETIC", "bogus");
	check_bogus("HWLOC_SYNTHETIC", "pack:2");
	check_bogus("HWLOC_SYNTHETIC", "pack:2 core:x pu:2");
	check_bogus("HWLOC_SYNTHETIC", "pack:2 core:2 pu:2 sheep:4");
	check_bogus("HWLOC_SYNTHETIC", " ");
	check_bogus("HWLOC_XMLFILE", "/nonexistent/machine.xml");
	check_bogus("HWLOC_XMLFILE", "/dev/null");
	check_bogus("HWLOC_XMLFILE", "/proc/version");
	setenv("HWLOC_SYNTHETIC", "pu:2", 1);
	assert_int_equal(fs_topology_load(&t, &why), -EINVAL);
	assert_non_null(strstr(why, "both"));
}

static void test_this_machine(void **state)
{
	const size_t bytes = CPU_ALLOC_SIZE(MANY_CPUS);
	cpu_set_t *mask = CPU_ALLOC(MANY_CPUS), *one = CPU_ALLOC(MANY_CPUS);
	struct fs_topology t;
	const char *why = "";
	int last;

	(void)state;
	assert_non_null(mask);
	assert_non_null(one);
	setenv("HWLOC_SYNTHETIC", "", 1);	/* as good as unset */
	assert_int_equal(sched_getaffinity(0, bytes, mask), 0);
	assert_int_equal(fs_topology_load(&t, &why), 0);
	assert_null(why);
	assert_false(t.foreign);
	assert_in_range(t.nplaces, 1, CPU_COUNT_S(bytes, mask));
	for (unsigned i = 0; i < t.nplaces; i++)
		assert_true(CPU_ISSET_S(t.places[i].cpu, bytes, mask));
	last = t.places[t.nplaces - 1].cpu;
	fs_topology_free(&t);

	CPU_ZERO_S(bytes, one);
	CPU_SET_S(last, bytes, one);
	assert_int_equal(sched_setaffinity(0, bytes, one), 0);
	assert_int_equal(fs_topology_load(&t, &why), 0);
	assert_int_equal(t.nplaces, 1);
	assert_int_equal(t.places[0].cpu, last);
	fs_topology_free(&t);

	/* another machine does not care where we may run */
	assert_int_equal(load_synthetic(TWO_PACKAGES, &t), 0);
	assert_int_equal(t.nplaces, 96);
	fs_topology_free(&t);
	assert_int_equal(sched_setaffinity(0, bytes, mask), 0);
	CPU_FREE(one);
	CPU_FREE(mask);
}

static void register_kind(hwloc_topology_t topo, const char *cpus, int efficiency)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	assert_int_equal(hwloc_bitmap_list_sscanf(set, cpus), 0);
	assert_int_equal(hwloc_cpukinds_register(topo, set, efficiency, 0, NULL, 0), 0);
	hwloc_bitmap_free(set);
}

/*
 * Load a hybrid machine from XML: the fast cores have CPUs 0-7, the frugal ones 8-15. Where allowed
 * is given, the machine's cgroup leaves only those.
 */
static void load_hybrid(const char *allowed, struct fs_topology *t)
{
	char path[] = "/tmp/test_cpu.XXXXXX";
	const int fd = mkstemp(path);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_topology_t topo;
	const char *why;
	int rc;

	assert_true(fd >= 0);
	close(fd);
	forget_topology(NULL);
	assert_int_equal(hwloc_topology_init(&topo), 0);
	assert_int_equal(hwloc_topology_set_synthetic(topo, "pack:1 core:8 pu:2"), 0);
	assert_int_equal(hwloc_topology_set_flags(topo, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED), 0);
	assert_int_equal(hwloc_topology_load(topo), 0);
	register_kind(topo, "0-7", 20);
	register_kind(topo, "8-15", 10);
	if (allowed) {
		assert_int_equal(hwloc_bitmap_list_sscanf(set, allowed), 0);
		rc = hwloc_topology_allow(topo, set, NULL, HWLOC_ALLOW_FLAG_CUSTOM);
		assert_int_equal(rc, 0);
	}
	assert_int_equal(hwloc_topology_export_xml(topo, path, 0), 0);
	hwloc_topology_destroy(topo);
	hwloc_bitmap_free(set);

	setenv("HWLOC_XMLFILE", path, 1);
	rc = fs_topology_load(t, &why);
	unlink(path);
	assert_int_equal(rc, 0);
}

static void test_kinds(void **state)
{
	struct fs_topology t;

	(void)state;
	load_hybrid(NULL, &t);
	assert_true(t.foreign);
	assert_int_equal(t.nkinds, 2);
	assert_int_equal(t.nplaces, 16);
	for (int i = 0; i < 16; i++)
		assert_int_equal(t.places[i].kind, t.places[i].cpu < 8 ? 1 : 0);
	assert_int_equal(fs_topology_kind(&t, 1), 0);
	assert_int_equal(t.nplaces, 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(t.places[i].cpu, i);
	assert_int_equal(fs_topology_kind(&t, 0), -ENODEV);
	assert_int_equal(t.nplaces, 0);
	fs_topology_free(&t);

	load_hybrid(NULL, &t);
	assert_int_equal(fs_topology_kind(&t, 2), -ENODEV);
	fs_topology_free(&t);
	load_hybrid(NULL, &t);
	assert_int_equal(fs_topology_kind(&t, -1), -ENODEV);
	fs_topology_free(&t);
}

/* hwloc's set of a kind includes CPUs that the cgroup forbids. */
static void test_kinds_in_cgroup(void **state)
{
	struct fs_topology t;

	(void)state;
	load_hybrid("10,13", &t);
	assert_int_equal(t.nplaces, 2);
	assert_int_equal(fs_topology_kind(&t, 0), 0);
	assert_int_equal(t.nplaces, 2);
	assert_int_equal(t.places[0].cpu, 10);
	assert_int_equal(t.places[1].cpu, 13);
	assert_int_equal(fs_topology_kind(&t, 1), -ENODEV);
	fs_topology_free(&t);
}

static void test_lists(void **state)
{
	static const char *const wrong[] = {
		"", "a", "3-1", "1,,2", ",1", "1,", "1-", "-1", "1-2-3", "0-3,8 ", " 1", "1;2",
		"0x1", "+1", "1.5", "99999999999", "1-99999999999", "0-3,8\n", "all"
	};
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic(TWO_PACKAGES, &t), 0);
	for (size_t i = 0; i < FS_ARRAY_SIZE(wrong); i++) {
		assert_int_equal(fs_topology_cpus(&t, wrong[i]), -EINVAL);
		assert_int_equal(t.nplaces, 96);
	}
	assert_int_equal(fs_topology_cpus(&t, "0-3,8,3,2000000"), 0);
	assert_int_equal(t.nplaces, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(t.places[i].cpu, i < 4 ? i : 8);
	assert_int_equal(fs_topology_cpus(&t, "5"), -ENODEV);
	assert_int_equal(t.nplaces, 0);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	fs_topology_free(&t);
}

/* What is left decides who is first: a core's second thread alone is as good as a first one. */
static void test_ranks_after_filter(void **state)
{
	static const int cpus[] = { 1, 52, 10, 56, 11, 57 };
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic(TWO_PACKAGES, &t), 0);
	assert_int_equal(fs_topology_cpus(&t, "1,10,11,52,56,57"), 0);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	assert_int_equal(t.nplaces, FS_ARRAY_SIZE(cpus));
	for (unsigned i = 0; i < t.nplaces; i++)
		assert_int_equal(t.places[i].cpu, cpus[i]);
	fs_topology_free(&t);
}

static void test_node(void **state)
{
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic("pack:2 [numa(indexes=3,1)] core:4 pu:2", &t), 0);
	assert_int_equal(fs_topology_node(&t, 3), 0);
	assert_int_equal(t.nplaces, 8);
	assert_int_equal(t.nnodes, 2);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(t.places[i].cpu, i);
		assert_int_equal(t.places[i].node_os, 3);
	}
	assert_int_equal(fs_topology_node(&t, 1), -ENODEV);
	fs_topology_free(&t);
	assert_int_equal(load_synthetic(TWO_PACKAGES, &t), 0);
	assert_int_equal(fs_topology_node(&t, -1), -ENODEV);
	fs_topology_free(&t);
}

static void test_near(void **state)
{
	struct fs_topology t;

	(void)state;
	assert_int_equal(load_synthetic("pack:2 [numa] core:3 pu:2", &t), 0);
	fs_topology_order(&t, FS_ORDER_SPREAD);
	assert_int_equal(fs_topology_near(&t, 5, "same-cpu"), 5);
	assert_int_equal(fs_topology_near(&t, 4, "sibling"), 5);
	assert_int_equal(fs_topology_near(&t, 5, "sibling"), 4);
	assert_int_equal(fs_topology_near(&t, 6, "core"), 8);
	assert_int_equal(fs_topology_near(&t, 7, "core"), 9);
	assert_int_equal(fs_topology_near(&t, 10, "core"), 6);	/* round, in the package */
	assert_int_equal(fs_topology_near(&t, 12, "same-cpu"), -1);
	assert_int_equal(fs_topology_near(&t, -1, "core"), -1);
	assert_int_equal(fs_topology_near(&t, 5, "elsewhere"), -1);

	assert_int_equal(fs_topology_cpus(&t, "0,1,6"), 0);
	assert_int_equal(fs_topology_near(&t, 6, "sibling"), -1);
	assert_int_equal(fs_topology_near(&t, 1, "core"), 6);	/* no other core in this package */
	assert_int_equal(fs_topology_cpus(&t, "0,1"), 0);
	assert_int_equal(fs_topology_near(&t, 0, "core"), -1);
	fs_topology_free(&t);
}

#define ALONE(test) cmocka_unit_test_setup(test, forget_topology)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE(test_spread), ALONE(test_compact), ALONE(test_spread_nodes),
		ALONE(test_interleaved_indices), ALONE(test_more_than_1024), ALONE(test_flat),
		ALONE(test_bogus), ALONE(test_this_machine), ALONE(test_kinds),
		ALONE(test_kinds_in_cgroup), ALONE(test_lists), ALONE(test_ranks_after_filter),
		ALONE(test_node), ALONE(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
