/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/worker.h"

#define WORKERS_MAX 2
#define STEPS_MAX 4096

enum step_kind { FILL, RUN, DRAIN };

struct step {				/* a call of the loop's */
	enum step_kind kind;
	uint64_t n;
};

/* What a toy worker does, and what was done with it. */
struct toy {
	uint64_t fail_every, fail_from;	/* tries; 0: never */
	long error;
	uint64_t op_ns;			/* an op spins that long */
	uint64_t slow_from, slow_ns;	/* a batch of that many ops or more takes that long */
	uint64_t stop_at, measure_at;	/* batches after which the stage stops, the window opens */
	uint64_t tries, batches;
	struct step steps[STEPS_MAX];
	unsigned nsteps;
};

struct loop {
	struct area *area;
	int fd;
	struct fs_stressor stressor;
	struct fs_variant variant;
	struct toy toys[WORKERS_MAX];
	struct worker workers[WORKERS_MAX];
	pthread_t threads[WORKERS_MAX];
};

static const int tolerated[] = { EAGAIN, EINTR, 0 };

static int make(void **state)
{
	static struct loop loop;
	const unsigned workers = WORKERS_MAX;

	memset(&loop, 0, sizeof(loop));
	if (fs_area_create(1, &workers, &loop.area, &loop.fd) < 0)
		return -1;
	loop.stressor = (struct fs_stressor){ .name = "toy", .tolerated = tolerated };
	loop.variant = (struct fs_variant){ .name = "" };
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct worker *k = &loop.workers[i];

		*k = (struct worker){
			.area = loop.area, .stage = area_stage(loop.area, 0), .slot = area_slot(loop.area, 0, i),
			.stressor = &loop.stressor, .helper = -1, .dir_fd = -1,
			.run_name = "fss:toy", .off_name = "fso:toy",
		};
		k->pub = (struct fs_worker){
			.state = &loop.toys[i], .ops = &k->slot->ops, .work = &k->slot->work, .kinds = k->slot->kinds,
			.counters = k->slot->counters, .variant = &loop.variant, .id = i, .workers = WORKERS_MAX,
		};
		k->slot->cpu = -1;
		fs_rng_seed(&k->batch_rng, 1, "toy", i);
	}
	*state = &loop;
	return 0;
}

static int drop(void **state)
{
	struct loop *l = *state;

	fs_area_close(l->area, l->fd);
	return 0;
}

/* --- ops -------------------------------------------------------------------------------------------------------- */

static void toy_spin(uint64_t ns)
{
	const uint64_t end = fs_now_ns() + ns;

	while (ns && fs_now_ns() < end)
		;
}

/* Work of an op is the number of its try: sums show that failed ones have left none. */
static inline long toy_op(struct fs_worker *w)
{
	struct toy *t = fs_state(w);

	toy_spin(t->op_ns);
	t->tries++;
	w->kind = t->tries % 3;
	if (t->fail_every && t->tries % t->fail_every == 0)
		return t->error;
	if (t->fail_from && t->tries >= t->fail_from)
		return t->error;
	return (long)t->tries;
}
FS_RUN_LOOP(toy_plain, toy_op)
FS_RUN_LOOP_KINDS(toy_kinds, toy_op)

static void toy_step(struct toy *t, enum step_kind kind, uint64_t n)
{
	if (t->nsteps < STEPS_MAX)
		t->steps[t->nsteps++] = (struct step){ kind, n };
}

static uint64_t toy_recorded(struct fs_worker *w, uint64_t n)
{
	struct worker *k = fs_worker_of(w);
	struct toy *t = fs_state(w);
	uint64_t done;

	toy_step(t, RUN, n);
	if (t->slow_from && n >= t->slow_from)
		toy_spin(t->slow_ns);
	done = toy_plain(w, n);
	t->batches++;
	if (t->batches == t->measure_at)
		fs_store_release(&k->area->gate.phase, AREA_MEASURE);
	if (t->batches == t->stop_at)
		fs_area_stop(k->area, 0);
	return done;
}

static int toy_fill(struct fs_worker *w, uint64_t n)
{
	toy_step(fs_state(w), FILL, n);
	return 0;
}

static int toy_drain(struct fs_worker *w, uint64_t n)
{
	toy_step(fs_state(w), DRAIN, n);
	return 0;
}

/* --- running it ------------------------------------------------------------------------------------------------- */

static void *loop_main(void *arg)
{
	struct worker *k = arg;

	if (k->stressor->kinds)
		k->pub.stamp = false;
	fs_loop(k);
	return NULL;
}

static void run(struct loop *l, unsigned n)
{
	fs_barrier_init(&l->workers[0].stage->barrier, n);
	l->area->gate.start_ns = fs_now_ns();
	for (unsigned i = 1; i < n; i++)
		assert_int_equal(pthread_create(&l->threads[i], NULL, loop_main, &l->workers[i]), 0);
	loop_main(&l->workers[0]);
	for (unsigned i = 1; i < n; i++)
		pthread_join(l->threads[i], NULL);
}

