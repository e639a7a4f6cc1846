/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workspace_fixture.h - a target to make work directories in, and helpers to fill them and to look
 */
#ifndef TESTS_WORKSPACE_FIXTURE_H
#define TESTS_WORKSPACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/remove.h"
#include "core/workspace.h"
#include "platform/clock.h"
#include "platform/disk.h"
#include "tests/private_mounts.h"

#define DEAD_PID 0x7ffffffeu		/* beyond pid_max: a maker that is gone */

static int target = -1;			/* the scratch directory, or the root of the ext4 */
static const char *target_path;

static inline void make_file(int dir, const char *name)
{
	const int fd = openat(dir, name, O_CREAT | O_WRONLY | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static inline int make_dir(int dir, const char *name)
{
	assert_int_equal(mkdirat(dir, name, 0700), 0);
	return openat(dir, name, O_RDONLY | O_DIRECTORY);
}

static inline bool there(int dir, const char *name)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
}

static inline int entries(int dir)
{
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY));
	const struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "lost+found");
	closedir(d);
	return n;
}

static inline int descriptors(void)
{
	const int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	const int n = entries(fd);

	close(fd);
	return n;
}

static inline struct workspace make_workspace(unsigned pid)
{
	struct workspace ws;

	assert_int_equal(fs_workspace_create(target, pid, &ws), 0);
	return ws;
}

static inline void remove_workspace(struct workspace *ws)
{
	char what[NAME_MAX + 1];

	assert_int_equal(fs_workspace_remove(ws, what), 0);
	assert_false(there(target, ws->name));
	assert_int_equal(ws->dir_fd, -1);
}

static int run_in(int (*run)(const char *group), const char *group, const char *path)
{
	char what[NAME_MAX + 1];
	int failed;

	target_path = path;
	target = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target < 0)
		return 1;
	failed = run(group);
	failed += entries(target) != 0;
	fs_remove_contents(target, NULL, what);		/* of tests that failed */
	close(target);
	return failed;
}

/* Enter an ext4 of our own; false: not root, or none to be had. */
static bool enter_ext4(struct fs_disk *disk)
{
	struct fs_disk_spec spec;
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = "ext4", .mkfs = true, .limit_ns = 60 * FS_NSEC_PER_SEC,
	};
	char why[512];

	if (fs_disk_parse("mem:64M", &spec, why) || fs_disk_open(&order, disk, why)) {
		print_message("not on ext4: %s\n", why);
		return false;
	}
	return fs_disk_enter(disk) == 0;
}

/*
 * Run the tests on tmpfs, as root in a mount namespace of its own and then on an ext4 of its own as
 * well. Exit status.
 */
static int run_everywhere(int (*run)(const char *group))
{
	char scratch[] = "/dev/shm/fsstress-test.XXXXXX";
	struct fs_disk disk;
	int failed;

	if (!mkdtemp(scratch) || (!geteuid() && private_mounts())) {
		perror("scratch directory");
		return 1;
	}
	failed = run_in(run, "tmpfs", scratch);
	failed += rmdir(scratch) != 0;
	if (enter_ext4(&disk)) {
		failed += run_in(run, "ext4", disk.point);
		fs_disk_close(&disk);
	}
	return failed != 0;
}

#endif
