/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - files such as /proc/vmstat, copied at both ends of the window
 *
 * Read into memory then, written to files after the stage: nothing is written while it is measured.
 */
#ifndef CORE_COPY_H
#define CORE_COPY_H

#include <stddef.h>

struct copy {
	const char *path;
	char *text[2];			/* at the start and at the end; NULL: not read */
	size_t bytes[2];
};

/* Whether it can be read without waiting: 0 or -errno, -EINVAL for what is no regular file. */
int fs_copy_check(const char *path);
/* end: 0 or 1. 0 or -errno. */
int fs_copy_read(struct copy *c, unsigned end);
/* PREFIX.NAME.begin and PREFIX.NAME.end, both or neither; NAME is the path with _ for /. -errno. */
int fs_copy_write(const struct copy *c, const char *prefix);
void fs_copy_free(struct copy *c);

#endif
