/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs_counters.h - what a mounted filesystem counts of its own work: transactions, bytes of its log
 *
 * From /proc and /sys alone, so that a task may read them that must not touch the target. A kernel
 * that keeps no such file, and a filesystem that is in no table, has no counters.
 */
#ifndef PLATFORM_FS_COUNTERS_H
#define PLATFORM_FS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/target.h"

#define FS_MOUNT_COUNTERS_MAX 16

struct fs_mount_field {			/* one number of a file */
	const char *name;		/* for machines: [a-z0-9_] */
	const char *label;		/* for people; NULL: not for them */
	const char *format;		/* of its line, for scanf: one %llu, then %n */
	uint32_t unit;			/* bytes of each; 1: a count; 0: blocks of the filesystem */
	bool average;			/* for each of what the file's first field counts */
	bool wraps;			/* at 2^32 */
	bool log;			/* bytes written to the log, or journal */
};

struct fs_mount_counter {
	const struct fs_mount_field *field;
	uint64_t least, most;		/* what it may be; both UINT64_MAX: unknown */
};

struct fs_mount_counters {
	uint64_t block_size;
	unsigned n;
	struct fs_mount_counter at[FS_MOUNT_COUNTERS_MAX];
};

/* All counters of the filesystem that *t lies on, NULL: none. The same n and fields each time. */
void fs_mount_counters_read(const struct fs_target *t, struct fs_mount_counters *c);

/*
 * Counter i, by its unit, from `start` to `end`. UINT64_MAX: not known, also where it ran backwards
 * (somebody has reset it), or where the kernel's rounding may make up more than a quarter of it.
 */
uint64_t fs_mount_counters_delta(const struct fs_mount_counters *start,
				 const struct fs_mount_counters *end, unsigned i);

/*
 * Pure part of reading, for tests: append the counters of the n-th file that a filesystem has, from
 * its text. false: there is no such file.
 */
bool fs_mount_counters_parse(uint64_t magic, unsigned n, const char *text,
			     struct fs_mount_counters *c);

#endif
