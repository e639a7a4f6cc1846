/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - facts about the machine that a reader of a result needs; recorded, never changed
 */
#ifndef PLATFORM_HOST_H
#define PLATFORM_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct fs_host {			/* "" or -1: unknown */
	char kernel[256];		/* uname release */
	char release[512];		/* uname version */
	char boot_id[40], machine[72], nodename[72];
	char cpu_model[128], microcode[32], hypervisor[64];
	int cpus_online, numa_nodes;
	uint64_t page_size, mem_total_bytes;
	char governor[32], clocksource[32], smt[32], thp[32];
	int autogroup;
	char cmdline[1024];
	char mitigations[4096];		/* "name: text\n" each */
	char debug_configs[512];	/* "KASAN LOCKDEP", of the kernel's configuration */
	bool debug_configs_known;
	double load1;			/* load average, 1 minute */
};

void fs_host_read(struct fs_host *h);

#endif
