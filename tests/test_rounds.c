/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/looped.h"

/* 25 ops in rounds of 10; batches are 1, 1, 1, 2, 2, 2 and then 4, which the end of a round cuts.
 */
static void test_rounds(void **state)
{
	static const struct step wanted[] = {
		{ FILL, 10 }, { RUN, 1 }, { RUN, 1 }, { RUN, 1 }, { RUN, 2 }, { RUN, 2 },
		{ RUN, 2 }, { RUN, 1 }, { DRAIN, 10 },
		{ FILL, 10 }, { RUN, 4 }, { RUN, 4 }, { RUN, 2 }, { DRAIN, 10 },
		{ FILL, 5 }, { RUN, 4 }, { RUN, 1 }, { DRAIN, 5 },
	};
	struct loop *l = *state;
	struct worker *k = &l->workers[0];

	l->variant = (struct fs_variant){
		.fill = toy_fill, .run = toy_recorded, .drain = toy_drain, .max_batch = 4
	};
	k->pub.round_ops = 10;
	k->stage->plan.ops_limit = 25;
	run(l, 1);
	assert_steps(&l->toys[0], wanted, FS_ARRAY_SIZE(wanted));
	assert_int_equal(k->slot->ops, 25);
	assert_int_equal(k->slot->rounds, 3);
	assert_true(k->slot->end_ns);
	assert_int_equal(k->stage->barrier.state, 0); /* it has left: nobody waits for it */
}

static void test_rounds_of_a_multiple(void **state)
{
	static const struct step wanted[] = {
		{ FILL, 8 }, { RUN, 4 }, { RUN, 4 }, { FILL, 8 }, { RUN, 4 }, { RUN, 4 },
	};
	struct loop *l = *state;

	l->variant = (struct fs_variant){
		.fill = toy_fill, .run = toy_recorded, .max_batch = 4, .batch_multiple = 4
	};
	l->workers[0].pub.round_ops = 10;
	l->workers[0].stage->plan.ops_limit = 16;
	run(l, 1);
	assert_steps(&l->toys[0], wanted, FS_ARRAY_SIZE(wanted));
}

static int toy_fill_fails(struct fs_worker *w, uint64_t n)
{
	toy_step(fs_state(w), FILL, n);
	return -ENOSPC;
}

static void test_fill_fails(void **state)
{
	static const struct step wanted[] = { { FILL, 10 } };
	struct loop *l = *state;

	l->variant = (struct fs_variant){ .fill = toy_fill_fails,
					  .run = toy_recorded,
					  .drain = toy_drain };
	l->workers[0].pub.round_ops = 10;
	run(l, 1);
	assert_steps(&l->toys[0], wanted, FS_ARRAY_SIZE(wanted));
	assert_int_equal(l->workers[0].stage->failure.err, ENOSPC);
	assert_string_equal(l->workers[0].stage->failure.where, "fill");
	assert_int_equal(l->workers[0].stage->stop, 1);
}

/* Ops that are too slow for the state to be used up: the round is cut, and the next fill makes what
 * will be used. */
static void test_round_is_cut(void **state)
{
	struct loop *l = *state;
	struct toy *t = &l->toys[0];
	uint64_t used;

	l->variant = (struct fs_variant){
		.fill = toy_fill, .run = toy_recorded, .drain = toy_drain, .max_batch = 1
	};
	l->workers[0].pub.round_ops = 1000;
	t->op_ns = 20 * FS_NSEC_PER_MSEC;
	t->stop_at = 15;
	run(l, 1);
	assert_int_equal(t->steps[0].kind, FILL);
	assert_int_equal(t->steps[0].n, 1000);
	for (used = 1; t->steps[used].kind == RUN; used++)
		;
	used--;
	assert_in_range(used, 1, 13); /* 250 ms of ops of 20 ms */
	assert_int_equal(t->steps[used + 1].kind, DRAIN);
	assert_int_equal(t->steps[used + 1].n, used);
	assert_int_equal(t->steps[used + 2].kind, FILL);
	assert_int_equal(t->steps[used + 2].n, used + 1);
}

static uint64_t greatest(const struct loop *l, uint64_t r, size_t stamp)
{
	uint64_t max = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		const char *round = (const char *)&l->workers[i].slot->round[r % AREA_ROUNDS_MAX];
		const uint64_t at = *(const uint64_t *)(round + stamp);

		max = at > max ? at : max;
	}
	return max;
}

/* Worker 0's state lasts for 20 ops, the other's for 100000 slow ones: all rounds end with worker
 * 0's. */
