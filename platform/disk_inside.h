/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk_inside.h - the parts of disk.h's making, private to platform/disk*.c
 *
 * All but those of zram run in the maker, the child that has a mount namespace of its own. They
 * return 0 or -errno with one line in why.
 */
#ifndef PLATFORM_DISK_INSIDE_H
#define PLATFORM_DISK_INSIDE_H

#include <stdbool.h>

#include "platform/compiler.h"
#include "platform/disk.h"
#include "platform/shown.h"

#define FS_DISK_WHY_MAX 512

/* Fill why; returns err. */
int fs_disk_fail(char why[FS_DISK_WHY_MAX], int err, const char *fmt, ...) FS_PRINTF(3, 4);

/* A descriptor of a file without a name, of the spec's size, its room reserved; or -errno. */
int fs_disk_backing(const struct fs_disk_spec *spec, char why[FS_DISK_WHY_MAX]);
/* Refuse more than 90 % of the memory that is free. */
int fs_disk_memory(const struct fs_disk_spec *spec, char why[FS_DISK_WHY_MAX]);
/*
 * Attach a file to a free loop device that clears itself when it is closed last. Fills dev_fd,
 * read-only because some kernels refuse to mount what is open for writing, and source.
 */
int fs_disk_loop(int backing, struct fs_disk *disk, char why[FS_DISK_WHY_MAX]);
/* Refuse a device that is none, mounted, held or in use. */
int fs_disk_device_free(const char *device, char why[FS_DISK_WHY_MAX]);

/*
 * Start the child that adds a zram device and removes it when keeper_fd is closed, by whatever end
 * of the caller. It answers once, so that keeper_fd can be polled.
 */
int fs_disk_zram(const struct fs_disk_spec *spec, struct fs_disk *disk, char why[FS_DISK_WHY_MAX]);
/* The answer: fills source. */
int fs_disk_zram_take(struct fs_disk *disk, char why[FS_DISK_WHY_MAX]);
/* Let it go, and wait for the removal, with a limit: who still has it open holds that up. */
void fs_disk_zram_end(struct fs_disk *disk);

/*
 * Run mkfs.FSTYPE on disk->source. reserved: it shall not discard, which would give the backing
 * file's room away.
 */
int fs_disk_mkfs(const struct fs_disk *disk, const char *opts, bool reserved,
		 char why[FS_DISK_WHY_MAX]);
/* "noatime,ro,data=journal" into disk->flags and, behind what is there already, disk->data. */
int fs_disk_options(const char *opts, struct fs_disk *disk, char why[FS_DISK_WHY_MAX]);

#endif
