/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looped.h - for unit tests of the loop and of a worker's life: workers made by hand, whose ops,
 * fills and drains leave a record; each test gets a struct loop
 */
#ifndef TESTS_LOOPED_H
#define TESTS_LOOPED_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/worker.h"

#define WORKERS_MAX 2
#define STEPS_MAX   4096

#define LOOP_TEST(test) cmocka_unit_test_setup_teardown(test, make, drop)

enum step_kind { FILL, RUN, DRAIN };

struct step { /* a call of the loop's */
	enum step_kind kind;
	uint64_t n;
};

/* What a toy worker does, and what was done with it. */
struct toy {
	uint64_t fail_every, fail_from; /* tries; 0: never */
	long error;
	uint64_t op_ns;		      /* an op spins that long */
	uint64_t slow_from, slow_ns;  /* a batch of that many ops or more takes that long */
	uint64_t stop_at, measure_at; /* batches after which the stage stops, the window opens */
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

static inline int make(void **state)
{
	static struct loop loop;
	const struct area_size size = { WORKERS_MAX, 2 * WORKERS_MAX };

	memset(&loop, 0, sizeof(loop));
	if (fs_area_create(1, &size, &loop.area, &loop.fd) < 0)
		return -1;
	loop.stressor = (struct fs_stressor){ .name = "toy", .tolerated = tolerated };
	loop.variant = (struct fs_variant){ .name = "" };
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct worker *k = &loop.workers[i];

		*k = (struct worker){
			.area = loop.area,
			.stage = area_stage(loop.area, 0),
			.slot = area_slot(loop.area, 0, i),
			.stressor = &loop.stressor,
			.helper = -1,
			.dir_fd = -1,
			.run_name = "fss:toy",
			.off_name = "fso:toy",
		};
		k->pub = (struct fs_worker){
			.state = &loop.toys[i],
			.ops = &k->slot->ops,
			.work = &k->slot->work,
			.kinds = k->slot->kinds,
			.counters = k->slot->counters,
			.variant = &loop.variant,
			.id = i,
			.workers = WORKERS_MAX,
		};
		k->slot->cpu = -1;
		fs_rng_seed(&k->batch_rng, 1, "toy", i);
	}
	*state = &loop;
	return 0;
}

static inline int drop(void **state)
{
	struct loop *l = *state;

	fs_area_close(l->area, l->fd);
	return 0;
}

/* --- ops -------------------------------------------------------------------------------------- */

static inline void toy_spin(uint64_t ns)
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

static inline void toy_step(struct toy *t, enum step_kind kind, uint64_t n)
{
	if (t->nsteps < STEPS_MAX)
		t->steps[t->nsteps++] = (struct step){ kind, n };
}

static inline uint64_t toy_recorded(struct fs_worker *w, uint64_t n)
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

static inline int toy_fill(struct fs_worker *w, uint64_t n)
{
	toy_step(fs_state(w), FILL, n);
	return 0;
}

static inline int toy_drain(struct fs_worker *w, uint64_t n)
{
	toy_step(fs_state(w), DRAIN, n);
	return 0;
}

/* --- running it ------------------------------------------------------------------------------- */

static inline void *loop_main(void *arg)
{
	struct worker *k = arg;

	fs_loop(k);
	return NULL;
}

static inline void run(struct loop *l, unsigned n)
{
	fs_barrier_init(&l->workers[0].stage->barrier, n);
	l->area->gate.start_ns = fs_now_ns();
	for (unsigned i = 1; i < n; i++)
		assert_int_equal(pthread_create(&l->threads[i], NULL, loop_main, &l->workers[i]),
				 0);
	loop_main(&l->workers[0]);
	for (unsigned i = 1; i < n; i++)
		pthread_join(l->threads[i], NULL);
}

static inline void assert_steps(const struct toy *t, const struct step *wanted, unsigned n)
{
	assert_int_equal(t->nsteps, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(t->steps[i].kind, wanted[i].kind);
		assert_int_equal(t->steps[i].n, wanted[i].n);
	}
}

#endif
