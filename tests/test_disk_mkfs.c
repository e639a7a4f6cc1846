// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_disk_mkfs.c - what becomes of a mkfs: its words, its signals, its end
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/disk.h"

#define LIMIT_NS (60 * FS_NSEC_PER_SEC)

/* A mkfs.fake, found on PATH, in a directory of its own, where it may write as well. */
static char dir[] = "/dev/shm/fsstress-mkfs.XXXXXX";
static char mkfs_path[64], pid_path[64];

static int setup(void **state)
{
	char path[8192];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(mkfs_path, sizeof(mkfs_path), "%s/mkfs.fake", dir);
	snprintf(pid_path, sizeof(pid_path), "%s/pid", dir);
	snprintf(path, sizeof(path), "%s:%s", dir, getenv("PATH"));
	return setenv("PATH", path, 1);
}

static int teardown(void **state)
{
	(void)state;
	unlink(mkfs_path);
	unlink(pid_path);
	return rmdir(dir);
}

static void make_mkfs(const char *text)
{
	FILE *f = fopen(mkfs_path, "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/bash\n%s\n", text);
	fclose(f);
	assert_int_equal(chmod(mkfs_path, 0700), 0);
}

static int open_disk(bool (*stopped)(void *arg), void *arg, char why[512])
{
	const struct fs_disk_spec spec = { .kind = FS_DISK_MEM, .bytes = 64 << 20 };
	struct fs_disk disk;
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = "fake", .mkfs = true, .limit_ns = LIMIT_NS,
		.stopped = stopped, .arg = arg,
	};
	const int err = fs_disk_open(&order, &disk, why);

	assert_int_equal(disk.ns_fd, -1);
	assert_int_equal(disk.dev_fd, -1);
	return err;
}

/* The caller blocks signals to take them by a descriptor; a mkfs must not be deaf for that. */
static void test_hears_signals(void **state)
{
	sigset_t set, before;
	char why[512];
	int err;

	(void)state;
	/* bash: other shells clear the mask that they get. */
	make_mkfs("while read -r l; do [[ $l = SigBlk* ]] && echo $l >&2; done </proc/$$/status; exit 1");
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	err = open_disk(NULL, NULL, why);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(err, -EIO);
	assert_non_null(strstr(why, "0000000000000000"));
}

static void test_words(void **state)
{
	char why[512];

	(void)state;
	make_mkfs("echo >&2; echo '  no room ' >&2; exit 3");
	assert_int_equal(open_disk(NULL, NULL, why), -EIO);
	assert_string_equal(why, "mkfs.fake failed (3): no room ");
	make_mkfs("echo 'the device is' >&2; echo '  too small' >&2; exit 3");
	assert_int_equal(open_disk(NULL, NULL, why), -EIO);
	assert_string_equal(why, "mkfs.fake failed (3): the device is ...");
	make_mkfs("printf 'word %0999d' 1 >&2; exit 3");
	assert_int_equal(open_disk(NULL, NULL, why), -EIO);
	assert_string_equal(why + strlen(why) - strlen("00 ..."), "00 ...");
	make_mkfs("exit 3");
	assert_int_equal(open_disk(NULL, NULL, why), -EIO);
	assert_string_equal(why, "mkfs.fake failed (3) and does not say why");
}

/* Once mkfs is at work: it has written its process id. */
static bool mkfs_works(void *pid)
{
	FILE *f = fopen(pid_path, "r");
	const bool works = f && fscanf(f, "%d\n", (int *)pid) == 1;

	if (f)
		fclose(f);
	return works;
}

static void test_interrupted(void **state)
{
	const uint64_t start = fs_now_ns();
	char why[512], text[256];
	int pid = 0;

	(void)state;
	snprintf(text, sizeof(text), "echo $$ >%s; exec sleep 100", pid_path);
	make_mkfs(text);
	assert_int_equal(open_disk(mkfs_works, &pid, why), -EINTR);
	assert_true(fs_now_ns() - start < LIMIT_NS / 2);
	assert_true(pid > 0);
	assert_int_equal(kill(pid, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hears_signals),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_interrupted),
	};

	if (geteuid()) {
		print_message("making disks needs root\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
