// SPDX-License-Identifier: GPL-2.0-or-later
/* perf's control protocol, against somebody who answers, does not answer, or goes. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/control.h"
#include "tests/fake_perf.h"

#define LONG_NS (20 * FS_NSEC_PER_SEC)
#define SHORT_NS (20 * FS_NSEC_PER_MSEC)

static void refused(const char *commands, const char *answers, int rc, const char *about)
{
	const char *which = NULL;
	struct fs_control c;

	assert_int_equal(fs_control_open(commands, answers, &c, &which), rc);
	assert_string_equal(which, about);
	assert_int_equal(c.commands, -1);
	assert_int_equal(c.answers, -1);
}

static void test_open(void **unused)
{
	struct fake_perf f;
	struct fs_control c;
	const char *which;

	(void)unused;
	fake_perf_fifos(&f);
	refused("/nonexistent", NULL, -ENOENT, "/nonexistent");
	refused("/dev/null", NULL, -EINVAL, "/dev/null");
	refused(f.commands, NULL, -ENXIO, f.commands);
	refused(f.commands, f.answers, -ENXIO, f.commands);
	fake_perf_start(&f);
	refused(f.commands, "/nonexistent", -ENOENT, "/nonexistent");
	refused(f.commands, f.directory, -EINVAL, f.directory);
	assert_int_equal(fs_control_open(f.commands, f.answers, &c, &which), 0);
	assert_true(fcntl(c.commands, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(c.answers, F_GETFD) & FD_CLOEXEC);
	fs_control_close(&c);
	assert_int_equal(c.commands, -1);
	fs_control_close(&c);
	fake_perf_end(&f);
	fake_perf_remove(&f);
}

static void test_answers(void **unused)
{
	struct fake_perf f;
	struct fs_control c;
	const char *which;

	(void)unused;
	fake_perf_fifos(&f);
	fake_perf_start(&f);
	assert_int_equal(fs_control_open(f.commands, f.answers, &c, &which), 0);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(fs_control_say(&c, "enable", LONG_NS), 0);
		assert_true(fs_load(&f.recording)); /* it has done so when the call returns */
		assert_int_equal(fs_control_say(&c, "disable", LONG_NS), 0);
		assert_false(fs_load(&f.recording));
	}
	fake_perf_end(&f);
	assert_memory_equal(f.said, "enable\ndisable\nenable\n", 22);
	fs_control_close(&c);
	fake_perf_remove(&f);
}

/* An answer that comes too late is none to the next command. */
static void test_silence(void **unused)
{
	struct fake_perf f;
	struct fs_control c;
	const char *which;
	uint64_t before;

	(void)unused;
	fake_perf_fifos(&f);
	fake_perf_start(&f);
	fs_store(&f.silent, 1);
	assert_int_equal(fs_control_open(f.commands, f.answers, &c, &which), 0);
	before = fs_now_ns();
	assert_int_equal(fs_control_say(&c, "enable", SHORT_NS), -ETIMEDOUT);
	assert_true(fs_now_ns() - before >= SHORT_NS);
	assert_int_equal(write(f.answers_fd, "ack\n", 5), 5);
	assert_int_equal(fs_control_say(&c, "disable", SHORT_NS), -ETIMEDOUT);
	fs_store(&f.silent, 0);
	assert_int_equal(fs_control_say(&c, "enable", LONG_NS), 0);
	fake_perf_end(&f);
	fs_control_close(&c);
	fake_perf_remove(&f);
}

static void test_nonsense(void **unused)
{
	char text[64];
	struct fake_perf f;
	struct fs_control c;
	const char *which;
	int rc;

	(void)unused;
	fake_perf_fifos(&f);
	fake_perf_start(&f);
	fs_store(&f.silent, 1);
	assert_int_equal(fs_control_open(f.commands, f.answers, &c, &which), 0);
	memset(text, 'x', sizeof(text));
	/* Until it falls between the call's beginning and its end. */
	do {
		pid_t child = fork();

		if (child == 0) {
			usleep(10000);
			_exit(write(f.answers_fd, text, sizeof(text)) < 0);
		}
		rc = fs_control_say(&c, "enable", LONG_NS / 20);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	} while (rc == -ETIMEDOUT);
	assert_int_equal(rc, -EPROTO);
	fake_perf_end(&f);
	fs_control_close(&c);
	fake_perf_remove(&f);
}

/* SIGPIPE has its default action here: it would end the test. */
static void test_gone(void **unused)
{
	struct fake_perf f;
	struct fs_control c;
	const char *which;
	sigset_t pending;

	(void)unused;
	fake_perf_fifos(&f);
	fake_perf_start(&f);
	assert_int_equal(fs_control_open(f.commands, f.answers, &c, &which), 0);
	fake_perf_end(&f);
	assert_int_equal(fs_control_say(&c, "enable", LONG_NS), -EPIPE);
	assert_int_equal(sigpending(&pending), 0);
	assert_false(sigismember(&pending, SIGPIPE));
	fs_control_close(&c);
	fake_perf_remove(&f);
}

static void test_no_answers_wanted(void **unused)
{
	struct fake_perf f;
	struct fs_control c;
	const char *which;

	(void)unused;
	fake_perf_fifos(&f);
	f.commands_fd = open(f.commands, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(fs_control_open(f.commands, NULL, &c, &which), 0);
	assert_int_equal(fs_control_say(&c, "enable", LONG_NS), 0);
	assert_int_equal(read(f.commands_fd, f.said, sizeof(f.said)), 7);
	assert_string_equal(f.said, "enable\n");
	/* A FIFO that fills up does not hang anybody. */
	while (fs_control_say(&c, "enable", LONG_NS) == 0)
		;
	assert_int_equal(fs_control_say(&c, "enable", LONG_NS), -EAGAIN);
	close(f.commands_fd);
	fs_control_close(&c);
	fake_perf_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_no_answers_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