static void assert_steps(const struct toy *t, const struct step *wanted, unsigned n)
{
	assert_int_equal(t->nsteps, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(t->steps[i].kind, wanted[i].kind);
		assert_int_equal(t->steps[i].n, wanted[i].n);
	}
}

/* --- counts ----------------------------------------------------------------------------------------------------- */

/* 1166 tries, each seventh fails: 166 failures, and 1000 ops whose work is the rest of 1 + ... + 1166. */
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

/* --- batches ---------------------------------------------------------------------------------------------------- */

/* Each size three times, until the fastest of three is slow: then that size for ever. */
static void test_batch_doubles(void **state)
{
	static const uint64_t sizes[] = { 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8 };
	struct loop *l = *state;
	struct toy *t = &l->toys[0];

	l->variant.run = toy_recorded;
	t->slow_from = 8;
	t->slow_ns = FS_NSEC_PER_MSEC;
	t->stop_at = FS_ARRAY_SIZE(sizes);
	run(l, 1);
	assert_int_equal(t->nsteps, FS_ARRAY_SIZE(sizes));
	for (unsigned i = 0; i < t->nsteps; i++)
		assert_int_equal(t->steps[i].n, sizes[i]);
	assert_int_equal(l->workers[0].slot->batch, 8);
	assert_int_equal(l->workers[0].slot->batch_fixed, 1);
}

/* However quick the ops are, the batch stays as it is from the opening of the window on. */
static void test_batch_freezes(void **state)
{
	struct loop *l = *state;
	struct toy *t = &l->toys[0];

	l->variant.run = toy_recorded;
	t->measure_at = 8;			/* the second of size 4 */
	t->stop_at = 100;
	run(l, 1);
	for (unsigned i = 6; i < t->nsteps; i++)
		assert_int_equal(t->steps[i].n, 4);
	assert_int_equal(l->workers[0].slot->batch, 4);
	assert_int_equal(l->workers[0].slot->batch_fixed, 1);
	assert_int_equal(l->workers[0].slot->usage_marks, 2);
}

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

static void test_batch_multiple(void **state)
{
	static const uint64_t sizes[] = { 6, 6, 6, 12, 12, 12, 24, 24, 24, 48 };
	struct loop *l = *state;

	l->variant.batch_multiple = 6;
	batches_of(l, sizes, FS_ARRAY_SIZE(sizes));
}

static void test_max_batch(void **state)
{
	static const uint64_t sizes[] = { 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 10, 10, 10, 10, 10, 10 };
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

/* --- rounds ----------------------------------------------------------------------------------------------------- */

/* 25 ops in rounds of 10; batches are 1, 1, 1, 2, 2, 2 and then 4, which the end of a round cuts. */
static void test_rounds(void **state)
{
	static const struct step wanted[] = {
		{ FILL, 10 }, { RUN, 1 }, { RUN, 1 }, { RUN, 1 }, { RUN, 2 }, { RUN, 2 }, { RUN, 2 }, { RUN, 1 }, { DRAIN, 10 },
		{ FILL, 10 }, { RUN, 4 }, { RUN, 4 }, { RUN, 2 }, { DRAIN, 10 },
		{ FILL, 5 },  { RUN, 4 }, { RUN, 1 }, { DRAIN, 5 },
	};
	struct loop *l = *state;
	struct worker *k = &l->workers[0];

	l->variant = (struct fs_variant){ .fill = toy_fill, .run = toy_recorded, .drain = toy_drain, .max_batch = 4 };
	k->pub.round_ops = 10;
	k->stage->plan.ops_limit = 25;
	run(l, 1);
	assert_steps(&l->toys[0], wanted, FS_ARRAY_SIZE(wanted));
	assert_int_equal(k->slot->ops, 25);
	assert_int_equal(k->slot->rounds, 3);
	assert_true(k->slot->end_ns);
	assert_int_equal(k->stage->barrier.state, 0);	/* it has left: nobody waits for it */
}

static void test_rounds_of_a_multiple(void **state)
{
	static const struct step wanted[] = {
		{ FILL, 8 }, { RUN, 4 }, { RUN, 4 }, { FILL, 8 }, { RUN, 4 }, { RUN, 4 },
	};
	struct loop *l = *state;

	l->variant = (struct fs_variant){ .fill = toy_fill, .run = toy_recorded, .max_batch = 4, .batch_multiple = 4 };
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

	l->variant = (struct fs_variant){ .fill = toy_fill_fails, .run = toy_recorded, .drain = toy_drain };
	l->workers[0].pub.round_ops = 10;
	run(l, 1);
	assert_steps(&l->toys[0], wanted, FS_ARRAY_SIZE(wanted));
	assert_int_equal(l->workers[0].stage->failure.err, ENOSPC);
	assert_string_equal(l->workers[0].stage->failure.where, "fill");
	assert_int_equal(l->workers[0].stage->stop, 1);
}

/* Ops that are too slow for the state to be used up: the round is cut, and the next fill makes what will be used. */
static void test_round_is_cut(void **state)
{
	struct loop *l = *state;
	struct toy *t = &l->toys[0];
	uint64_t used;

	l->variant = (struct fs_variant){ .fill = toy_fill, .run = toy_recorded, .drain = toy_drain, .max_batch = 1 };
	l->workers[0].pub.round_ops = 1000;
	t->op_ns = 20 * FS_NSEC_PER_MSEC;
	t->stop_at = 15;
	run(l, 1);
	assert_int_equal(t->steps[0].kind, FILL);
	assert_int_equal(t->steps[0].n, 1000);
	for (used = 1; t->steps[used].kind == RUN; used++)
		;
	used--;
	assert_in_range(used, 1, 13);		/* 250 ms of ops of 20 ms */
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

/* Worker 0's state lasts for 20 ops, the other's for 100000 slow ones: all rounds end with worker 0's. */
static void test_rounds_end_together(void **state)
{
	struct loop *l = *state;
	const struct toy *slow = &l->toys[1];
	uint64_t tried = 0, rounds;

	l->variant = (struct fs_variant){ .fill = toy_fill, .run = toy_recorded, .drain = toy_drain, .max_batch = 2 };
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
			const struct area_round *round = &l->workers[i].slot->round[r % AREA_ROUNDS_MAX];

			/* nobody is timed before all have filled, nobody drains while anybody is timed */
			assert_true(round->run >= greatest(l, r, offsetof(struct area_round, fill)));
			assert_true(round->drain_end >= run_end);
		}
	}
}

