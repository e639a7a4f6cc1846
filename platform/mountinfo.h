/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountinfo.h - the mounts of the calling task's namespace
 */
#ifndef PLATFORM_MOUNTINFO_H
#define PLATFORM_MOUNTINFO_H

#include <stdint.h>
#include <sys/types.h>

struct fs_mountinfo {			/* one line; strings unescaped, valid during the call */
	uint64_t id;
	dev_t dev;			/* of the superblock: unlike st_dev, one for all of btrfs */
	const char *point, *options, *fstype, *source, *super_options;
};

/*
 * Call each() for every mount, lower ones first; a return other than 0 ends it and is returned.
 * -errno: unreadable.
 */
int fs_mountinfo_each(int (*each)(const struct fs_mountinfo *m, void *arg), void *arg);

#endif
