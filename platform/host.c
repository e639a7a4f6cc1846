// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/host.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "platform/compiler.h"
#include "platform/sysfile.h"

#define HOST_CPU "/sys/devices/system/cpu/"

/* Options that make a kernel's numbers incomparable with a production kernel's. */
static const char *const host_debug_configs[] = {
	"KASAN", "KCSAN", "KMSAN", "UBSAN", "KCOV", "GCOV_KERNEL", "DEBUG_KMEMLEAK",
	"PROVE_LOCKING", "LOCKDEP", "LOCK_STAT", "DEBUG_LOCK_ALLOC", "DEBUG_SPINLOCK",
	"DEBUG_MUTEXES", "DEBUG_RWSEMS", "DEBUG_ATOMIC_SLEEP", "DEBUG_PREEMPT", "PROVE_RCU",
	"DEBUG_PAGEALLOC", "DEBUG_OBJECTS", "DEBUG_LIST", "DEBUG_VM", "SLUB_DEBUG_ON",
	"FAULT_INJECTION",
	"XFS_DEBUG", "BTRFS_DEBUG", "BTRFS_ASSERT", "EXT4_DEBUG", "F2FS_CHECK_FS",
};

static void host_add(char *list, size_t size, const char *text)
{
	const size_t used = strlen(list);

	if (used + strlen(text) < size)
		strcpy(list + used, text);
}

static void host_uname(struct fs_host *h)
{
	struct utsname u;

	if (uname(&u))
		return;
	snprintf(h->kernel, sizeof(h->kernel), "%s", u.release);
	snprintf(h->release, sizeof(h->release), "%s", u.version);
	snprintf(h->machine, sizeof(h->machine), "%s", u.machine);
	snprintf(h->nodename, sizeof(h->nodename), "%s", u.nodename);
}

/* The value of "key : value" if the line is of that key. */
static void host_value(const char *line, const char *key, char *text, size_t size)
{
	const char *at = line + strlen(key);

	if (strncmp(line, key, strlen(key)))
		return;
	at += strspn(at, " \t");
	if (*at != ':')
		return;
	at += 1 + strspn(at + 1, " \t");
	snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The first CPU's paragraph of /proc/cpuinfo. */
static void host_cpuinfo(struct fs_host *h)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return;
	while (getline(&line, &size, f) > 0 && line[0] != '\n') {
		host_value(line, "model name", h->cpu_model, sizeof(h->cpu_model));
		host_value(line, "microcode", h->microcode, sizeof(h->microcode));
	}
	free(line);
	fclose(f);
}

static void host_hypervisor(struct fs_host *h)
{
	if (fs_sysfile_read("/sys/hypervisor/type", h->hypervisor, sizeof(h->hypervisor)) > 0)
		return;
#if defined(__x86_64__) || defined(__i386__)
	unsigned regs[4];

	/* Bit 31 of leaf 1 ecx: a hypervisor is there; its leaf names it in 12 bytes. */
	if (!__get_cpuid(1, &regs[0], &regs[1], &regs[2], &regs[3]) || !(regs[2] >> 31))
		return;
	__cpuid(0x40000000, regs[0], regs[1], regs[2], regs[3]);
	memcpy(h->hypervisor, &regs[1], 12);
#endif
}

static void host_governor(struct fs_host *h)
{
	char text[sizeof(h->governor)];
	glob_t g;

	if (glob(HOST_CPU "cpufreq/policy*/scaling_governor", 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (fs_sysfile_read(g.gl_pathv[i], text, sizeof(text)) <= 0)
			continue;
		if (h->governor[0] && strcmp(h->governor, text))
			strcpy(text, "mixed");
		strcpy(h->governor, text);
	}
	globfree(&g);
}

static void host_mitigations(struct fs_host *h)
{
	char text[256], line[512];
	glob_t g;

	if (glob(HOST_CPU "vulnerabilities/*", 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (fs_sysfile_read(g.gl_pathv[i], text, sizeof(text)) <= 0)
			continue;
		snprintf(line, sizeof(line), "%s: %s\n", strrchr(g.gl_pathv[i], '/') + 1, text);
		host_add(h->mitigations, sizeof(h->mitigations), line);
	}
	globfree(&g);
}

/* A kernel without NUMA shows no nodes and has one. */
static int host_numa_nodes(void)
{
	glob_t g;
	int n = 1;

	if (!glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &g)) {
		n = (int)g.gl_pathc;
		globfree(&g);
	}
	return n;
}

static void host_config_line(struct fs_host *h, const char *line)
{
	char name[64];

	if (sscanf(line, "CONFIG_%63[A-Z0-9_]=y", name) != 1 || strcmp(strchr(line, '='), "=y\n"))
		return;
	for (size_t i = 0; i < FS_ARRAY_SIZE(host_debug_configs); i++) {
		if (strcmp(name, host_debug_configs[i]))
			continue;
		if (h->debug_configs[0])
			host_add(h->debug_configs, sizeof(h->debug_configs), " ");
		host_add(h->debug_configs, sizeof(h->debug_configs), name);
	}
}

/*
 * /proc/config.gz would take an inflater: a kernel that has but that stays unknown, which is not
 * the same as "none".
 */
static void host_config(struct fs_host *h)
{
	static const char *const places[] = { "/boot/config-%s", "/lib/modules/%s/config" };
	char path[512], *line = NULL;
	size_t size = 0;
	FILE *f = NULL;

	for (size_t i = 0; !f && i < FS_ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), places[i], h->kernel);
		f = fopen(path, "re");
	}
	if (!f)
		return;
	while (getline(&line, &size, f) > 0)
		if (!strncmp(line, "CONFIG_", 7) && strchr(line, '='))
			host_config_line(h, line);
	h->debug_configs_known = true;
	free(line);
	fclose(f);
}

void fs_host_read(struct fs_host *h)
{
	memset(h, 0, sizeof(*h));
	host_uname(h);
	host_cpuinfo(h);
	host_hypervisor(h);
	host_governor(h);
	host_mitigations(h);
	host_config(h);
	if (!h->microcode[0])
		fs_sysfile_read(HOST_CPU "cpu0/microcode/version",
				h->microcode, sizeof(h->microcode));
	fs_sysfile_read("/proc/sys/kernel/random/boot_id", h->boot_id, sizeof(h->boot_id));
	fs_sysfile_read("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			h->clocksource, sizeof(h->clocksource));
	fs_sysfile_read(HOST_CPU "smt/control", h->smt, sizeof(h->smt));
	fs_sysfile_read("/proc/cmdline", h->cmdline, sizeof(h->cmdline));
	fs_sysfile_choice("/sys/kernel/mm/transparent_hugepage/enabled", h->thp, sizeof(h->thp));
	h->autogroup = fs_sysfile_int("/proc/sys/kernel/sched_autogroup_enabled", -1);
	h->cpus_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	h->numa_nodes = host_numa_nodes();
	h->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	h->mem_total_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * h->page_size;
	if (getloadavg(&h->load1, 1) != 1)
		h->load1 = -1;
}
