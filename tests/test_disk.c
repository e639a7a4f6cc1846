// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_disk.c - disks of our own: parsed, made, mounted out of sight, gone with their holders, however they end
 *
 * Alone: it counts mounts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/disk.h"
#include "platform/mountinfo.h"
#include "platform/settle.h"
#include "platform/target.h"

#define LIMIT_NS (60 * FS_NSEC_PER_SEC)

static void need_root(void)
{
	if (geteuid()) {
		print_message("making disks needs root\n");
		skip();
	}
}

static int count_mount(const struct fs_mountinfo *m, void *arg)
{
	(void)m;
	++*(int *)arg;
	return 0;
}

static int mounts(void)
{
	int n = 0;

	assert_int_equal(fs_mountinfo_each(count_mount, &n), 0);
	return n;
}

static bool loop_in_use(const char *source)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", strrchr(source, '/') + 1);
	return !access(path, F_OK);
}

/*
 * Other runs use loop devices as well, also at once, so "gone" may take its time under udev, but
 * not for ever.
 */
static void assert_loop_gone(const char *source)
{
	const uint64_t deadline = fs_now_ns() + 10 * FS_NSEC_PER_SEC;

	while (loop_in_use(source) && fs_now_ns() < deadline)
		fs_sleep_until(fs_now_ns() + 10 * FS_NSEC_PER_MSEC);
	assert_false(loop_in_use(source));
}

static struct fs_disk_spec parse(const char *text)
{
	struct fs_disk_spec spec;
	char why[256];

	assert_int_equal(fs_disk_parse(text, &spec, why), 0);
	return spec;
}

static void test_parse(void **state)
{
	static const char *const bad[] = {
		"", "loop", "loop:", "loop:0", "loop:-1G", "loop:2G,dir=", "loop:2G,dirs=/x",
		"mem:2G,dir=/x", "mem:2Gx", "mem: 2G", "tmpfs:1.5G", "tmpfs:99999999999T",
		"zram", "zram:", "zram:1G,dir=/x", "sda", "/dev/", "/etc/passwd", "disk:2G", "loop:2iB", "loop:KG",
	};
	struct fs_disk_spec spec = parse("loop:2G,dir=/a,b");
	char why[256], text[5000] = "";

	(void)state;
	assert_int_equal(spec.kind, FS_DISK_LOOP);
	assert_int_equal(spec.bytes, 2ull << 30);
	assert_string_equal(spec.dir, "/a,b");
	assert_int_equal(parse("loop:64MiB").bytes, 64 << 20);
	assert_int_equal(parse("mem:2GB").bytes, 2000000000);
	assert_int_equal(parse("mem:3Ki").bytes, 3072);
	assert_int_equal(parse("tmpfs:1048576").bytes, 1 << 20);
	assert_int_equal(parse("mem:1T").kind, FS_DISK_MEM);
	assert_int_equal(parse("zram:2G").kind, FS_DISK_ZRAM);
	assert_string_equal(parse("/dev/vda").device, "/dev/vda");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		assert_int_equal(fs_disk_parse(bad[i], &spec, why), -EINVAL);
		assert_non_null(strstr(why, "loop:2G"));
	}
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(fs_disk_parse(text, &spec, why), -EINVAL);
	assert_non_null(strstr(why, "xxx...' is not"));
}

static int make_disk(const struct fs_disk_spec *spec, const char *fstype, bool mkfs, bool yes_destroy,
		     struct fs_disk *disk, char why[512])
{
	const struct fs_disk_order order = {
		.spec = spec, .fstype = fstype, .mkfs = mkfs, .yes_destroy = yes_destroy,
		.limit_ns = LIMIT_NS,
	};

	return fs_disk_open(&order, disk, why);
}

static int open_disk(const char *text, const char *fstype, const char *mkfs_opts, const char *mount_opts,
		     struct fs_disk *disk)
{
	const struct fs_disk_spec spec = parse(text);
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = fstype, .mkfs_opts = mkfs_opts, .mount_opts = mount_opts,
		.mkfs = true, .limit_ns = LIMIT_NS,
	};
	char why[512] = "";
	const int err = fs_disk_open(&order, disk, why);

	if (err)
		print_message("%s %s: %s\n", text, fstype ? fstype : "-", why);
	if (err) {
		assert_true(why[0]);
		assert_null(strchr(why, '\n'));
		assert_int_equal(disk->ns_fd, -1);
		assert_int_equal(disk->dev_fd, -1);
	}
	return err;
}

