// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_disk_zram.c - a zram disk goes with its holders, however they end, though the kernel would keep it
 *
 * Alone: it counts devices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/disk.h"
#include "platform/sysfile.h"
#include "tests/private_mounts.h"

#define BYTES	 (64 << 20)
#define LIMIT_NS (60 * FS_NSEC_PER_SEC)

static void need_root(void)
{
	if (geteuid()) {
		print_message("making disks needs root\n");
		skip();
	}
}

static void need_zram(void)
{
	need_root();
	if (access("/sys/class/zram-control/hot_remove", W_OK)) {
		print_message("this kernel has no zram\n");
		skip();
	}
}

static int make(uint64_t bytes, const char *fstype, uint64_t limit_ns, struct fs_disk *disk)
{
	const struct fs_disk_spec spec = { .kind = FS_DISK_ZRAM, .bytes = bytes };
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = fstype, .mkfs = true, .limit_ns = limit_ns,
	};
	char why[512] = "";
	const int err = fs_disk_open(&order, disk, why);

	assert_int_equal(err != 0, why[0] != '\0');
	if (err)
		assert_int_equal(disk->keeper_fd, -1);
	return err;
}

static bool there(const char *source)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s", strrchr(source, '/') + 1);
	return !access(path, F_OK);
}

static int entries(const char *directory, const char *prefix)
{
	DIR *d = opendir(directory);
	const struct dirent *e;
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.' && !strncmp(e->d_name, prefix, strlen(prefix));
	closedir(d);
	return n;
}

/* The caller's pipes and directory are not held, nor the mount: it could not go before its keeper. */
static void check_keeper(const struct fs_disk *disk)
{
	char path[64], theirs[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/fd", disk->keeper);
	assert_int_equal(entries(path, ""), 2);
	snprintf(path, sizeof(path), "/proc/%d/cwd", disk->keeper);
	assert_int_equal(readlink(path, theirs, sizeof(theirs)), 1);
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", disk->keeper);
	assert_true(readlink(path, theirs, sizeof(theirs) - 1) > 0);
	assert_true(readlink("/proc/self/ns/mnt", ours, sizeof(ours) - 1) > 0);
	assert_string_equal(theirs, ours);
}

static void test_made(void **state)
{
	char path[128], text[32];
	struct fs_disk disk;
	int status;
	pid_t pid;

	(void)state;
	need_zram();
	assert_int_equal(make(BYTES, "ext4", LIMIT_NS, &disk), 0);
	assert_int_equal(strncmp(disk.source, "/dev/zram", 9), 0);
	snprintf(path, sizeof(path), "/sys/block/%.60s/disksize", disk.source + 5);
	assert_true(fs_sysfile_read(path, text, sizeof(text)) > 0);
	assert_string_equal(text, "67108864");
	check_keeper(&disk);
	pid = fork();
	if (!pid)
		_exit(fs_disk_enter(&disk) || chdir(disk.point) || mkdir("made", 0700));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fs_disk_close(&disk);
	assert_false(there(disk.source));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(disk.keeper_fd, -1);
}

/* Whoever has it open holds the removal up, not the one who closes it. */
static void test_held(void **state)
{
	struct fs_disk disk;
	int fd;

	(void)state;
	need_zram();
	assert_int_equal(make(BYTES, "ext4", LIMIT_NS, &disk), 0);
	fd = open(disk.source, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	fs_disk_close(&disk);
	assert_true(there(disk.source));
	close(fd);
	assert_int_equal(waitpid(disk.keeper, NULL, 0), disk.keeper);
	assert_false(there(disk.source));
}

static void test_failures(void **state)
{
	struct fs_disk disk;

	(void)state;
	need_zram();
	assert_int_equal(make(900ull << 40, "ext4", LIMIT_NS, &disk), -ENOSPC);
	assert_int_equal(make(BYTES, "nosuchfs", LIMIT_NS, &disk), -ENOENT);
	assert_int_equal(strncmp(disk.source, "/dev/zram", 9), 0);
	assert_false(there(disk.source));
	/* At the first look it is late, and the keeper is at work: it ends when all is gone. */
	assert_int_equal(make(BYTES, "ext4", 1, &disk), -ETIMEDOUT);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* In a mount namespace of its own, where there is no zram, or where what is added could not be removed. */
static int make_without(const char *type, const char *where, unsigned long flags)
{
	const int before = entries("/sys/block", "zram");
	struct fs_disk disk;
	int status;
	pid_t pid;

	need_root();
	pid = fork();
	if (!pid) {
		if (private_mounts() || mount("none", where, type, flags, NULL))
			_exit(0);
		_exit(-make(BYTES, "ext4", LIMIT_NS, &disk));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* Other runs may have devices as well, but not for ever. */
	for (int i = 0; entries("/sys/block", "zram") > before && i < 1000; i++)
		fs_sleep_until(fs_now_ns() + 10 * FS_NSEC_PER_MSEC);
	assert_true(entries("/sys/block", "zram") <= before);
	assert_true(WIFEXITED(status));
	if (!WEXITSTATUS(status))
		print_message("cannot change %s here\n", where);
	return WEXITSTATUS(status);
}

static void test_refusals(void **state)
{
	int err = make_without("tmpfs", "/sys/class", 0);

	(void)state;
	if (!err)
		skip();
	assert_int_equal(err, ENODEV);
	need_zram();
	err = make_without(NULL, "/sys", MS_REMOUNT | MS_BIND | MS_RDONLY);
	if (!err)
		skip();
	assert_int_equal(err, EROFS);
	assert_int_equal(make_without("tmpfs", "/dev", 0), ENOENT);
}

/* A holder in a process group of its own, with somebody inside who dies with it. */
static _Noreturn void hold(int out)
{
	struct fs_disk disk;
	pid_t inside;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (make(BYTES, "ext4", LIMIT_NS, &disk))
		_exit(1);
	inside = fork();
	if (!inside) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fs_disk_enter(&disk) || chdir(disk.point) || open("file", O_CREAT | O_RDWR, 0600) < 0 ||
		    write(out, &disk, sizeof(disk)) != sizeof(disk))
			_exit(1);
	}
	pause();
	_exit(1);
}

static void check_killed(bool group)
{
	struct fs_disk disk;
	int out[2];
	pid_t pid;

	need_zram();
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid)
		hold(out[1]);
	close(out[1]);
	assert_int_equal(read(out[0], &disk, sizeof(disk)), sizeof(disk));
	close(out[0]);
	assert_true(there(disk.source));
	/* As who stops a whole service would. */
	assert_int_equal(kill(disk.keeper, SIGTERM), 0);
	kill(group ? -pid : pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; there(disk.source) && i < 1000; i++)
		fs_sleep_until(fs_now_ns() + 10 * FS_NSEC_PER_MSEC);
	assert_false(there(disk.source));
}

static void test_killed(void **state)
{
	(void)state;
	check_killed(false);
}

static void test_group_killed(void **state)
{
	(void)state;
	check_killed(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made), cmocka_unit_test(test_held), cmocka_unit_test(test_failures),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_killed), cmocka_unit_test(test_group_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
