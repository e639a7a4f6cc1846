// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_workspace.c - work directories: made, lost, found again, cleaned when their maker is gone
 */
#include "tests/workspace_fixture.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/clean.h"

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
	assert_int_equal(fs_workspace_lost(&a), 0);
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
	assert_int_equal(fs_workspace_lost(&ws), -ENOENT);
	assert_int_equal(fs_workspace_remove(&ws, what), 0);
	assert_int_equal(fs_workspace_lost(&ws), -EBADF);
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
	assert_int_equal(fs_clean(target_path), 0);
	assert_true(there(target, held.name));
	fs_workspace_release(&held);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_true(l.lock_free);
	assert_int_equal(fs_clean(target_path), 0);
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
	assert_int_equal(fs_clean(target_path), 0);
	assert_true(there(target, ws.name));
	assert_int_equal(fs_workspace_sweep(target, ws.name, (char[NAME_MAX + 1]){ 0 }), 0);
}

/* The lock must not outlive a killed maker, whatever became of its descriptors. */
static void test_killed_maker(void **state)
{
	struct workspace ws;
	struct leftover l;
	siginfo_t info;
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
	/* Dead is dead, also before its parent has asked for it. */
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_true(l.lock_free);
	waitpid(pid, NULL, 0);
	assert_int_equal(fs_clean(target_path), 0);
	assert_int_equal(entries(target), 0);
	close(made[0]);
}

/* A killed run's stages hold the lock until they have exited: it is awaited. */
static void test_clean_awaits_exits(void **state)
{
	struct workspace ws = make_workspace(DEAD_PID);
	struct leftover l;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		usleep(300000);
		_exit(0);
	}
	fs_workspace_release(&ws);
	assert_int_equal(fs_workspace_find(target, keep_last, &l), 1);
	assert_true(l.maker_gone);
	assert_false(l.lock_free);
	assert_int_equal(fs_clean(target_path), 0);
	assert_int_equal(entries(target), 0);
	waitpid(pid, NULL, 0);
}

/* What a maker has come to before it was killed: a directory, and so much of the marker. */
static void make_begun(const char *name, const char *marker, size_t bytes)
{
	const int dir = make_dir(target, name);
	const int fd = marker ? openat(dir, FS_MARKER_NAME, O_CREAT | O_WRONLY, 0600) : -1;

	assert_true(!marker || write(fd, marker, bytes) == (ssize_t)bytes);
	if (fd >= 0)
		close(fd);
	close(dir);
}

static void assert_cleaned(const char *name, bool cleaned)
{
	assert_int_equal(fs_clean(target_path), 0);
	if (there(target, name) == cleaned)
		print_message("%s\n", name);
	assert_int_equal(there(target, name), !cleaned);
	assert_int_equal(fs_workspace_sweep(target, name, (char[NAME_MAX + 1]){ 0 }), 0);
}

/* Killed before the marker was whole. */
static void test_begun(void **state)
{
	struct workspace ws = make_workspace(DEAD_PID);
	char marker[512], name[sizeof(ws.name)], other[sizeof(ws.name)];
	const ssize_t n = pread(ws.marker_fd, marker, sizeof(marker), 0);
	char *boot;
	int dir;

	(void)state;
	strcpy(name, ws.name);
	assert_true(n > 0);
	remove_workspace(&ws);
	make_begun(name, NULL, 0);
	assert_cleaned(name, true);
	for (ssize_t i = 0; i < n; i += 9) {
		make_begun(name, marker, (size_t)i);
		assert_cleaned(name, true);
	}
	/* Of another boot, the pid of somebody who lives. */
	boot = strchr(strchr(name, '.') + 1, '.') + 1;
	snprintf(other, sizeof(other), "%.*s%c%.7s.%d.01234567", (int)(boot - name), name,
		 boot[0] == '0' ? '1' : '0', boot + 1, (int)getpid());
	make_begun(other, NULL, 0);
	assert_cleaned(other, true);
	/* Not so: one who lives; a file; a marker that is no beginning of ours; open to others. */
	snprintf(other, sizeof(other), "%.*s.%d.01234567", (int)(boot + 8 - name), name, (int)getpid());
	make_begun(other, "", 0);
	assert_cleaned(other, false);
	make_begun(name, "", 0);
	dir = openat(target, name, O_RDONLY | O_DIRECTORY);
	make_file(dir, "file");
	assert_cleaned(name, false);
	close(dir);
	make_begun(name, "mine", 4);
	assert_cleaned(name, false);
	make_begun(name, NULL, 0);
	assert_int_equal(fchmodat(target, name, 0755, 0), 0);
	assert_cleaned(name, false);
	make_begun(name, NULL, 0);
	dir = openat(target, name, O_RDONLY | O_DIRECTORY);
	assert_int_equal(symlinkat("nowhere", dir, FS_MARKER_NAME), 0);
	assert_cleaned(name, false);
	close(dir);
}

/* Names that are not ours in full are a user's, whatever is inside. */
static void test_begun_names(void **state)
{
	static const char *const ends[] = { "x", ".0", "0", "-" };
	struct workspace ws = make_workspace(DEAD_PID);
	char name[sizeof(ws.name)], other[sizeof(ws.name) + 8];

	(void)state;
	strcpy(name, ws.name);
	remove_workspace(&ws);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(other, sizeof(other), "%s%s", name, ends[i]);
		make_begun(other, "", 0);
		assert_cleaned(other, false);
	}
	snprintf(other, sizeof(other), FS_WORKSPACE_PREFIX "x%s", strchr(name, '.') + 1);
	make_begun(other, "", 0);
	assert_cleaned(other, false);
	strcpy(other, name);
	*strrchr(other, '.') = '\0';
	make_begun(other, "", 0);
	assert_cleaned(other, false);
	strcpy(other, name);
	other[strlen(other) - 1] = 'F';
	make_begun(other, "", 0);
	assert_cleaned(other, false);
}

static void test_clean_missing(void **state)
{
	(void)state;
	assert_int_equal(fs_clean("/nonexistent/fsstress"), 3);
	assert_int_equal(fs_clean("/dev/null"), 3);
}

static int run(const char *group)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create), cmocka_unit_test(test_create_fails),
		cmocka_unit_test(test_lost), cmocka_unit_test(test_find),
		cmocka_unit_test(test_foreign_host), cmocka_unit_test(test_killed_maker),
		cmocka_unit_test(test_begun), cmocka_unit_test(test_begun_names),
		cmocka_unit_test(test_clean_missing), cmocka_unit_test(test_clean_awaits_exits),
	};

	return cmocka_run_group_tests_name(group, tests, NULL, NULL);
}

int main(void)
{
	return run_everywhere(run);
}
