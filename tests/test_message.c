/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/message.h"

#define LINE_MAX_BYTES 65536

static struct {
	int saved, pipe[2];
	char text[LINE_MAX_BYTES];
} out;

/* A pipe in packet mode: a read gives what one write wrote. */
static int redirect(void **state)
{
	(void)state;
	out.saved = dup(STDERR_FILENO);
	if (pipe2(out.pipe, O_CLOEXEC | O_DIRECT | O_NONBLOCK))
		return -1;
	return dup2(out.pipe[1], STDERR_FILENO) < 0;
}

static int restore(void **state)
{
	(void)state;
	fs_message_quiet(0);
	dup2(out.saved, STDERR_FILENO);
	close(out.saved);
	close(out.pipe[0]);
	close(out.pipe[1]);
	return 0;
}

/* The next write; "" when there is none. */
static const char *next_write(void)
{
	const ssize_t n = read(out.pipe[0], out.text, sizeof(out.text) - 1);

	out.text[n > 0 ? n : 0] = '\0';
	return out.text;
}

static void test_one_write_each(void **state)
{
	(void)state;
	fs_error("target %s: %d", "/mnt", 5);
	fs_warning("%s", "slow");
	fs_note("%u workers", 3u);
	fs_error("%s", "");
	assert_string_equal(next_write(), "fsstress: target /mnt: 5\n");
	assert_string_equal(next_write(), "fsstress: warning: slow\n");
	assert_string_equal(next_write(), "fsstress: note: 3 workers\n");
	assert_string_equal(next_write(), "fsstress: \n");
	assert_string_equal(next_write(), "");
}

static void test_escapes(void **state)
{
	(void)state;
	fs_error("%s", "a b'\"\\$\n\t\x1b[31m\x7f\xff"
		       "c\xc3\xa9");
	assert_string_equal(next_write(),
			    "fsstress: a b'\"\\$\\x0a\\x09\\x1b[31m\\x7f\\xffc\\xc3\\xa9\n");
	assert_string_equal(next_write(), "");
}

static void test_quiet(void **state)
{
	(void)state;
	fs_message_quiet(1);
	fs_note("not said");
	fs_warning("said");
	fs_error("said, too");
	assert_string_equal(next_write(), "fsstress: warning: said\n");
	assert_string_equal(next_write(), "fsstress: said, too\n");
	assert_string_equal(next_write(), "");
	fs_message_quiet(0);
	fs_note("again");
	assert_string_equal(next_write(), "fsstress: note: again\n");
}

static void test_errno_is_kept(void **state)
{
	(void)state;
	errno = ENOSPC;
	fs_error("no room");
	assert_int_equal(errno, ENOSPC);
	dup2(out.pipe[0], STDERR_FILENO); /* cannot be written to */
	errno = ENOSPC;
	fs_error("not heard");
	assert_int_equal(errno, ENOSPC);
}

/* Packets are at most a page; this one goes through a file. */
static void test_long(void **state)
{
	static char path[5000], longest[10000];
	FILE *file = tmpfile();
	size_t n;

	(void)state;
	assert_non_null(file);
	memset(path, '\n', sizeof(path) - 1); /* four bytes each */
	memset(longest, 'x', sizeof(longest) - 1);
	dup2(fileno(file), STDERR_FILENO);
	fs_error("target %s", path);
	fs_error("%s", longest);
	rewind(file);
	assert_non_null(fgets(out.text, sizeof(out.text), file));
	n = strlen(out.text);
	assert_int_equal(n, strlen("fsstress: target \n") + 4 * (sizeof(path) - 1));
	assert_string_equal(out.text + n - 5, "\\x0a\n");
	assert_non_null(fgets(out.text, sizeof(out.text), file));
	n = strlen(out.text);
	assert_string_equal(out.text + n - 5, "x...\n");
	assert_null(fgets(out.text, sizeof(out.text), file));
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_write_each, redirect, restore),
		cmocka_unit_test_setup_teardown(test_escapes, redirect, restore),
		cmocka_unit_test_setup_teardown(test_quiet, redirect, restore),
		cmocka_unit_test_setup_teardown(test_errno_is_kept, redirect, restore),
		cmocka_unit_test_setup_teardown(test_long, redirect, restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
