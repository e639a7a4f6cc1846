// SPDX-License-Identifier: GPL-2.0-or-later
/* What else the machine does: read from files made for the purpose, and from the machine. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/pressure.h"
#include "tests/fixture_root.h"

static const struct fs_target ext4 = { .fstype = "ext4", .device_major = 9, .device_minor = 127 };
static const struct fs_target xfs = { .fstype = "xfs", .device_major = 9, .device_minor = 126 };

static struct fs_pressure read_once(const char *root, const struct fs_target *t)
{
	struct fs_pressure_files files;
	struct fs_pressure p;

	fs_pressure_open(root, t, &files);
	fs_pressure_read(&files, &p);
	fs_pressure_close(&files);
	return p;
}

static void put_machine(const char *root)
{
	root_put(root, "/proc/stat", "cpu  100 20 30 5000 600 7 8 90 1 2\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
	root_put(root, "/proc/meminfo", "MemTotal: 9 kB\nDirty:     12 kB\nWriteback:  3 kB\nWritebackTmp: 77 kB\n");
	root_put(root, "/proc/pressure/cpu",
		 "some avg10=1.00 avg60=2.00 avg300=3.00 total=11\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	root_put(root, "/proc/pressure/io",
		 "some avg10=1.00 avg60=2.00 avg300=3.00 total=23\nfull avg10=1.00 avg60=2.00 avg300=3.00 total=22\n");
	root_put(root, "/proc/pressure/memory",
		 "some avg10=1.00 avg60=2.00 avg300=3.00 total=5000000000\n"
		 "full avg10=1.00 avg60=2.00 avg300=3.00 total=4000000000\n");
	root_put(root, "/proc/2/comm", "kthreadd\n");
	root_put(root, "/proc/3/comm", "ext4lazyinitial\n");
	root_put(root, "/proc/ext4/comm", "ext4lazyinit\n");
}

static void test_numbers(void **state)
{
	const uint64_t tick_ns = FS_NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	char root[] = ROOT_TEMPLATE;
	struct fs_pressure p;

	(void)state;
	root_make(root);
	put_machine(root);
	p = read_once(root, NULL);
	assert_int_equal(p.busy_ns, (100 + 20 + 30 + 7 + 8) * tick_ns);
	assert_int_equal(p.steal_ns, 90 * tick_ns);
	assert_int_equal(p.cpu_some_us, 11);
	assert_int_equal(p.io_some_us, 23);
	assert_int_equal(p.io_full_us, 22);
	assert_int_equal(p.memory_some_us, 5000000000);
	assert_int_equal(p.memory_full_us, 4000000000);
	assert_int_equal(p.dirty_bytes, 12 * 1024);
	assert_int_equal(p.writeback_bytes, 3 * 1024);
	assert_int_equal(p.lazyinit, -1);
	assert_string_equal(p.sync_action, "");
	assert_int_equal(p.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	root_remove(root);
}

/* No /proc; one of an old kernel, without steal and with the one line that it had. */
static void test_unknown(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_pressure p;

	(void)state;
	root_make(root);
	p = read_once(root, &ext4);
	assert_true(p.busy_ns == UINT64_MAX && p.steal_ns == UINT64_MAX);
	assert_true(p.cpu_some_us == UINT64_MAX && p.memory_full_us == UINT64_MAX);
	assert_true(p.dirty_bytes == UINT64_MAX && p.writeback_bytes == UINT64_MAX);
	assert_int_equal(p.lazyinit, -1);
	assert_string_equal(p.sync_action, "");
	root_put(root, "/proc/stat", "cpu 1 0 0 4 5 0 0\n");
	root_put(root, "/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
	p = read_once(root, NULL);
	assert_true(p.busy_ns != UINT64_MAX && p.steal_ns == UINT64_MAX);
	assert_int_equal(p.io_some_us, 7);
	assert_true(p.io_full_us == UINT64_MAX);
	root_remove(root);
}

/* Files are read anew at each end. */
static void test_twice(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_pressure_files files;
	struct fs_pressure p;

	(void)state;
	root_make(root);
	put_machine(root);
	root_put(root, "/sys/dev/block/9:127/md/sync_action", "resync\n");
	fs_pressure_open(root, &ext4, &files);
	fs_pressure_read(&files, &p);
	assert_string_equal(p.sync_action, "resync");
	root_put(root, "/sys/dev/block/9:127/md/sync_action", "idle\n");
	root_put(root, "/proc/pressure/cpu", "some avg10=1.00 avg60=2.00 avg300=3.00 total=12\n");
	fs_pressure_read(&files, &p);
	assert_string_equal(p.sync_action, "idle");
	assert_int_equal(p.cpu_some_us, 12);
	fs_pressure_close(&files);
	assert_string_equal(read_once(root, &xfs).sync_action, "");
	root_remove(root);
}

/* A process that bears the name of the kernel's thread, in a /proc of the test's own. */
static pid_t some_thread(const char *root)
{
	char path[64], link[64], name[16] = "";
	const pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "ext4lazyinit");
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	while (strcmp(name, "ext4lazyinit\n")) {
		FILE *f = fopen(path, "re");

		assert_non_null(f);
		assert_non_null(fgets(name, sizeof(name), f));
		fclose(f);
	}
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	snprintf(link, sizeof(link), "%s/proc/4711", root);
	assert_int_equal(symlink(path, link), 0);
	return pid;
}

static void test_lazyinit(void **state)
{
	char root[] = ROOT_TEMPLATE;
	struct fs_pressure_files files;
	struct fs_pressure p;
	pid_t thread;

	(void)state;
	root_make(root);
	put_machine(root);
	assert_int_equal(read_once(root, &ext4).lazyinit, 0);
	thread = some_thread(root);
	assert_int_equal(read_once(root, &xfs).lazyinit, -1);
	fs_pressure_open(root, &ext4, &files);
	fs_pressure_read(&files, &p);
	assert_int_equal(p.lazyinit, 1);
	kill(thread, SIGKILL);
	waitpid(thread, NULL, 0);
	fs_pressure_read(&files, &p);
	assert_int_equal(p.lazyinit, 0);
	fs_pressure_close(&files);
	root_put(root, "/proc/2/comm", "sh\n");		/* a container */
	assert_int_equal(read_once(root, &ext4).lazyinit, -1);
	root_remove(root);
}

/*
 * A thread that computes shows in the machine's time, and the machine has no more of it than CPUs.
 */
static void test_machine_busy(void **state)
{
	const uint64_t start = fs_now_ns(), before = read_once("", NULL).busy_ns;
	uint64_t busy;

	(void)state;
	while (fs_now_ns() - start < 100 * FS_NSEC_PER_MSEC)
		;
	busy = read_once("", NULL).busy_ns - before;
	assert_in_range(busy, 50 * FS_NSEC_PER_MSEC, (fs_now_ns() - start + 20 * FS_NSEC_PER_MSEC) *
			(uint64_t)sysconf(_SC_NPROCESSORS_CONF));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_unknown), cmocka_unit_test(test_twice),
		cmocka_unit_test(test_lazyinit), cmocka_unit_test(test_machine_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
