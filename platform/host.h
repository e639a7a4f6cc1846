/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - facts about the machine that a reader of a result needs; recorded, never changed
 *
 * What a window's length matters to is in pressure.h.
 */
#ifndef PLATFORM_HOST_H
#define PLATFORM_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct fs_dirty_limits {		/* /proc/sys/vm/dirty_*, writing back pages; -1: unknown */
	int64_t ratio, background_ratio;	/* percent; 0 where bytes are set instead */
	int64_t bytes, background_bytes;	/* the same */
	int64_t expire_cs, writeback_cs;	/* hundredths of a second */
};

struct fs_host {			/* "", -1 or UINT64_MAX: unknown */
	char kernel[256];		/* uname release */
	char release[512];		/* uname version */
	char boot_id[40], machine[72], nodename[72];
	char cpu_model[128], microcode[32], hypervisor[64];
	int cpus_online, numa_nodes;
	uint64_t page_size, mem_total_bytes, mem_available_bytes;
	uint64_t swap_total_bytes, swap_free_bytes;
	struct fs_dirty_limits dirty;
	char governor[32], clocksource[32], smt[32], thp[32];
	int autogroup, turbo;		/* 1, 0 */
	int terminal;			/* whether this process has a controlling terminal */
	char cmdline[1024];
	char mitigations[4096];		/* "name: text\n" each */
	char debug_configs[512];	/* "KASAN LOCKDEP", of the kernel's configuration */
	bool debug_configs_known;
	char distorting[512];		/* those of them, and boot options, that slow all down */
	char kconfig[20];		/* hash of the kernel's configuration, 16 digits */
	double load[3];			/* load averages of 1, 5 and 15 minutes */
};

/* root stands before every path that is read: "", or a test's own /proc and /sys. */
void fs_host_read(const char *root, struct fs_host *h);

/* Part of it: debug_configs, distorting, kconfig. h->kernel and h->cmdline are known. */
void fs_host_config(const char *root, struct fs_host *h);

#endif
