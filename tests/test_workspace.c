// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_workspace.c - work directories: made, found, removed whatever is inside, and nothing outside
 *
 * Runs in a scratch directory on tmpfs (/dev/shm); as root also on an ext4 of its own, where files have flags, in a mount
 * namespace of its own, where directories can be mount points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/remove.h"
#include "core/workspace.h"
#include "platform/clock.h"
#include "platform/disk.h"

#define DEAD_PID 0x7ffffffeu		/* beyond pid_max: a maker that is gone */

static char scratch[] = "/dev/shm/fsstress-test.XXXXXX";
static int target = -1;			/* the scratch directory, or the root of the ext4 */

static void make_file(int dir, const char *name)
{
	const int fd = openat(dir, name, O_CREAT | O_WRONLY | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static int make_dir(int dir, const char *name)
{
	assert_int_equal(mkdirat(dir, name, 0700), 0);
	return openat(dir, name, O_RDONLY | O_DIRECTORY);
}

static bool there(int dir, const char *name)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
}

static int entries(int dir)
{
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY));
	const struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "lost+found");
	closedir(d);
	return n;
}

static int descriptors(void)
{
	const int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	const int n = entries(fd);

	close(fd);
	return n;
}

static struct workspace make_workspace(unsigned pid)
{
	struct workspace ws;

	assert_int_equal(fs_workspace_create(target, pid, &ws), 0);
	return ws;
}

static void remove_workspace(struct workspace *ws)
{
	char what[NAME_MAX + 1];

	assert_int_equal(fs_workspace_remove(ws, what), 0);
	assert_false(there(target, ws->name));
	assert_int_equal(ws->dir_fd, -1);
}

