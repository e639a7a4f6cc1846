/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - what the directory under test is: filesystem, device, room
 *
 * Plain data without pointers: a child that may hang on a dead mount fills it in shared memory for
 * its parent.
 */
#ifndef PLATFORM_TARGET_H
#define PLATFORM_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct fs_target {
	char path[PATH_MAX];		/* absolute, any bytes */
	char mount_point[PATH_MAX];
	char fstype[32], source[256], mount_options[1024], super_options[1024];
	char requested_mount_options[256];	/* what we asked for on a disk of ours; "" */
	uint64_t magic;			/* statfs f_type */
	uint64_t block_size, size_bytes, free_bytes;	/* free to this user */
	uint64_t inodes, free_inodes;	/* 0 and 0: allocated dynamically */
	uint64_t mount_id;
	uint64_t dev;			/* st_dev */
	uint64_t block_dev;		/* the disk or partition it is on; 0: none, or unknown */
	uint64_t log_bytes;		/* room of its log; 0: none, or unknown */
	bool on_root;			/* the filesystem that / is on */
	bool initramfs;
	bool in_memory;			/* tmpfs, ramfs: its files have no other place */
	bool ours;			/* a disk that we made */
	uint32_t device_major, device_minor;	/* whole disk or loop behind it; 0:0 unknown */
	char device[64];		/* "loop0", "sda"; "": none */
	int rotational, write_cache;	/* 1, 0, -1 unknown */
	char scheduler[32];
};

/*
 * Fill *t for the directory open at fd (path is what the user gave). 0 or -errno of fstat, fstatfs.
 * What cannot be found (no mountinfo, no device) stays empty.
 */
int fs_target_read(int fd, const char *path, struct fs_target *t);

/*
 * The 17 numbers of /sys/dev/block/M:N/stat; *n how many there were. -ENOENT where there is no
 * device, or where it counts nothing (queue/iostats 0).
 */
int fs_device_stat(uint32_t major, uint32_t minor, uint64_t stat[17], unsigned *n);

#endif
