// SPDX-License-Identifier: GPL-2.0-or-later
/* What is recorded of the machine: from files made for the purpose, and from none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/host.h"
#include "tests/fixture_root.h"

#define CPU "/sys/devices/system/cpu/"

static const struct {
	const char *path, *text;
} machine[] = {
	{ "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Toy 9000\nmicrocode\t: 0x2f\n\nmodel name\t: other\n" },
	{ "/proc/cmdline", "root=/dev/sda quiet slub_debug=FZ slab_debug=- debug_pagealloc=on debug_pagealloc=off\n" },
	{ "/proc/loadavg", "0.25 1.50 2.75 1/123 4567\n" },
	{ "/proc/meminfo",
	  "MemTotal: 100 kB\nMemAvailable:   8000 kB\nSwapCached: 3 kB\nSwapTotal: 5000000 kB\nSwapFree:\t4 kB\n" },
	{ "/proc/self/stat", "77 (a) R 1 (b) S 1 77 77 34816 77 0\n" },
	{ "/proc/sys/kernel/random/boot_id", "abc-def\n" },
	{ "/proc/sys/kernel/sched_autogroup_enabled", "1\n" },
	{ "/proc/sys/vm/dirty_ratio", "0\n" },
	{ "/proc/sys/vm/dirty_background_ratio", "10\n" },
	{ "/proc/sys/vm/dirty_bytes", "8589934592\n" },
	{ "/proc/sys/vm/dirty_background_bytes", "0\n" },
	{ "/proc/sys/vm/dirty_expire_centisecs", "3000\n" },
	{ "/proc/sys/vm/dirty_writeback_centisecs", "500\n" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n" },
	{ "/sys/devices/system/node/node0/x", "" },
	{ "/sys/devices/system/node/node11/x", "" },
	{ "/sys/hypervisor/type", "xen\n" },
	{ CPU "smt/control", "on\n" },
	{ CPU "cpufreq/policy0/scaling_governor", "schedutil\n" },
	{ CPU "cpufreq/policy4/scaling_governor", "schedutil\n" },
	{ CPU "cpufreq/boost", "1\n" },
	{ CPU "vulnerabilities/meltdown", "Mitigation: PTI\n" },
	{ CPU "vulnerabilities/srso", "Not affected\n" },
};

static void put_machine(const char *root)
{
	for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
		root_put(root, machine[i].path, machine[i].text);
}

static void test_machine(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_host h;

	(void)state;
	root_make(root);
	put_machine(root);
	fs_host_read(root, &h);
	assert_string_equal(h.cpu_model, "Toy 9000");
	assert_string_equal(h.microcode, "0x2f");
	assert_string_equal(h.hypervisor, "xen");
	assert_string_equal(h.boot_id, "abc-def");
	assert_string_equal(h.governor, "schedutil");
	assert_string_equal(h.clocksource, "tsc");
	assert_string_equal(h.smt, "on");
	assert_string_equal(h.thp, "madvise");
	assert_string_equal(h.mitigations, "meltdown: Mitigation: PTI\nsrso: Not affected\n");
	assert_int_equal(h.autogroup, 1);
	assert_int_equal(h.terminal, 1);
	assert_int_equal(h.turbo, 1);
	assert_int_equal(h.numa_nodes, 2);
	assert_int_equal(h.mem_available_bytes, 8000 * 1024);
	assert_int_equal(h.swap_total_bytes, 5000000ull * 1024);
	assert_int_equal(h.swap_free_bytes, 4096);
	assert_int_equal(h.dirty.ratio, 0);
	assert_int_equal(h.dirty.background_ratio, 10);
	assert_int_equal(h.dirty.bytes, 8589934592);
	assert_int_equal(h.dirty.background_bytes, 0);
	assert_int_equal(h.dirty.expire_cs, 3000);
	assert_int_equal(h.dirty.writeback_cs, 500);
	assert_true(h.load[0] == 0.25 && h.load[1] == 1.5 && h.load[2] == 2.75);
	root_remove(root);
}

/* Kinds of machines in which one thing differs. */
static void test_variants(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_host h;

	(void)state;
	root_make(root);
	put_machine(root);
	root_put(root, CPU "cpufreq/policy4/scaling_governor", "performance\n");
	root_put(root, CPU "intel_pstate/no_turbo", "1\n");
	root_put(root, "/proc/self/stat", "77 (cron) S 1 77 77 0 -1 0\n");
	fs_host_read(root, &h);
	assert_string_equal(h.governor, "mixed");
	assert_int_equal(h.turbo, 0);
	assert_int_equal(h.terminal, 0);
	root_put(root, CPU "intel_pstate/no_turbo", "0\n");
	root_put(root, CPU "cpufreq/boost", "0\n");
	fs_host_read(root, &h);
	assert_int_equal(h.turbo, 1);
	root_remove(root);
}

