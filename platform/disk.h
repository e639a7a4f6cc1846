/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h - a disk of our own to measure on: make, format, mount, and leave nothing
 *
 * Everything lives in a mount namespace of its own and hangs on descriptors: the backing file is
 * unlinked as soon as it is open, the loop device clears itself when it is closed last, the mount
 * goes with the namespace. So nothing survives the end of the processes that hold them, however
 * they end. A zram device does not clear itself: a process of its own removes it when all others
 * have ended, and if that one is killed as well, the device stays.
 */
#ifndef PLATFORM_DISK_H
#define PLATFORM_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum fs_disk_kind { FS_DISK_LOOP, FS_DISK_MEM, FS_DISK_ZRAM, FS_DISK_TMPFS, FS_DISK_DEVICE };

struct fs_disk_spec {			/* loop:2G,dir=D   mem:2G   zram:2G   tmpfs:2G   /dev/X */
	enum fs_disk_kind kind;
	uint64_t bytes;
	char dir[4096];			/* of the backing file; "": $TMPDIR or /var/tmp */
	char device[256];
};

/* Parse SPEC. -EINVAL with one line in why: what is wrong and the valid spelling. */
int fs_disk_parse(const char *text, struct fs_disk_spec *spec, char why[256]);

struct fs_disk {			/* a mounted one; no pointers */
	int ns_fd;			/* mount namespace for setns(2); close-on-exec off */
	int root_fd;			/* the caller's root directory inside the namespace */
	int dev_fd;			/* keeps the loop device alive over a remount; -1: none */
	int keeper_fd;			/* while it is open, the zram device stays; -1: none */
	pid_t keeper;			/* our child that removes the zram device */
	char source[64];		/* "/dev/loop3", "/dev/zram1", "tmpfs" */
	char point[64];			/* where it is mounted inside the namespace */
	uint64_t below_dev;		/* st_dev of what lies below the mount */
	char fstype[16], data[256];
	uint64_t flags;			/* mount(2) flags */
};

struct fs_disk_order {
	const struct fs_disk_spec *spec;
	const char *fstype;		/* NULL: what the disk says by itself (tmpfs) */
	const char *mkfs_opts, *mount_opts;	/* or NULL */
	bool mkfs;			/* false: mount what is there */
	bool yes_destroy;		/* a device may be formatted */
	uint64_t limit_ns;
	bool (*stopped)(void *arg);	/* asked every 20 ms whether to end early; NULL: never */
	void *arg;
};

/*
 * Make and mount in a child of its own, so that the caller keeps its namespace and a hanging mkfs
 * or device hangs only the child (limit_ns, then -ETIMEDOUT). -EINTR when it was stopped. A device
 * is formatted only when it is neither mounted, held nor in use (-EBUSY). -ENODEV where the kernel
 * has no zram. On failure -errno, one line in why, and nothing is left.
 */
int fs_disk_open(const struct fs_disk_order *order, struct fs_disk *disk, char why[512]);
/*
 * Enter the namespace for good, with the same root directory (in a chroot, too); the working
 * directory is / then. 0 or -errno. For children.
 */
int fs_disk_enter(const struct fs_disk *disk);

/*
 * Close the descriptors: with the last process inside gone, mount, device and backing file are gone
 * as well. A zram device is waited for, for 5 s.
 */
void fs_disk_close(struct fs_disk *disk);
/* A child that has nothing to do with the disk: close what was inherited, and end nothing. */
void fs_disk_forget(struct fs_disk *disk);

#endif
