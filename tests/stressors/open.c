// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open - a stressor for the tests: what threads share that processes do not is met by every open(2)
 *
 * Op:     openat(2) of an own file that is there, in an own directory, then close(2) of it.
 * Path:   do_filp_open > lookup from the working directory > alloc_empty_file takes a reference on
 * the credentials > fd_install. Scales: with the CPUs, as long as descriptor table, working
 * directory and credentials are each worker's own.
 */
#include "core/stressor.h"

#define OPEN_NAME "file"

static int open_setup(struct fs_worker *w)
{
	const int fd = fs_file_open(w, OPEN_NAME, O_RDWR | O_CREAT);

	return fd < 0 ? fd : 0;
}

static inline long open_op(struct fs_worker *w)
{
	const int fd = openat(fs_dir(w), OPEN_NAME, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fs_sys(close(fd));
}
FS_RUN_LOOP(open_run, open_op)

static const struct fs_calls open_calls[] = { { "openat", 1, OPEN_NAME },
					      { "close", 1, NULL },
					      { .name = NULL } };

static const struct fs_variant open_variants[] = { { .name = "",
						     .op = "openat(2) and close(2) of an own file",
						     .calls = open_calls,
						     .run = open_run },
						   { .run = NULL } };

const struct fs_stressor fs_stressor_open = {
	.name = "open",
	.summary = "test only: open and close an own file",
	.version = 1,
	.variants = open_variants,
	.setup = open_setup,
};