/* What a stage would see: the target inside the namespace, by way of a child. */
static void look_inside(const struct fs_disk *disk, struct fs_target *t)
{
	int out[2];
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		static struct fs_target inside;
		const char *end = (const char *)(&inside + 1);
		bool settled;
		int fd;

		if (fs_disk_enter(disk) < 0)
			_exit(1);
		fd = open(disk->point, O_RDONLY | O_DIRECTORY);
		if (mkdirat(fd, "made", 0700) || fs_settle(fd, FS_NSEC_PER_SEC, true, &settled) ||
		    mkdirat(fd, "after-thaw", 0700) || fs_target_read(fd, disk->point, &inside))
			_exit(2);
		for (const char *p = (const char *)&inside; p < end; ) {
			const ssize_t n = write(out[1], p, (size_t)(end - p));

			if (n < 0)
				_exit(3);
			p += n;
		}
		_exit(0);
	}
	close(out[1]);
	for (size_t have = 0; have < sizeof(*t); ) {
		const ssize_t n = read(out[0], (char *)t + have, sizeof(*t) - have);

		assert_true(n > 0);
		have += (size_t)n;
	}
	close(out[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check_disk(const char *text, const char *fstype, const char *mkfs_opts)
{
	const int before = mounts();
	struct fs_target t;
	struct fs_disk disk;

	need_root();
	if (open_disk(text, fstype, mkfs_opts, "noatime,nodev", &disk) == -ENOENT)
		skip();			/* said why: no mkfs */
	assert_true(disk.ns_fd >= 0);
	assert_int_equal(fcntl(disk.ns_fd, F_GETFD), 0);
	assert_int_equal(mounts(), before);
	look_inside(&disk, &t);
	assert_string_equal(t.fstype, fstype ? fstype : "tmpfs");
	assert_string_equal(t.source, disk.source);
	assert_non_null(strstr(t.mount_options, "noatime"));
	assert_non_null(strstr(t.mount_options, "nodev"));
	assert_false(t.on_root);
	if (disk.dev_fd >= 0) {
		assert_string_equal(t.device, strrchr(disk.source, '/') + 1);
		assert_true(t.device_major);
		assert_true(loop_in_use(disk.source));
	}
	fs_disk_close(&disk);
	assert_int_equal(mounts(), before);
	if (t.device[0])
		assert_loop_gone(disk.source);
}

static void test_loop_ext4(void **state)
{
	(void)state;
	check_disk("loop:64M", "ext4", "-b 1024 -N 512");
}

static void test_mem_ext4(void **state)
{
	(void)state;
	check_disk("mem:64M", "ext4", NULL);
}

static void test_mem_xfs(void **state)
{
	(void)state;
	check_disk("mem:320M", "xfs", NULL);
}

static void test_mem_btrfs(void **state)
{
	(void)state;
	check_disk("mem:128M", "btrfs", NULL);
}

static void test_tmpfs(void **state)
{
	(void)state;
	check_disk("tmpfs:16M", NULL, NULL);
}

static void test_refusals(void **state)
{
	const int before = mounts();
	struct fs_disk disk;

	(void)state;
	assert_int_equal(open_disk("mem:64M", NULL, NULL, NULL, &disk), -EINVAL);
	assert_int_equal(open_disk("mem:64M", "../bin/sh", NULL, NULL, &disk), -EINVAL);
	assert_int_equal(open_disk("mem:64M", "tmpfs", NULL, NULL, &disk), -EINVAL);
	assert_int_equal(open_disk("tmpfs:64M", "ext4", NULL, NULL, &disk), -EINVAL);
	need_root();
	assert_int_equal(open_disk("mem:64M", "nosuchfs", NULL, NULL, &disk), -ENOENT);
	assert_int_equal(open_disk("mem:64M", "ext4", "-O nonsense", NULL, &disk), -EIO);
	assert_true(open_disk("mem:64M", "ext4", NULL, "nonsense=1", &disk) < 0);
	assert_int_equal(open_disk("mem:900T", "ext4", NULL, NULL, &disk), -ENOSPC);
	assert_int_equal(open_disk("tmpfs:900T", NULL, NULL, NULL, &disk), -ENOSPC);
	assert_int_equal(open_disk("loop:900T", "ext4", NULL, NULL, &disk), -ENOSPC);
	assert_int_equal(open_disk("loop:64M,dir=/nonexistent", "ext4", NULL, NULL, &disk), -ENOENT);
	assert_int_equal(mounts(), before);
}

/*
 * A loop device of another disk stands for a user's: mounted, it must not be touched, whatever is
 * allowed.
 */
static void test_device(void **state)
{
	struct fs_disk_spec spec = { .kind = FS_DISK_DEVICE };
	struct fs_disk disk, second;
	struct fs_target t;
	char why[512];

	(void)state;
	need_root();
	assert_int_equal(open_disk("mem:64M", "ext4", NULL, NULL, &disk), 0);
	strcpy(spec.device, disk.source);
	assert_int_equal(make_disk(&spec, "ext4", true, false, &second, why), -EPERM);
	assert_non_null(strstr(why, "--yes-destroy"));
	assert_int_equal(make_disk(&spec, "ext4", true, true, &second, why), -EBUSY);
	assert_int_equal(make_disk(&spec, "ext4", false, false, &second, why), -EBUSY);
	/* Unmounted, it may be mounted as it is, and be made anew. */
	close(disk.ns_fd);
	close(disk.root_fd);
	disk.ns_fd = disk.root_fd = -1;
	assert_int_equal(make_disk(&spec, "ext4", false, false, &second, why), 0);
	look_inside(&second, &t);
	assert_string_equal(t.fstype, "ext4");
	assert_int_equal(second.dev_fd, -1);
	fs_disk_close(&second);
	assert_int_equal(make_disk(&spec, "ext4", true, true, &second, why), 0);
	fs_disk_close(&second);
	fs_disk_close(&disk);
	assert_loop_gone(spec.device);
	strcpy(spec.device, "/dev/null");
	assert_int_equal(make_disk(&spec, "ext4", true, true, &second, why), -ENOTBLK);
}

static void test_time_out(void **state)
{
	const struct fs_disk_spec spec = parse("mem:64M");
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = "ext4", .mkfs = true, .limit_ns = FS_NSEC_PER_USEC,
	};
	struct fs_disk disk;
	char why[512];

	(void)state;
	need_root();
	assert_int_equal(fs_disk_open(&order, &disk, why), -ETIMEDOUT);
	assert_int_equal(disk.ns_fd, -1);
}

static bool alive(pid_t pid)
{
	return !kill(pid, 0);
}

/* kill -9 of the holder, with a process of its own still inside the namespace that dies with it. */
static void test_killed(void **state)
{
	struct fs_disk disk;
	int out[2];
	pid_t pid, inside;

	(void)state;
	need_root();
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		const struct fs_disk_spec spec = parse("loop:64M");
		char why[512];

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (make_disk(&spec, "ext4", true, false, &disk, why))
			_exit(1);
		inside = fork();
		if (!inside) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (fs_disk_enter(&disk) < 0 || chdir(disk.point) ||
			    open("file", O_CREAT | O_RDWR, 0600) < 0)
				_exit(1);
			inside = getpid();
			if (write(out[1], &inside, sizeof(inside)) != sizeof(inside) ||
			    write(out[1], &disk, sizeof(disk)) != sizeof(disk))
				_exit(1);
		}
		pause();
		_exit(1);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &inside, sizeof(inside)), sizeof(inside));
	assert_int_equal(read(out[0], &disk, sizeof(disk)), sizeof(disk));
	close(out[0]);
	assert_true(loop_in_use(disk.source));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_loop_gone(disk.source);
	for (int i = 0; alive(inside) && i < 1000; i++)
		fs_sleep_until(fs_now_ns() + 10 * FS_NSEC_PER_MSEC);
	assert_false(alive(inside));
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* The last one: what all the others opened is closed. */
static void test_no_leak(void **state)
{
	assert_int_equal(descriptors(), **(int **)state);
}

int main(void)
{
	int before = descriptors();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_loop_ext4), cmocka_unit_test(test_mem_ext4),
		cmocka_unit_test(test_mem_xfs), cmocka_unit_test(test_mem_btrfs), cmocka_unit_test(test_tmpfs),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_device), cmocka_unit_test(test_time_out),
		cmocka_unit_test(test_killed), cmocka_unit_test_prestate(test_no_leak, &before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
