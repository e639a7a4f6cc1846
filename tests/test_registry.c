/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/area.h"
#include "core/registry.h"

static void test_table(void **state)
{
	(void)state;
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		if (e != fs_registry)
			assert_true(strcmp(e[-1].name, e->name) < 0);
		assert_ptr_equal(fs_registry_find(e->name), e);
		assert_true(!e->stressor == !!e->missing);
		if (e->stressor)
			assert_string_equal(e->stressor->name, e->name);
	}
	assert_null(fs_registry_find("no-such-stressor"));
	assert_null(fs_registry_find(""));
}

static void test_variants(void **state)
{
	(void)state;
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		const struct fs_variant *v = e->stressor ? e->stressor->variants : NULL;

		if (!v)
			continue;
		assert_non_null(v->run);
		for (; v->run; v++)
			assert_ptr_equal(fs_variant_find(e->stressor, v->name), v);
		assert_null(fs_variant_find(e->stressor, "no-such-variant"));
	}
}

static unsigned names(const char *const *list)
{
	unsigned n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* What the area has room for; which options a key touches is a mask of 64 bits. */
static void test_sizes(void **state)
{
	(void)state;
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		const struct fs_stressor *s = e->stressor;
		unsigned options = 0, counters = 0;

		if (!s)
			continue;
		while (s->options && s->options[options].name)
			options++;
		while (s->counters && s->counters[counters].name)
			counters++;
		assert_in_range(s->state_size, 0, AREA_STATE_MAX);
		assert_in_range(options, 0, 63);
		assert_in_range(counters, 0, FS_COUNTERS_MAX);
		assert_in_range(names(s->kinds), 0, FS_KINDS_MAX);
		for (const struct fs_variant *v = s->variants; v->run; v++)
			assert_in_range(v->helpers, 0, AREA_HELPERS_MAX);
	}
}

static void test_classes(void **state)
{
	unsigned n = 0;

	(void)state;
	assert_int_equal(fs_class_bit("filesystem"), FS_CLASS_FILESYSTEM);
	assert_int_equal(fs_class_bit("io"), FS_CLASS_IO);
	assert_int_equal(fs_class_bit("os"), FS_CLASS_OS);
	assert_int_equal(fs_class_bit("vfs"), FS_CLASS_VFS);
	assert_int_equal(fs_class_bit("workload"), FS_CLASS_WORKLOAD);
	assert_int_equal(fs_class_bit(""), 0);
	assert_int_equal(fs_class_bit("file"), 0);
	assert_int_equal(fs_class_bit("filesystems"), 0);
	for (; fs_class_names[n]; n++)
		assert_int_equal(fs_class_bit(fs_class_names[n]), 1u << n);
	assert_int_equal(n, 5);
}

static void test_stress_ng_names(void **state)
{
	static const char *const known[] = {
		"access", "af-alg", "af_alg", "bad-ioctl", "exec", "fallocate", "fiemap",
		"io-uring", "iomix", "lease", "mmapcow", "revio", "spawn", "swap", "zombie",
		"zlib", "utime", "vm", "x86syscall"
	};
	static const char *const unknown[] = {
		"", "-", "_", "acces", "accessx", "fiemapp", "fie-map", "Fiemap", "zzz",
		"io uring"
	};

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(known); i++)
		if (!fs_stress_ng_has(known[i]))
			fail_msg("stress-ng has a stressor %s", known[i]);
	for (size_t i = 0; i < FS_ARRAY_SIZE(unknown); i++)
		if (fs_stress_ng_has(unknown[i]))
			fail_msg("stress-ng has no stressor '%s'", unknown[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_stress_ng_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
