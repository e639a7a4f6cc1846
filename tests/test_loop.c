/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/looped.h"

/* --- counts ----------------------------------------------------------------------------------- */

/* 1166 tries, each seventh fails: 166 failures, and 1000 ops whose work is the rest of 1 + ... +
 * 1166. */
static void test_tolerated(void **state)
{
	struct loop *l = *state;
	struct area_slot *slot = l->workers[0].slot;
	struct area_stage *stage = l->workers[0].stage;
	const uint64_t start = fs_now_ns();

	l->variant.run = toy_plain;
	l->toys[0].fail_every = 7;
	l->toys[0].error = -EAGAIN;
	stage->plan.ops_limit = 1000;
	run(l, 1);
	assert_int_equal(slot->ops, 1000);
	assert_int_equal(slot->work, 1166 * 1167 / 2 - 7 * (166 * 167 / 2));
	assert_int_equal(l->toys[0].tries, 1166);
	assert_int_equal(stage->tolerated[0].err, EAGAIN);
	assert_int_equal(stage->tolerated[0].count, 166);
	assert_int_equal(stage->tolerated[1].err, 0);
	assert_int_equal(stage->failure.taken, 0);
	assert_int_equal(stage->stop, 0);
	assert_in_range(slot->end_ns, start, fs_now_ns());
	assert_true(slot->batches > 0);
}

static void test_unexpected(void **state)
{
	struct loop *l = *state;
	struct area_slot *slot = l->workers[0].slot;
	struct area_stage *stage = l->workers[0].stage;

	l->variant.run = toy_plain;
	l->toys[0].fail_from = 501;
	l->toys[0].error = -EIO;
	stage->plan.ops_limit = 1000;
	run(l, 1);
	assert_int_equal(slot->ops, 500);
	assert_int_equal(slot->work, 500 * 501 / 2);
	assert_int_equal(l->toys[0].tries, 501);
	assert_int_equal(stage->failure.complete, 1);
	assert_int_equal(stage->failure.err, EIO);
	assert_int_equal(stage->failure.worker, 0);
	assert_string_equal(stage->failure.where, "op");
	assert_int_equal(stage->tolerated[0].err, 0);
	assert_int_equal(stage->stop, 1);
	assert_int_equal(slot->end_ns, 0);
}

/* A worker that would fail for ever ends when somebody else has stopped the stage. */
static void test_tolerated_for_ever(void **state)
{
	struct loop *l = *state;

	l->variant.run = toy_recorded;
	l->toys[0].fail_from = 1;
	l->toys[0].error = -EINTR;
	l->toys[0].stop_at = 5;
	run(l, 1);
	assert_int_equal(l->workers[0].slot->ops, 0);
	assert_int_equal(l->toys[0].batches, 5);
	assert_int_equal(l->workers[0].stage->tolerated[0].count, l->toys[0].tries);
	assert_int_equal(l->workers[0].stage->failure.taken, 0);
}

static void test_by_time_has_no_end(void **state)
{
	struct loop *l = *state;

	l->variant.run = toy_recorded;
	l->toys[0].stop_at = 100;
	run(l, 1);
	assert_int_equal(l->workers[0].slot->batches, 100);
	assert_int_equal(l->workers[0].slot->end_ns, 0);
	assert_int_equal(l->workers[0].slot->ops, l->toys[0].tries);
}

/* --- batches ---------------------------------------------------------------------------------- */

