// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_remove.c - work directories are removed whatever is inside, and nothing outside
 */
#include "tests/workspace_fixture.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "core/clean.h"

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

/*
 * Root only: a tmpfs, and a bind mount of the same filesystem, whose device number does not give it
 * away.
 */
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
	assert_int_equal(fs_clean(target_path), 1);
	assert_int_equal(umount2(path, MNT_DETACH), 0);
	close(ws.dir_fd);
	assert_int_equal(fs_clean(target_path), 0);
	assert_false(there(target, name));
	unlinkat(outside, "precious", 0);
	close(outside);
	unlinkat(target, "outside", AT_REMOVEDIR);
}

static int run(const char *group)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_symlinks),
		cmocka_unit_test(test_deep), cmocka_unit_test(test_many),
		cmocka_unit_test(test_modes), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_mounts),
	};

	return cmocka_run_group_tests_name(group, tests, NULL, NULL);
}

int main(void)
{
	return run_everywhere(run);
}