static void test_create(void **state)
{
	const int before = descriptors();
	const mode_t mask = umask(0277);
	struct workspace a = make_workspace(1), b = make_workspace(1);
	struct stat st;

	(void)state;
	umask(mask);
	assert_string_not_equal(a.name, b.name);
	assert_memory_equal(a.name, FS_WORKSPACE_PREFIX, strlen(FS_WORKSPACE_PREFIX));
	assert_int_equal(fstat(a.dir_fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(there(a.dir_fd, FS_MARKER_NAME));
	assert_false(fs_workspace_lost(&a));
	remove_workspace(&a);
	fs_workspace_release(&b);
	assert_true(there(target, b.name));
	assert_int_equal(fs_workspace_sweep(target, b.name, (char[NAME_MAX + 1]){ 0 }), 0);
	assert_int_equal(entries(target), 0);
	assert_int_equal(descriptors(), before);
}

static void test_create_fails(void **state)
{
	const int before = descriptors();
	const int full = open("/proc/self", O_RDONLY | O_DIRECTORY);
	struct workspace ws;

	(void)state;
	assert_true(fs_workspace_create(full, 1, &ws) < 0);
	assert_int_equal(ws.dir_fd, -1);
	close(full);
	assert_int_equal(descriptors(), before);
}

static void test_lost(void **state)
{
	struct workspace ws = make_workspace(1);
	char what[NAME_MAX + 1];

	(void)state;
	unlinkat(ws.dir_fd, FS_MARKER_NAME, 0);
	unlinkat(target, ws.name, AT_REMOVEDIR);
	assert_true(fs_workspace_lost(&ws));
	assert_int_equal(fs_workspace_remove(&ws, what), 0);
}

static void test_names(void **state)
{
	static const char *const names[] = { "new\nline", " ", "-rf", "\xff\xfe", "*", "a\"b'c", "moved-up.0" };
	struct workspace ws = make_workspace(1);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		close(make_dir(ws.dir_fd, names[i]));
	make_file(ws.dir_fd, "..x");
	assert_int_equal(mkfifoat(ws.dir_fd, "fifo", 0600), 0);
	remove_workspace(&ws);
}

static void test_symlinks(void **state)
{
	struct workspace ws = make_workspace(1);
	const int outside = make_dir(target, "outside");
	char path[64], what[NAME_MAX + 1];

	(void)state;
	make_file(outside, "precious");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", outside);
	assert_int_equal(symlinkat("../outside", ws.dir_fd, "dir-link"), 0);
	assert_int_equal(symlinkat("../outside/precious", ws.dir_fd, "file-link"), 0);
	assert_int_equal(symlinkat(path, ws.dir_fd, "magic-link"), 0);
	assert_int_equal(symlinkat("nowhere", ws.dir_fd, "dangling"), 0);
	remove_workspace(&ws);
	assert_true(there(outside, "precious"));
	/* A link with a workspace's name is none. */
	assert_int_equal(symlinkat("outside", target, FS_WORKSPACE_PREFIX "link"), 0);
	assert_true(fs_workspace_sweep(target, FS_WORKSPACE_PREFIX "link", what) < 0);
	assert_true(there(outside, "precious"));
	unlinkat(target, FS_WORKSPACE_PREFIX "link", 0);
	unlinkat(outside, "precious", 0);
	close(outside);
	unlinkat(target, "outside", AT_REMOVEDIR);
}

/* Far deeper than there are descriptors, with a file and a side directory on every level. */
static void test_deep(void **state)
{
	struct workspace ws = make_workspace(1);
	struct rlimit limit, few;
	int dir = dup(ws.dir_fd);

	(void)state;
	for (int i = 0; i < 300; i++) {
		const int next = make_dir(dir, "d");

		make_file(dir, "f");
		close(make_dir(next, "moved-up.1"));
		close(dir);
		dir = next;
	}
	close(dir);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)descriptors() + 12;
	setrlimit(RLIMIT_NOFILE, &few);
	remove_workspace(&ws);
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void test_many(void **state)
{
	struct workspace ws = make_workspace(1);
	const int dir = make_dir(ws.dir_fd, "many");
	char name[16];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_int_equal(mknodat(dir, name, S_IFREG | 0600, 0), 0);
	}
	close(dir);
	remove_workspace(&ws);
}

/* Without root's power over permissions. */
static void test_modes(void **state)
{
	struct workspace ws = make_workspace(1);
	const int dir = make_dir(ws.dir_fd, "closed");
	const bool root = !geteuid();
	char what[NAME_MAX + 1];
	int err;

	(void)state;
	make_file(dir, "f");
	fchmod(dir, 0);
	close(dir);
	if (root) {
		assert_int_equal(fchownat(ws.dir_fd, "closed", 65534, 65534, 0), 0);
		assert_int_equal(fchown(ws.dir_fd, 65534, 65534), 0);
		assert_int_equal(fchmod(target, 0777), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	err = fs_workspace_remove(&ws, what);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(err, 0);
}

static bool set_flags(int dir, const char *name, int flags)
{
	const int fd = openat(dir, name, O_RDONLY);
	const bool done = !ioctl(fd, FS_IOC_SETFLAGS, &flags);

	close(fd);
	return done;
}

static void test_flags(void **state)
{
	struct workspace ws = make_workspace(1);
	int dir;

	(void)state;
	make_file(ws.dir_fd, "probe");
	if (!set_flags(ws.dir_fd, "probe", FS_IMMUTABLE_FL)) {
		remove_workspace(&ws);
		print_message("no immutable files here\n");
		skip();
	}
	make_file(ws.dir_fd, "append");
	dir = make_dir(ws.dir_fd, "sub");
	make_file(dir, "f");
	make_file(dir, "g");
	set_flags(ws.dir_fd, "append", FS_APPEND_FL);
	set_flags(dir, "f", FS_IMMUTABLE_FL | FS_APPEND_FL);
	set_flags(ws.dir_fd, "sub", FS_IMMUTABLE_FL);
	set_flags(ws.dir_fd, FS_MARKER_NAME, FS_IMMUTABLE_FL);
	set_flags(target, ws.name, FS_APPEND_FL);
	close(dir);
	remove_workspace(&ws);
}

/* Root only: a tmpfs, and a bind mount of the same filesystem, whose device number does not give it away. */
static void test_mounts(void **state)
{
	struct workspace ws;
	char path[128], outside_path[128], what[NAME_MAX + 1], name[NAME_MAX + 1];
	int outside;

	(void)state;
	if (geteuid())
		skip();
	ws = make_workspace(DEAD_PID);
	strcpy(name, ws.name);
	outside = make_dir(target, "outside");
	make_file(outside, "precious");
	close(make_dir(ws.dir_fd, "bound"));
	close(make_dir(ws.dir_fd, "other"));
	make_file(ws.dir_fd, "f");
	snprintf(path, sizeof(path), "/proc/self/fd/%d/bound", ws.dir_fd);
	snprintf(outside_path, sizeof(outside_path), "/proc/self/fd/%d", outside);
	assert_int_equal(mount(outside_path, path, NULL, MS_BIND, NULL), 0);
	assert_int_equal(fs_workspace_remove(&ws, what), -EXDEV);
	assert_string_equal(what, "bound");
	assert_true(there(outside, "precious"));
	ws.dir_fd = openat(target, name, O_RDONLY | O_DIRECTORY);
	assert_int_equal(entries(ws.dir_fd), 2);
	assert_true(there(ws.dir_fd, FS_MARKER_NAME));
	snprintf(path, sizeof(path), "/proc/self/fd/%d/bound", ws.dir_fd);
	assert_int_equal(umount2(path, MNT_DETACH), 0);
	assert_int_equal(mount("none", path, "tmpfs", 0, NULL), 0);
	assert_int_equal(fs_clean(*state), 1);
	assert_int_equal(umount2(path, MNT_DETACH), 0);
	close(ws.dir_fd);
	assert_int_equal(fs_clean(*state), 0);
	assert_false(there(target, name));
	unlinkat(outside, "precious", 0);
	close(outside);
	unlinkat(target, "outside", AT_REMOVEDIR);
}

static int keep_last(const struct leftover *l, void *arg)
{
	*(struct leftover *)arg = *l;
	return 0;
}

static void test_find(void **state)
{
	struct workspace held = make_workspace(DEAD_PID), alive;
	struct leftover l;

	(void)state;
	close(make_dir(target, FS_WORKSPACE_PREFIX "unmarked"));
	make_file(target, FS_WORKSPACE_PREFIX "file");
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_string_equal(l.name, held.name);
	assert_true(l.host_ours);
	assert_false(l.lock_free);
	assert_int_equal(l.pid, DEAD_PID);
	assert_int_equal(fs_clean(*state), 0);
	assert_true(there(target, held.name));
	fs_workspace_release(&held);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_true(l.lock_free);
	assert_int_equal(fs_clean(*state), 0);
	assert_false(there(target, held.name));
	/* A maker that lives keeps it also where the lock is lost. */
	alive = make_workspace((unsigned)getpid());
	fs_workspace_release(&alive);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_false(l.lock_free);
	assert_int_equal(fs_workspace_sweep(target, alive.name, (char[NAME_MAX + 1]){ 0 }), 0);
	assert_true(there(target, FS_WORKSPACE_PREFIX "unmarked"));
	unlinkat(target, FS_WORKSPACE_PREFIX "unmarked", AT_REMOVEDIR);
	unlinkat(target, FS_WORKSPACE_PREFIX "file", 0);
}

static void test_foreign_host(void **state)
{
	static const char text[] = "fsstress 1\nhost elsewhere.example\nboot 0\npid 1\nstart 1\npidns 1\n";
	struct workspace ws = make_workspace(DEAD_PID);
	struct leftover l;

	(void)state;
	assert_int_equal(ftruncate(ws.marker_fd, 0), 0);
	assert_int_equal(pwrite(ws.marker_fd, text, sizeof(text) - 1, 0), sizeof(text) - 1);
	fs_workspace_release(&ws);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_false(l.host_ours);
	assert_string_equal(l.host, "elsewhere.example");
	assert_int_equal(fs_clean(*state), 0);
	assert_true(there(target, ws.name));
	assert_int_equal(fs_workspace_sweep(target, ws.name, (char[NAME_MAX + 1]){ 0 }), 0);
}

/* The lock must not outlive a killed maker, whatever became of its descriptors. */
static void test_killed_maker(void **state)
{
	struct workspace ws;
	struct leftover l;
	int made[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(made), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fs_workspace_create(target, (unsigned)getpid(), &ws) || write(made[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	close(made[1]);
	assert_int_equal(read(made[0], &byte, 1), 1);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_false(l.lock_free);
	assert_int_equal(l.pid, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_true(l.lock_free);
	assert_int_equal(fs_clean(*state), 0);
	assert_int_equal(entries(target), 0);
	close(made[0]);
}

static void test_clean_missing(void **state)
{
	(void)state;
	assert_int_equal(fs_clean("/nonexistent/fsstress"), 3);
	assert_int_equal(fs_clean("/dev/null"), 3);
}

#define TEST(name) cmocka_unit_test_prestate(name, path)

static int run_in(const char *group, char *path)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create), TEST(test_create_fails), TEST(test_lost), TEST(test_names), TEST(test_symlinks),
		TEST(test_deep), TEST(test_many), TEST(test_modes), TEST(test_flags), TEST(test_mounts), TEST(test_find),
		TEST(test_foreign_host), TEST(test_killed_maker), TEST(test_clean_missing),
	};
	char what[NAME_MAX + 1];
	int failed;

	target = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target < 0)
		return 1;
	failed = cmocka_run_group_tests_name(group, tests, NULL, NULL);
	failed += entries(target) != 0;
	fs_remove_contents(target, NULL, what);		/* of tests that failed */
	close(target);
	return failed;
}

/* Enter an ext4 of our own; false: not root, or none to be had. */
static bool enter_ext4(struct fs_disk *disk)
{
	struct fs_disk_spec spec;
	char why[512];

	if (fs_disk_parse("mem:64M", &spec, why) ||
	    fs_disk_open(&spec, "ext4", NULL, NULL, true, false, 60 * FS_NSEC_PER_SEC, disk, why)) {
		print_message("not on ext4: %s\n", why);
		return false;
	}
	return !setns(disk->ns_fd, CLONE_NEWNS);
}

int main(void)
{
	struct fs_disk disk;
	int failed;

	if (!mkdtemp(scratch) || (!geteuid() && (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)))) {
		perror("scratch directory");
		return 1;
	}
	failed = run_in("tmpfs", scratch);
	if (rmdir(scratch))
		failed++;
	if (enter_ext4(&disk)) {
		failed += run_in("ext4", disk.point);
		fs_disk_close(&disk);
	}
	return failed != 0;
}