static void batches_of(struct loop *l, const uint64_t *sizes, unsigned n)
{
	struct toy *t = &l->toys[0];

	l->variant.run = toy_recorded;
	t->stop_at = n;
	run(l, 1);
	assert_int_equal(t->nsteps, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(t->steps[i].n, sizes[i]);
}

/* Each size three times, until the fastest of three is slow: then that size for ever. */
static void test_batch_doubles(void **state)
{
	static const uint64_t sizes[] = {
		1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8
	};
	struct loop *l = *state;

	l->toys[0].slow_from = 8;
	l->toys[0].slow_ns = FS_NSEC_PER_MSEC;
	batches_of(l, sizes, FS_ARRAY_SIZE(sizes));
	assert_int_equal(l->workers[0].slot->batch, 8);
	assert_int_equal(l->workers[0].slot->batch_fixed, 1);
}

/* However quick the ops are, the batch stays as it is from the opening of the window on. */
static void test_batch_freezes(void **state)
{
	struct loop *l = *state;
	struct toy *t = &l->toys[0];

	l->variant.run = toy_recorded;
	l->area->gate.phase = AREA_WARMUP;
	t->measure_at = 8; /* the second of size 4 */
	t->stop_at = 100;
	run(l, 1);
	for (unsigned i = 6; i < t->nsteps; i++)
		assert_int_equal(t->steps[i].n, 4);
	assert_int_equal(l->workers[0].slot->batch, 4);
	assert_int_equal(l->workers[0].slot->batch_fixed, 1);
	assert_int_equal(l->workers[0].slot->usage_marks, 2);
}

/* With --ops, or no warm-up, the window opens at the release: the batch must not stay at 1. */
static void test_batch_grows_unwarmed(void **state)
{
	struct loop *l = *state;
	struct toy *t = &l->toys[0];

	l->variant.run = toy_recorded;
	t->measure_at = 1;
	t->stop_at = 9;
	run(l, 1);
	assert_int_equal(t->steps[8].n, 4);
	assert_int_equal(l->workers[0].slot->usage_marks, 2);
}

static void test_batch_multiple(void **state)
{
	static const uint64_t sizes[] = { 6, 6, 6, 12, 12, 12, 24, 24, 24, 48 };
	struct loop *l = *state;

	l->variant.batch_multiple = 6;
	batches_of(l, sizes, FS_ARRAY_SIZE(sizes));
}

static void test_max_batch(void **state)
{
	static const uint64_t sizes[] = {
		1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 10, 10, 10, 10, 10, 10
	};
	struct loop *l = *state;

	l->variant.max_batch = 10;
	batches_of(l, sizes, FS_ARRAY_SIZE(sizes));
	assert_int_equal(l->workers[0].slot->batch_fixed, 1);
}

static void test_max_batch_of_a_multiple(void **state)
{
	static const uint64_t sizes[] = { 4, 4, 4, 8, 8, 8, 8, 8, 8 };
	struct loop *l = *state;

	l->variant.max_batch = 11;
	l->variant.batch_multiple = 4;
	batches_of(l, sizes, FS_ARRAY_SIZE(sizes));
}

static void test_round_ops_cap(void **state)
{
	static const uint64_t sizes[] = { 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3 };
	struct loop *l = *state;

	l->workers[0].pub.round_ops = 3;
	batches_of(l, sizes, FS_ARRAY_SIZE(sizes));
}

/* --- kinds ------------------------------------------------------------------------------------ */

static const char *const kinds[] = { "a", "b", "c", NULL };

FS_RUN_LOOP_KINDS(toy_kinds, toy_op)

static void test_kinds(void **state)
{
	struct loop *l = *state;
	struct area_slot *slot = l->workers[0].slot;
	uint64_t start, timed = 0, timed_ns = 0;

	l->stressor.kinds = kinds;
	l->variant = (struct fs_variant){ .run = toy_kinds, .max_batch = 12 };
	l->toys[0].fail_every = 4; /* of each 12 tries, 3 failures: one of each kind */
	l->toys[0].error = -EAGAIN;
	l->workers[0].stage->plan.ops_limit = 90000;
	start = fs_now_ns();
	run(l, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(slot->kinds[i].ops, 30000);
		assert_true(slot->kinds[i].timed_ns > 0);
		timed += slot->kinds[i].timed;
		timed_ns += slot->kinds[i].timed_ns;
	}
	assert_int_equal(slot->kinds[3].ops, 0);
	assert_int_equal(slot->ops, 90000);
	assert_int_equal(l->workers[0].stage->tolerated[0].count, l->toys[0].tries - 90000);
	/* One batch in eight of some 10^4: 0.125 of the tries, give or take five standard
	 * deviations. */
	assert_in_range(timed * 1000 / l->toys[0].tries, 108, 142);
	assert_true(timed_ns <= fs_now_ns() - start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(test_tolerated),
		LOOP_TEST(test_unexpected),
		LOOP_TEST(test_tolerated_for_ever),
		LOOP_TEST(test_by_time_has_no_end),
		LOOP_TEST(test_batch_doubles),
		LOOP_TEST(test_batch_freezes),
		LOOP_TEST(test_batch_grows_unwarmed),
		LOOP_TEST(test_batch_multiple),
		LOOP_TEST(test_max_batch),
		LOOP_TEST(test_max_batch_of_a_multiple),
		LOOP_TEST(test_round_ops_cap),
		LOOP_TEST(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
