// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_target.c - facts: mounts, devices, the host; what is read agrees with what other calls tell
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/host.h"
#include "platform/mountinfo.h"
#include "platform/settle.h"
#include "platform/sysfile.h"
#include "platform/target.h"
#include "tests/private_mounts.h"

static struct fs_target read_target(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_target t;

	assert_true(fd >= 0);
	assert_int_equal(fs_target_read(fd, path, &t), 0);
	close(fd);
	return t;
}

static void test_root(void **state)
{
	const struct fs_target t = read_target("/");
	struct statvfs fs;
	struct stat st;

	(void)state;
	assert_int_equal(statvfs("/", &fs), 0);
	assert_int_equal(stat("/", &st), 0);
	assert_true(t.on_root);
	assert_false(t.ours);
	assert_string_equal(t.path, "/");
	assert_int_equal(t.dev, st.st_dev);
	assert_int_equal(t.size_bytes, fs.f_blocks * fs.f_frsize);
	assert_true(t.fstype[0]);
}

static void test_proc(void **state)
{
	const struct fs_target t = read_target("/proc/self");

	(void)state;
	assert_string_equal(t.fstype, "proc");
	assert_int_equal(t.magic, 0x9fa0);
	assert_false(t.on_root);
	assert_false(t.initramfs);
	assert_string_equal(t.device, "");
	assert_int_equal(t.rotational, -1);
}

static void test_bad_descriptor(void **state)
{
	struct fs_target t;

	(void)state;
	assert_int_equal(fs_target_read(-1, "nowhere", &t), -EBADF);
}

/*
 * A source and a mount point with the characters that mountinfo escapes; a bind mount over it has
 * an id of its own.
 */
static void test_escapes(void **state)
{
	static const char dir[] = "/tmp/a b\nc\\d";
	struct fs_target below, above;

	(void)state;
	if (geteuid()) {
		print_message("mounting needs root\n");
		skip();
	}
	assert_int_equal(private_mounts(), 0);
	assert_int_equal(mount("none", "/tmp", "tmpfs", 0, "size=1m"), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(mount("so ur\\ce", dir, "tmpfs", MS_NOATIME | MS_RDONLY, "size=2m,nr_inodes=77"), 0);
	below = read_target(dir);
	assert_string_equal(below.path, dir);
	assert_string_equal(below.fstype, "tmpfs");
	assert_string_equal(below.source, "so ur\\ce");
	assert_string_equal(below.mount_options, "ro,noatime");
	assert_non_null(strstr(below.super_options, "size=2048k"));
	assert_int_equal(below.size_bytes, 2 << 20);
	assert_int_equal(below.inodes, 77);
	assert_string_equal(below.device, "");
	assert_int_equal(mount("/tmp", dir, NULL, MS_BIND, NULL), 0);
	above = read_target(dir);
	assert_string_equal(above.source, "none");
	assert_int_not_equal(above.mount_id, below.mount_id);
}

static int find_mount(const struct fs_mountinfo *m, void *arg)
{
	const char *point = arg;

	return !strcmp(m->point, point) && !strcmp(m->fstype, "proc") ? 7 : 0;
}

static void test_mountinfo_ends(void **state)
{
	(void)state;
	assert_int_equal(fs_mountinfo_each(find_mount, "/proc"), 7);
	assert_int_equal(fs_mountinfo_each(find_mount, "/nowhere"), 0);
}

static void test_device_stat(void **state)
{
	const struct fs_target t = read_target("/");
	uint64_t stat[17];
	unsigned n;

	(void)state;
	assert_int_equal(fs_device_stat(0, 0, stat, &n), -ENOENT);
	assert_int_equal(n, 0);
	if (!t.device[0]) {
		print_message("no device behind /\n");
		skip();
	}
	assert_int_equal(fs_device_stat(t.device_major, t.device_minor, stat, &n), 0);
	assert_in_range(n, 11, 17);
	assert_true(stat[0] > 0);
}

static void test_host(void **state)
{
	struct fs_host h;
	char boot_id[40], nodename[72];

	(void)state;
	fs_host_read("", &h);
	assert_int_equal(gethostname(nodename, sizeof(nodename)), 0);
	assert_string_equal(h.nodename, nodename);
	assert_true(fs_sysfile_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) == 36);
	assert_string_equal(h.boot_id, boot_id);
	assert_int_equal(h.cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(h.page_size, sysconf(_SC_PAGESIZE));
	assert_true(h.numa_nodes >= 1);
	assert_true(h.mem_total_bytes > h.page_size);
	assert_true(h.load[0] >= 0);
	assert_true(h.kernel[0] && h.machine[0]);
	assert_null(strchr(h.cmdline, '\n'));
	if (h.mitigations[0])
		assert_int_equal(h.mitigations[strlen(h.mitigations) - 1], '\n');
	if (!h.debug_configs_known)
		assert_string_equal(h.debug_configs, "");
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_sysfile(void **state)
{
	char path[] = "/tmp/fsstress-test.XXXXXX", text[16];
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_file(path, "always [madvise] \n");
	assert_int_equal(fs_sysfile_choice(path, text, sizeof(text)), 0);
	assert_string_equal(text, "always [madvise");	/* cut: no closing bracket */
	write_file(path, "none [bfq] kyber\n");
	assert_int_equal(fs_sysfile_choice(path, text, sizeof(text)), 0);
	assert_string_equal(text, "bfq");
	write_file(path, "none\n");
	assert_int_equal(fs_sysfile_choice(path, text, sizeof(text)), 0);
	assert_string_equal(text, "none");
	assert_int_equal(fs_sysfile_int(path, -1), -1);
	write_file(path, "17\n");
	assert_int_equal(fs_sysfile_int(path, -1), 17);
	unlink(path);
	assert_int_equal(fs_sysfile_read(path, text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
}

static void test_settle(void **state)
{
	const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool settled = false;

	(void)state;
	assert_int_equal(fs_settle(fd, FS_NSEC_PER_SEC, true, &settled), 0);
	assert_true(settled);
	close(fd);
	assert_int_equal(fs_settle(-1, FS_NSEC_PER_SEC, false, &settled), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root), cmocka_unit_test(test_proc), cmocka_unit_test(test_bad_descriptor),
		cmocka_unit_test(test_mountinfo_ends), cmocka_unit_test(test_device_stat),
		cmocka_unit_test(test_host), cmocka_unit_test(test_sysfile),
		cmocka_unit_test(test_settle), cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