/* --- kinds ------------------------------------------------------------------------------------------------------ */

static const char *const kinds[] = { "a", "b", "c", NULL };

static void test_kinds(void **state)
{
	struct loop *l = *state;
	struct area_slot *slot = l->workers[0].slot;
	uint64_t start, timed = 0, timed_ns = 0;

	l->stressor.kinds = kinds;
	l->variant = (struct fs_variant){ .run = toy_kinds, .max_batch = 12 };
	l->toys[0].fail_every = 4;		/* of each 12 tries, 3 failures: one of each kind */
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
	/* One batch in eight of some 10^4: 0.125 of the tries, give or take five standard deviations. */
	assert_in_range(timed * 1000 / l->toys[0].tries, 108, 142);
	assert_true(timed_ns <= fs_now_ns() - start);
}

/* --- the clock word --------------------------------------------------------------------------------------------- */

struct sampler {
	struct area_slot *slot;
	uint64_t start_ns;
	uint32_t end;
	unsigned samples, flagged, backwards, too_much;
};

/*
 * The worker reads the clock a moment before it stores the word, so two samples around a change may disagree by that moment.
 * But the sum of finished periods never shrinks, a period under way adds to it, and nothing is off for longer than since the start.
 */
static void *sample_off(void *arg)
{
	struct sampler *s = arg;
	uint64_t finished = 0, last_word = 0, last_off = 0;

	while (!fs_load_acquire(&s->end)) {
		const uint64_t word = fs_load_acquire(&s->slot->off), now = fs_now_ns(), off = fs_off_ns(word, now);

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
	assert_true(fs_off_ns(s.slot->off, s.slot->end_ns) <= s.slot->end_ns - start - 20000 * 5 * FS_NSEC_PER_USEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tolerated, make, drop),
		cmocka_unit_test_setup_teardown(test_unexpected, make, drop),
		cmocka_unit_test_setup_teardown(test_tolerated_for_ever, make, drop),
		cmocka_unit_test_setup_teardown(test_by_time_has_no_end, make, drop),
		cmocka_unit_test_setup_teardown(test_batch_doubles, make, drop),
		cmocka_unit_test_setup_teardown(test_batch_freezes, make, drop),
		cmocka_unit_test_setup_teardown(test_batch_multiple, make, drop),
		cmocka_unit_test_setup_teardown(test_max_batch, make, drop),
		cmocka_unit_test_setup_teardown(test_max_batch_of_a_multiple, make, drop),
		cmocka_unit_test_setup_teardown(test_round_ops_cap, make, drop),
		cmocka_unit_test_setup_teardown(test_rounds, make, drop),
		cmocka_unit_test_setup_teardown(test_rounds_of_a_multiple, make, drop),
		cmocka_unit_test_setup_teardown(test_fill_fails, make, drop),
		cmocka_unit_test_setup_teardown(test_round_is_cut, make, drop),
		cmocka_unit_test_setup_teardown(test_rounds_end_together, make, drop),
		cmocka_unit_test_setup_teardown(test_kinds, make, drop),
		cmocka_unit_test_setup_teardown(test_off_word_never_goes_back, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