static void test_rounds_end_together(void **state)
{
	struct loop *l = *state;
	const struct toy *slow = &l->toys[1];
	uint64_t tried = 0, rounds;

	l->variant = (struct fs_variant){
		.fill = toy_fill, .run = toy_recorded, .drain = toy_drain, .max_batch = 2
	};
	l->workers[0].pub.round_ops = 20;
	l->workers[1].pub.round_ops = 100000;
	l->toys[0].op_ns = l->toys[1].op_ns = 100 * FS_NSEC_PER_USEC;
	l->toys[0].stop_at = 100;
	run(l, WORKERS_MAX);
	for (unsigned i = 0; i < slow->nsteps; i++) {
		const struct step *s = &slow->steps[i];

		tried = s->kind == FILL ? 0 : s->kind == RUN ? tried + s->n : tried;
		if (s->kind == FILL)
			assert_int_equal(s->n, 100000);
		if (s->kind == DRAIN)
			assert_int_equal(s->n, tried);
	}
	rounds = l->workers[1].slot->rounds;
	assert_true(rounds >= 3);
	for (uint64_t r = rounds > 8 ? rounds - 8 : 1; r <= rounds; r++) {
		const uint64_t run_end = greatest(l, r, offsetof(struct area_round, run_end));

		for (unsigned i = 0; i < WORKERS_MAX; i++) {
			const struct area_round *round =
				&l->workers[i].slot->round[r % AREA_ROUNDS_MAX];

			/* nobody is timed before all have filled, nobody drains while anybody is
			 * timed */
			assert_true(round->run >=
				    greatest(l, r, offsetof(struct area_round, fill)));
			assert_true(round->drain_end >= run_end);
		}
	}
}

/* --- the clock word
 * --------------------------------------------------------------------------------------------- */

struct sampler {
	struct area_slot *slot;
	uint64_t start_ns;
	uint32_t end;
	unsigned samples, flagged, backwards, too_much;
};

/*
 * The worker reads the clock a moment before it stores the word, so two samples around a change may
 * disagree by that moment. But the sum of finished periods never shrinks, a period under way adds
 * to it, and nothing is off for longer than since the start.
 */
static void *sample_off(void *arg)
{
	struct sampler *s = arg;
	uint64_t finished = 0, last_word = 0, last_off = 0;

	while (!fs_load_acquire(&s->end)) {
		const uint64_t word = fs_load_acquire(&s->slot->off), now = fs_now_ns(),
			       off = fs_off_ns(word, now);

		if (!word)
			continue;
		s->samples++;
		s->flagged += (word & FS_OFF_FLAG) != 0;
		s->backwards += off < finished || (word == last_word && off < last_off);
		s->too_much += off > now - s->start_ns;
		finished = word & FS_OFF_FLAG ? finished : off;
		last_word = word;
		last_off = off;
	}
	return NULL;
}

static int toy_fill_slowly(struct fs_worker *w, uint64_t n)
{
	(void)w;
	(void)n;
	toy_spin(50 * FS_NSEC_PER_USEC);
	return 0;
}

static void test_off_word_never_goes_back(void **state)
{
	struct loop *l = *state;
	const uint64_t start = fs_now_ns();
	struct sampler s = { .slot = l->workers[0].slot, .start_ns = start };
	pthread_t thread;

	l->variant = (struct fs_variant){ .fill = toy_fill_slowly, .run = toy_plain };
	l->workers[0].pub.round_ops = 10;
	l->toys[0].op_ns = 5 * FS_NSEC_PER_USEC;
	l->workers[0].stage->plan.ops_limit = 20000;
	assert_int_equal(pthread_create(&thread, NULL, sample_off, &s), 0);
	run(l, 1);
	fs_store_release(&s.end, 1);
	pthread_join(thread, NULL);
	assert_true(s.samples > 100);
	assert_true(s.flagged > 0);
	assert_int_equal(s.backwards, 0);
	assert_int_equal(s.too_much, 0);
	/* 2000 fills of at least 50 us were off the clock, 20000 ops of at least 5 us were not. */
	assert_true(s.slot->off & FS_OFF_FLAG);
	assert_true(fs_off_ns(s.slot->off, s.slot->end_ns) >= 2000 * 50 * FS_NSEC_PER_USEC);
	assert_true(fs_off_ns(s.slot->off, s.slot->end_ns) <=
		    s.slot->end_ns - start - 20000 * 5 * FS_NSEC_PER_USEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(test_rounds),
		LOOP_TEST(test_rounds_of_a_multiple),
		LOOP_TEST(test_fill_fails),
		LOOP_TEST(test_round_is_cut),
		LOOP_TEST(test_rounds_end_together),
		LOOP_TEST(test_off_word_never_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