static void test_nothing(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_host h;

	(void)state;
	root_make(root);
	fs_host_read(root, &h);
	assert_string_equal(h.boot_id, "");
	assert_string_equal(h.governor, "");
	assert_string_equal(h.mitigations, "");
	assert_string_equal(h.kconfig, "");
	assert_string_equal(h.distorting, "");
	assert_false(h.debug_configs_known);
	assert_int_equal(h.autogroup, -1);
	assert_int_equal(h.turbo, -1);
	assert_int_equal(h.terminal, -1);
	assert_int_equal(h.numa_nodes, 1);
	assert_true(h.swap_total_bytes == UINT64_MAX && h.mem_available_bytes == UINT64_MAX);
	assert_int_equal(h.dirty.ratio, -1);
	assert_int_equal(h.dirty.bytes, -1);
	assert_true(h.load[0] == -1 && h.load[2] == -1);
	root_remove(root);
}

/* --- the kernel's configuration --------------------------------------------------------------- */

static const char config_text[] =
	"# a comment\n"
	"CONFIG_KASAN=y\n"
	"# CONFIG_KCSAN is not set\n"
	"CONFIG_KMSAN=m\n"
	"CONFIG_LOCKDEP_SUPPORT=y\n"
	"CONFIG_UBSAN=y\n"
	"CONFIG_DEBUG_PAGEALLOC=y\n"
	"CONFIG_XFS_DEBUG=y\n"
	"CONFIG_LOCALVERSION=\"-y\"\n";

static void put_config(const char *root, const char *before, const char *behind, const char *text)
{
	struct utsname u;
	char path[256];

	uname(&u);
	snprintf(path, sizeof(path), "%s%s%s", before, u.release, behind);
	root_put(root, path, text);
}

static void put_config_gz(const char *root, const char *text)
{
	char command[128];

	root_put(root, "/proc/config", text);
	snprintf(command, sizeof(command), "gzip -f '%s/proc/config'", root);
	assert_int_equal(system(command), 0);
}

static void assert_config(const char *root)
{
	struct fs_host h;

	fs_host_read(root, &h);
	assert_true(h.debug_configs_known);
	assert_string_equal(h.debug_configs, "KASAN UBSAN DEBUG_PAGEALLOC XFS_DEBUG");
	assert_string_equal(h.distorting, "KASAN XFS_DEBUG");
	/* FNV-1a of the lines that set something, by another program */
	assert_string_equal(h.kconfig, "30edaa67abc2d97e");
}

static void test_config(void **state)
{
	char boot[] = ROOT_TEMPLATE, modules[] = ROOT_TEMPLATE;

	(void)state;
	root_make(boot);
	put_config(boot, "/boot/config-", "", config_text);
	assert_config(boot);
	put_config(boot, "/lib/modules/", "/config", "CONFIG_KCSAN=y\n");
	assert_config(boot);
	root_remove(boot);
	root_make(modules);
	put_config(modules, "/lib/modules/", "/config", config_text);
	root_put(modules, "/proc/config.gz", "not looked at");
	assert_config(modules);
	root_remove(modules);
}

/* Packed; cut off; unpacked by nobody. Where it cannot be read in full, nothing is known. */
static void test_config_gz(void **state)
{
	char root[] = ROOT_TEMPLATE, path[64];
	char *const before = strdup(getenv("PATH"));
	struct fs_host h;

	(void)state;
	if (system("gzip --version >/dev/null 2>&1")) {
		print_message("no gzip\n");
		skip();
	}
	root_make(root);
	put_config_gz(root, config_text);
	assert_config(root);
	setenv("PATH", "/nowhere", 1);
	fs_host_read(root, &h);
	setenv("PATH", before, 1);
	assert_false(h.debug_configs_known);
	snprintf(path, sizeof(path), "%s/proc/config.gz", root);
	assert_int_equal(truncate(path, 90), 0);
	fs_host_read(root, &h);
	assert_false(h.debug_configs_known);
	assert_string_equal(h.debug_configs, "");
	assert_string_equal(h.distorting, "");
	assert_string_equal(h.kconfig, "");
	root_remove(root);
	free(before);
}

/* What was built in, and what was switched on. */
static void test_config_boot(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_host h;

	(void)state;
	root_make(root);
	put_machine(root);
	put_config(root, "/boot/config-", "", "CONFIG_DEBUG_PAGEALLOC=y\nCONFIG_PROVE_LOCKING=y\n");
	fs_host_read(root, &h);
	assert_string_equal(h.debug_configs, "DEBUG_PAGEALLOC PROVE_LOCKING");
	assert_string_equal(h.distorting, "PROVE_LOCKING slub_debug=FZ debug_pagealloc=on");
	root_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine), cmocka_unit_test(test_variants), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_config), cmocka_unit_test(test_config_gz), cmocka_unit_test(test_config_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
