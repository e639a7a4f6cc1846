// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/host.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "platform/sysfile.h"

#define HOST_CPU "/sys/devices/system/cpu/"

static const char *host_path(char at[PATH_MAX], const char *root, const char *path)
{
	snprintf(at, PATH_MAX, "%s%s", root, path);
	return at;
}

static long host_text(const char *root, const char *path, char *text, size_t size)
{
	char at[PATH_MAX];

	return fs_sysfile_read(host_path(at, root, path), text, size);
}

static int64_t host_number(const char *root, const char *path)
{
	char text[32], *end;
	long long value;

	if (host_text(root, path, text, sizeof(text)) <= 0)
		return -1;
	value = strtoll(text, &end, 10);
	return *end ? -1 : value;
}

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
static void host_cpuinfo(const char *root, struct fs_host *h)
{
	char at[PATH_MAX], *line = NULL;
	FILE *f = fopen(host_path(at, root, "/proc/cpuinfo"), "re");
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

static void host_hypervisor(const char *root, struct fs_host *h)
{
	if (host_text(root, "/sys/hypervisor/type", h->hypervisor, sizeof(h->hypervisor)) > 0)
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

static void host_governor(const char *root, struct fs_host *h)
{
	char text[sizeof(h->governor)], at[PATH_MAX];
	glob_t g;

	host_path(at, root, HOST_CPU "cpufreq/policy*/scaling_governor");
	if (glob(at, 0, NULL, &g))
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

static void host_mitigations(const char *root, struct fs_host *h)
{
	char text[256], line[512], at[PATH_MAX];
	glob_t g;

	if (glob(host_path(at, root, HOST_CPU "vulnerabilities/*"), 0, NULL, &g))
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
static int host_numa_nodes(const char *root)
{
	char at[PATH_MAX];
	glob_t g;
	int n = 1;

	host_path(at, root, "/sys/devices/system/node/node[0-9]*");
	if (!glob(at, 0, NULL, &g)) {
		n = (int)g.gl_pathc;
		globfree(&g);
	}
	return n;
}

/* Above the frequency that the CPUs are sold for: as a driver of its own says it, or as all do. */
static int host_turbo(const char *root)
{
	const int64_t off = host_number(root, HOST_CPU "intel_pstate/no_turbo");

	return off < 0 ? (int)host_number(root, HOST_CPU "cpufreq/boost") : !off;
}

static void host_memory(const char *root, struct fs_host *h)
{
	char text[4096];

	host_text(root, "/proc/meminfo", text, sizeof(text));
	h->mem_available_bytes = fs_sysfile_meminfo(text, "MemAvailable");
	h->swap_total_bytes = fs_sysfile_meminfo(text, "SwapTotal");
	h->swap_free_bytes = fs_sysfile_meminfo(text, "SwapFree");
	h->dirty = (struct fs_dirty_limits){
		.ratio = host_number(root, "/proc/sys/vm/dirty_ratio"),
		.background_ratio = host_number(root, "/proc/sys/vm/dirty_background_ratio"),
		.bytes = host_number(root, "/proc/sys/vm/dirty_bytes"),
		.background_bytes = host_number(root, "/proc/sys/vm/dirty_background_bytes"),
		.expire_cs = host_number(root, "/proc/sys/vm/dirty_expire_centisecs"),
		.writeback_cs = host_number(root, "/proc/sys/vm/dirty_writeback_centisecs"),
	};
}

/* "PID (NAME) STATE PPID PGRP SESSION TTY ...", where NAME may hold anything. */
static int host_terminal(const char *root)
{
	char text[512], *name_end;
	int tty;

	host_text(root, "/proc/self/stat", text, sizeof(text));
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end, ") %*c %*d %*d %*d %d", &tty) != 1)
		return -1;
	return tty != 0;
}

static void host_load(const char *root, struct fs_host *h)
{
	char text[128];

	host_text(root, "/proc/loadavg", text, sizeof(text));
	if (sscanf(text, "%lf %lf %lf", &h->load[0], &h->load[1], &h->load[2]) != 3)
		h->load[0] = h->load[1] = h->load[2] = -1;
}

static void host_kernel(const char *root, struct fs_host *h)
{
	char at[PATH_MAX];

	host_text(root, "/proc/sys/kernel/random/boot_id", h->boot_id, sizeof(h->boot_id));
	host_text(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  h->clocksource, sizeof(h->clocksource));
	host_text(root, "/proc/cmdline", h->cmdline, sizeof(h->cmdline));
	host_path(at, root, "/sys/kernel/mm/transparent_hugepage/enabled");
	fs_sysfile_choice(at, h->thp, sizeof(h->thp));
	h->autogroup = (int)host_number(root, "/proc/sys/kernel/sched_autogroup_enabled");
	h->terminal = host_terminal(root);
	fs_host_config(root, h);
}

void fs_host_read(const char *root, struct fs_host *h)
{
	memset(h, 0, sizeof(*h));
	host_uname(h);
	host_cpuinfo(root, h);
	host_hypervisor(root, h);
	host_governor(root, h);
	host_mitigations(root, h);
	if (!h->microcode[0])
		host_text(root, HOST_CPU "cpu0/microcode/version", h->microcode,
			  sizeof(h->microcode));
	host_text(root, HOST_CPU "smt/control", h->smt, sizeof(h->smt));
	h->turbo = host_turbo(root);
	h->cpus_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	h->numa_nodes = host_numa_nodes(root);
	h->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	h->mem_total_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * h->page_size;
	host_memory(root, h);
	host_kernel(root, h);
	host_load(root, h);
}
