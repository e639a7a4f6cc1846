// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands beside a stage: what the shell is given, how they end; files copied at two moments. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/copy.h"
#include "core/monitor.h"
#include "platform/clock.h"
#include "platform/compiler.h"

static void test_command(void **unused)
{
	static const struct {
		const char *command, *prefix, *text;
	} table[] = {
		{ "iostat 1 >%o.iostat", "fiemap.warm", "iostat 1 >fiemap.warm.iostat" },
		{ "%o%o", "out/k", "out/kout/k" },
		{ "x", "k", "x" },
		{ "x >%o", "a b/k", "x >'a b/k'" },
		{ "x >%o.y", "it's/k", "x >'it'\\''s/k'.y" },
		{ "x >%o", "a;b$(c)", "x >'a;b$(c)'" },
		{ "printf %s %d %% %", "k", "printf %s %d %% %" },
		{ "x %", "k", "x %" },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++) {
		char *text = fs_monitor_command(table[i].command, table[i].prefix);

		assert_string_equal(text, table[i].text);
		free(text);
	}
}

static bool fails(struct monitor m, const char *says)
{
	char what[96] = "";
	const bool failed = fs_monitor_failed(&m, what);

	if (failed && !strstr(what, says))
		fail_msg("'%s' does not say '%s'", what, says);
	return failed;
}

#define EXITED(n) ((n) << 8)

static void test_failed(void **unused)
{
	const struct child ended = { .pid = 1, .ended = true };
	struct monitor m = { .child = ended };

	(void)unused;
	assert_false(fails((struct monitor){ .told = true }, "")); /* not started: said before */
	assert_false(fails(m, ""));
	m.child.status = EXITED(127);
	assert_true(fails(m, "status 127 before the window did"));
	m.child.status = EXITED(128 + SIGINT);
	assert_true(fails(m, "status 130 before the window did"));
	m.told = true;
	assert_false(fails(m, ""));
	m.child.status = EXITED(128 + SIGTERM);
	assert_false(fails(m, ""));
	m.child.status = SIGINT;
	assert_false(fails(m, ""));
	m.child.status = EXITED(128 + SIGSEGV);
	assert_true(fails(m, "status 139"));
	m.child.status = EXITED(1);
	assert_true(fails(m, "status 1"));
	m.child.killed = true;
	m.child.status = SIGKILL;
	assert_true(fails(m, "was killed"));
	m.child.ended = false;
	assert_true(fails(m, "was killed"));
}

static void test_copy_check(void **unused)
{
	char directory[] = "/tmp/fsstress-test.XXXXXX", fifo[64];

	(void)unused;
	assert_non_null(mkdtemp(directory));
	snprintf(fifo, sizeof(fifo), "%s/fifo", directory);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(fs_copy_check("/proc/self/stat"), 0);
	assert_int_equal(fs_copy_check("/proc/self/nonexistent"), -ENOENT);
	assert_int_equal(fs_copy_check("/proc/self"), -EINVAL);
	assert_int_equal(fs_copy_check("/dev/null"), -EINVAL);
	assert_int_equal(fs_copy_check(fifo), -EINVAL);
	unlink(fifo);
	rmdir(directory);
}

static void write_file(const char *path, size_t bytes, char byte)
{
	FILE *file = fopen(path, "w");

	for (size_t i = 0; i < bytes; i++)
		fputc(byte, file);
	fclose(file);
}

static void assert_file(const char *path, size_t bytes, char byte)
{
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(fgetc(file), byte);
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
	unlink(path);
}

/* Longer than the first buffer, and empty; the name is the path, flattened. */
static void test_copy(void **unused)
{
	char directory[] = "/tmp/fsstress-test.XXXXXX", file[64], prefix[64], path[256], flat[64];
	struct copy c = { .path = file };

	(void)unused;
	assert_non_null(mkdtemp(directory));
	snprintf(file, sizeof(file), "%s/file", directory);
	snprintf(prefix, sizeof(prefix), "%s/key", directory);
	snprintf(flat, sizeof(flat), "tmp_%s_file", strrchr(directory, '/') + 1);
	write_file(file, 200000, 'a');
	assert_int_equal(fs_copy_read(&c, 0), 0);
	write_file(file, 0, 'b');
	assert_int_equal(fs_copy_read(&c, 1), 0);
	assert_int_equal(fs_copy_write(&c, prefix), 0);
	snprintf(path, sizeof(path), "%s.%s.begin", prefix, flat);
	assert_file(path, 200000, 'a');
	snprintf(path, sizeof(path), "%s.%s.end", prefix, flat);
	assert_file(path, 0, 'b');

	/* Both or neither: in the place of the second one there is a directory. */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(fs_copy_write(&c, prefix), -EISDIR);
	rmdir(path);
	unlink(file);
	assert_int_equal(fs_copy_read(&c, 1), -ENOENT);
	fs_copy_free(&c);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_copy_check),
		cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
