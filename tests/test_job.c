// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_job.c - job files
 */
#include "tests/capture.h"

static char job_path[] = "/tmp/fsstress-test-cli.XXXXXX";

static void job_write(const char *text)
{
	FILE *f = fopen(job_path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void job_refused(const char *text, const char *says)
{
	char line[128], where[128];

	job_write(text);
	snprintf(line, sizeof(line), "--job %s --class os", job_path);
	snprintf(where, sizeof(where), "%s:%s", job_path, says);
	command_refused(line, where);
}

static void test_job(void **unused)
{
	struct command command;
	const struct config *c;
	char line[128], origin[128];

	(void)unused;
	close(mkstemp(job_path));
	job_write("# a job\n\n  timeout = 10s # a "
		  "window\ntest=fiemap,lease\r\nverify\n\tfiemap-extents\t=  5\nlabel = a=b#c");
	snprintf(line, sizeof(line), "--job %s --target a", job_path);
	c = command_understood(&command, line);
	assert_int_equal(c->timeout_ns, 10 * FS_NSEC_PER_SEC);
	snprintf(origin, sizeof(origin), "%s:3", job_path);
	assert_string_equal(c->timeout.origin, origin);
	assert_string_equal(c->timeout.text, "10s");
	assert_int_equal(c->npicks, 2);
	assert_string_equal(c->picks[1].key, "lease");
	assert_true(c->verify);
	assert_string_equal(c->options[0].value, "5");
	assert_string_equal(c->labels[0], "a=b#c");
	fs_config_free(&command.config);

	job_refused("timeout = 10s\ntimeut = 5\n",
		    "2: timeut: unknown option; did you mean timeout?");
	job_refused("timeout 10s\n", "1: 'timeout 10s': write name = value");
	job_refused("--timeout = 10s\n", "1: '--timeout': names are written without");
	job_refused("timeout =\n", "1: timeout: empty value");
	job_refused("timeout\n", "1: timeout: needs a value");
	job_refused("verify = yes\n", "1: verify = yes: takes no value");
	job_refused("= 5\n", "1: ''");
	job_refused("job = other\n", "1: job = other: a job file cannot name another one");
	job_refused("load =\n", "1: load: empty value");
	job_refused("class = io\n", "");
	snprintf(line, sizeof(line), "--job %s --timeout 5", job_path);
	job_write("test = fiemap\ntimeout = 6\n");
	command_refused(line, ":2");
	unlink(job_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
