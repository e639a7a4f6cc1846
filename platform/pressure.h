/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pressure.h - what else the machine does: its CPU time, what stalls, what is written back
 *
 * Read at both ends of a window; the difference is what happened in it. So the files are opened
 * before, and reading one is one call: some 20 us for all of them.
 */
#ifndef PLATFORM_PRESSURE_H
#define PLATFORM_PRESSURE_H

#include "platform/target.h"

enum fs_pressure_file {
	FS_PRESSURE_STAT,
	FS_PRESSURE_MEMINFO,
	FS_PRESSURE_CPU,
	FS_PRESSURE_IO,
	FS_PRESSURE_MEMORY,
	FS_PRESSURE_LAZYINIT,		/* the thread's name */
	FS_PRESSURE_MD,			/* what an md array is doing */
	FS_PRESSURE_FILES
};

struct fs_pressure_files {
	int fd[FS_PRESSURE_FILES];	/* -1: not there */
	bool lazyinit_known;
	unsigned cpus;			/* online */
};

struct fs_pressure {			/* UINT64_MAX: unknown */
	/* since boot, all CPUs together, in steps of 10 ms */
	uint64_t busy_ns;		/* non-idle */
	uint64_t steal_ns;		/* runnable, while the hypervisor ran somebody else */
	/* since boot: some, or all, of the tasks that were not idle were stalled for it (PSI) */
	uint64_t cpu_some_us, io_some_us, io_full_us, memory_some_us, memory_full_us;
	/* now, of the whole machine */
	uint64_t dirty_bytes, writeback_bytes;
	int lazyinit;			/* see below; 1, 0, -1 unknown */
	char sync_action[16];		/* of the md array below the target: "idle", "resync"; "" */
	unsigned cpus;			/* online */
};

/*
 * t: what the files of the target's own are found by; or NULL. root stands before every path: "",
 * or a test's own. Looks through all of /proc for the thread, so not once timing has begun.
 *
 * lazyinit: of a target that is ext4, whether the kernel thread ext4lazyinit is there: as long as
 * on any ext4 inode tables are to be zeroed or, after it was mounted, block bitmaps to be read
 * ahead. One thread serves all of them: it does not tell this filesystem from another. One that
 * begins later, by a remount, is not seen. Unknown where kernel threads are not visible, as in a
 * container.
 */
void fs_pressure_open(const char *root, const struct fs_target *t, struct fs_pressure_files *f);
void fs_pressure_read(const struct fs_pressure_files *f, struct fs_pressure *p);
void fs_pressure_close(struct fs_pressure_files *f);

#endif
