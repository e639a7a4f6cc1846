/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "tests/looped.h"

/* What has been done with a worker, and what is to befall it when it runs its last batch. */
static struct {
	unsigned verified, measured, torn_down;
	void (*befalls)(struct worker *k);
} life;

static uint64_t life_run(struct fs_worker *w, uint64_t n)
{
	life.befalls(fs_worker_of(w));
	return toy_plain(w, n);
}

static int life_verify(struct fs_worker *w)
{
	(void)w;
	life.verified++;
	return 0;
}

static int life_measure(struct fs_worker *w)
{
	(void)w;
	life.measured++;
	return 0;
}

static void life_teardown(struct fs_worker *w)
{
	(void)w;
	life.torn_down++;
}

/* All of a worker's life, in a thread and with a directory of its own. */
static void live(struct loop *l, void (*befalls)(struct worker *k))
{
	char scratch[] = "/tmp/fsstress-test.XXXXXX";
	struct worker *k = &l->workers[0];

	assert_non_null(mkdtemp(scratch));
	memset(&life, 0, sizeof(life));
	life.befalls = befalls;
	l->stressor.verify = life_verify;
	l->stressor.measure = life_measure;
	l->stressor.teardown = life_teardown;
	l->variant.run = life_run;
	k->dirs.workspace_fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	k->stage->plan.verify = 1;
	fs_barrier_init(&k->stage->finish, 1);
	l->area->gate.go = 1;
	assert_int_equal(fs_task_start(&k->task, false, fs_worker_main, k), 0);
	fs_task_join(&k->task);
	unlinkat(k->dirs.workspace_fd, "w0", AT_REMOVEDIR);
	close(k->dirs.workspace_fd);
	assert_int_equal(rmdir(scratch), 0);
	assert_int_equal(life.torn_down, 1);
	assert_int_equal(k->stage->ended, 1);
	assert_int_equal(k->slot->phase, WORKER_ENDED);
}

static void assert_looked_at(unsigned times)
{
	assert_int_equal(life.verified, times);
	assert_int_equal(life.measured, times);
}

/* The end of the window: what the ops have left is looked at. */
static void is_stopped(struct worker *k)
{
	fs_area_stop(k->area, 0);
}

static void test_stopped(void **state)
{
	live(*state, is_stopped);
	assert_looked_at(1);
}

/* Interrupted: a fill may have ended early, nothing has to be true of what it leaves. */
static void is_abandoned(struct worker *k)
{
	fs_area_abandon(k->area, 0);
}

static void test_abandoned(void **state)
{
	struct loop *l = *state;

	live(l, is_abandoned);
	assert_looked_at(0);
	assert_int_equal(l->workers[0].stage->failure.taken, 0);
}

/* Another worker has failed, and says no more than that yet. */
static void sees_a_failure(struct worker *k)
{
	const struct area_failure f = { .err = EIO, .worker = 1 };

	fs_area_fail(k->stage, &f);
	fs_area_stop(k->area, 0);
}

static void test_failed(void **state)
{
	live(*state, sees_a_failure);
	assert_looked_at(0);
}

/* Stopped in a remount: it holds nothing that could be looked at. */
static void has_let_go(struct worker *k)
{
	fs_worker_close_files(k);
	fs_area_stop(k->area, 0);
}

static void test_without_a_directory(void **state)
{
	live(*state, has_let_go);
	assert_looked_at(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(test_stopped),
		LOOP_TEST(test_abandoned),
		LOOP_TEST(test_failed),
		LOOP_TEST(test_without_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
