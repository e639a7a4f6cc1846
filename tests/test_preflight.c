/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "core/preflight.h"

#define STAGES 3

static const struct fs_variant plain = { .name = "plain" };
static const struct fs_variant helped = { .name = "helped", .helpers = 2 };
static const struct fs_variant rooted = { .name = "rooted", .flags = FS_ROOT };
static const struct fs_variant remounted = { .name = "remounted", .flags = FS_REMOUNT };
static const struct fs_stressor toy = { .name = "toy" };

static const struct fs_limits no_limits = { FS_UNLIMITED, FS_UNLIMITED, FS_UNLIMITED, FS_UNLIMITED,
					    FS_UNLIMITED };

struct judged {
	struct stage stages[STAGES];
	struct stage_result results[STAGES];
	struct fs_target target;
	struct fs_limits limits;
};

static void make(struct judged *j)
{
	*j = (struct judged){
		.target = { .free_bytes = 1000 << 20, .inodes = 2000, .free_inodes = 1000 },
		.limits = no_limits,
	};
	for (unsigned i = 0; i < STAGES; i++) {
		j->stages[i] = (struct stage){ .stressor = &toy, .variant = &plain, .workers = 1 };
		fs_stage_result_init(&j->results[i], &j->stages[i]);
	}
}

static void accepted(struct judged *j, unsigned n)
{
	assert_int_equal(fs_preflight(&j->target, &j->limits, j->results, n), 0);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(j->results[i].status, STATUS_PLANNED);
		assert_string_equal(j->results[i].reason, "");
	}
}

static void refused(struct judged *j, enum skip_kind kind, int err, const char *reason)
{
	const struct stage_result *r = &j->results[0];

	assert_int_equal(fs_preflight(&j->target, &j->limits, j->results, 1), 1);
	assert_string_equal(r->reason, reason);
	assert_int_equal(r->status, STATUS_SKIPPED);
	assert_int_equal(r->skip, kind);
	assert_int_equal(r->err, err);
}

static void test_nothing_needed(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	accepted(&j, STAGES);
}

static void test_not_built(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].absent = "liburing";
	j.stages[0].stressor = NULL;
	j.stages[0].variant = NULL;
	refused(&j, SKIP_UNSUPPORTED, ENOSYS, "not built: liburing was not found by configure");
}

static int judge_as_user(struct judged *j)
{
	if (geteuid() == 0 && setresuid(1, 1, 1))
		return 1;
	fs_preflight(&j->target, &j->limits, j->results, 1);
	return j->results[0].status != STATUS_SKIPPED || j->results[0].skip != SKIP_UNSUPPORTED ||
	       j->results[0].err != EPERM || strcmp(j->results[0].reason, "needs root") != 0;
}

static void test_root(void **state)
{
	struct judged j;
	int status;
	pid_t pid;

	(void)state;
	make(&j);
	j.stages[0].variant = &rooted;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(judge_as_user(&j));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	if (geteuid() == 0)
		accepted(&j, 1);
}

static void test_remount(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].variant = &remounted;
	refused(&j, SKIP_UNSUPPORTED, EOPNOTSUPP, "needs a disk that can be remounted: --disk");
	make(&j);
	j.stages[0].variant = &remounted;
	j.target.ours = true;
	accepted(&j, 1);
}

/* 90 % of 1000 MiB free. */
static void test_space(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].workers = 9;
	j.stages[0].need.bytes = 100 << 20;
	accepted(&j, 1);
	j.target.free_bytes -= 2;
	refused(&j, SKIP_NEED, ENOSPC,
		"needs 900 MiB for 9 worker(s), has 899.999 MiB (90 % of the free space)");
	make(&j);
	j.target.free_bytes = 0;
	accepted(&j, 1);
	j.stages[0].need.bytes = 1;
	refused(&j, SKIP_NEED, ENOSPC,
		"needs 1 bytes for 1 worker(s), has 0 bytes (90 % of the free space)");
}

/* 90 % of 1000 free; a directory for each worker and 4 of the runner's own come on top. */
static void test_inodes(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].workers = 2;
	j.stages[0].need.inodes = 447;
	accepted(&j, 1);
	j.stages[0].need.inodes = 448;
	refused(&j, SKIP_NEED, ENOSPC, "needs 902 inodes, has 900 (90 % of the free ones)");
	make(&j);
	j.stages[0].need.inodes = 1 << 30;
	j.target.inodes = j.target.free_inodes = 0; /* allocated as they are needed */
	accepted(&j, 1);
	make(&j);
	j.target.free_inodes = 0; /* none left is not dynamic */
	refused(&j, SKIP_NEED, ENOSPC, "needs 5 inodes, has 0 (90 % of the free ones)");
}

static void test_file_size(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].need.file_bytes = j.limits.file_bytes = 1 << 20;
	accepted(&j, 1);
	j.limits.file_bytes = 512 << 10;
	refused(&j, SKIP_NEED, EFBIG,
		"needs a file of 1 MiB, has a limit of 512 KiB (RLIMIT_FSIZE, ulimit -f)");
	make(&j);
	j.limits.file_bytes = fs_area_bytes(1, &(struct area_size){ j.stages[0].workers, 0 });
	accepted(&j, 1);
	j.limits.file_bytes--;
	assert_int_equal(fs_preflight(&j.target, &j.limits, j.results, 1), 1);
	assert_int_equal(j.results[0].err, EFBIG);
}

/* The soft limit can be raised, the hard one cannot. */
static void test_descriptors(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].workers = 1000; /* each has a table of its own */
	j.target.inodes = 0;
	j.stages[0].need.descriptors = 100;
	j.limits.descriptors_soft = 32;
	j.limits.descriptors_hard = 116;
	accepted(&j, 1);
	j.limits.descriptors_hard = 64;
	refused(&j, SKIP_NEED, EMFILE,
		"needs 116 descriptors, has 64 (RLIMIT_NOFILE, soft 32, hard 64)");
}

static void test_tasks(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].workers = 10;
	j.stages[0].variant = &helped;
	j.limits.tasks = 30;
	accepted(&j, 1);
	j.limits.tasks = 29;
	refused(&j, SKIP_NEED, EAGAIN,
		"needs 30 tasks, has 29 (RLIMIT_NPROC, threads-max, pids.max)");
}

static void test_aio_slots(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].workers = 10;
	j.stages[0].need.aio_slots = 64;
	j.limits.aio_slots = 640;
	accepted(&j, 1);
	j.limits.aio_slots = 639;
	refused(&j, SKIP_NEED, EAGAIN, "needs 640 aio slots, has 639 (fs.aio-max-nr less aio-nr)");
}

/* Stages that run together: each fits, all of them do not. One that is out already does not count.
 */
static void test_together(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	for (unsigned i = 0; i < STAGES; i++)
		j.stages[i].need.bytes = 400 << 20;
	assert_int_equal(fs_preflight(&j.target, &j.limits, j.results, STAGES), STAGES);
	for (unsigned i = 0; i < STAGES; i++) {
		assert_int_equal(j.results[i].skip, SKIP_NEED);
		assert_int_equal(j.results[i].err, ENOSPC);
		assert_string_equal(
			j.results[i].reason,
			"needs 1.171 GiB for 3 worker(s), has 900 MiB (90 % of the free space)");
	}
	make(&j);
	for (unsigned i = 0; i < STAGES; i++)
		j.stages[i].need.bytes = 400 << 20;
	j.stages[1].variant = &remounted;
	assert_int_equal(fs_preflight(&j.target, &j.limits, j.results, STAGES), 1);
	assert_int_equal(j.results[0].status, STATUS_PLANNED);
	assert_int_equal(j.results[1].skip, SKIP_UNSUPPORTED);
	assert_int_equal(j.results[2].status, STATUS_PLANNED);
}

/* Needs no machine has: the sum must not wrap around and fit. */
static void test_no_overflow(void **state)
{
	struct judged j;

	(void)state;
	make(&j);
	j.stages[0].workers = 4;
	j.stages[0].need.bytes = 1ull << 62;
	assert_int_equal(fs_preflight(&j.target, &j.limits, j.results, 1), 1);
	assert_int_equal(j.results[0].err, ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_needed), cmocka_unit_test(test_not_built),
		cmocka_unit_test(test_root),	       cmocka_unit_test(test_remount),
		cmocka_unit_test(test_space),	       cmocka_unit_test(test_inodes),
		cmocka_unit_test(test_file_size),      cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_tasks),	       cmocka_unit_test(test_aio_slots),
		cmocka_unit_test(test_together),       cmocka_unit_test(test_no_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
