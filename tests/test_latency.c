// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Latencies under a clock of our own: what an op takes is known, so the percentiles are.
 */
#include "core/latency.h"
#include "core/pace.h"
#include "tests/looped.h"

#define US FS_NSEC_PER_USEC
#define MS FS_NSEC_PER_MSEC

#define CLOCK_READ_NS 20

static uint64_t clock_ns = FS_NSEC_PER_SEC;

/* In place of libc's: time passes only by reading it, sleeping, and in ops. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	clock_ns += CLOCK_READ_NS;
	ts->tv_sec = (time_t)(clock_ns / FS_NSEC_PER_SEC);
	ts->tv_nsec = (long)(clock_ns % FS_NSEC_PER_SEC);
	return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *at, struct timespec *left)
{
	const uint64_t until = (uint64_t)at->tv_sec * FS_NSEC_PER_SEC + (uint64_t)at->tv_nsec;

	(void)id;
	(void)flags;
	(void)left;
	clock_ns = until > clock_ns ? until : clock_ns;
	return 0;
}

struct known {				/* what ops take: the n-th `slow_ns`, all others `op_ns` */
	uint64_t op_ns, slow_ns, slow_every, once_at, once_ns, tries;
};

static inline long known_op(struct fs_worker *w)
{
	struct known *s = fs_state(w);

	s->tries++;
	if (s->tries == s->once_at)
		clock_ns += s->once_ns;
	else
		clock_ns += s->slow_every && s->tries % s->slow_every == 0 ? s->slow_ns : s->op_ns;
	return 0;
}
FS_RUN_LOOP(known_run, known_op)

static void known_loop(struct loop *l, struct known *s, enum latency latency, double rate,
		       uint64_t ops)
{
	struct worker *k = &l->workers[0];
	struct fs_latency_places places;

	l->variant.run = known_run;
	k->stage->plan.latency = latency;
	k->stage->plan.rate = rate;
	k->stage->plan.ops_limit = ops;
	k->pub.state = s;
	places = fs_latency_places(l->area, 0, &l->stressor, &l->variant, 0);
	k->service = places.service;
	k->response = places.response;
	l->area->gate.phase = AREA_MEASURE;
	run(l, 1);
	assert_int_equal(s->tries, ops);
}

static struct fs_latency summary(const struct fs_histogram *h)
{
	struct fs_latency l;

	fs_histogram_summary(&l, h);
	return l;
}

/* A clock read more than what the op takes; a cell's middle is within 1/128. */
static void near(const struct fs_percentile *p, uint64_t op_ns)
{
	const double expected = (double)(op_ns + CLOCK_READ_NS);

	assert_true(p->valid);
	if (!((double)p->ns >= expected * 127 / 128 && (double)p->ns <= expected * 129 / 128))
		fail_msg("%llu ns, not %.0f", (unsigned long long)p->ns, expected);
}

static void test_all(void **state)
{
	struct known s = { .op_ns = 5 * US, .slow_ns = 300 * US, .slow_every = 50 };
	struct loop *l = *state;
	struct fs_latency got;

	known_loop(l, &s, LATENCY_ALL, 0, 20000);
	got = summary(l->workers[0].service);
	assert_int_equal(got.samples, 20000);
	near(&got.p50, 5 * US);
	near(&got.p90, 5 * US);
	near(&got.p99, 300 * US);
	near(&got.p999, 300 * US);
	assert_int_equal(got.max_ns, 300 * US + CLOCK_READ_NS);
	assert_int_equal(got.min_ns, 5 * US + CLOCK_READ_NS);
	assert_null(l->workers[0].response);
}

/* One op of each batch, any of them: a seventh of the ops is slow, and of the samples. */
static void test_sample(void **state)
{
	struct known s = { .op_ns = 5 * US, .slow_ns = 100 * US, .slow_every = 7 };
	struct loop *l = *state;
	struct fs_latency got;
	uint64_t slow = 0;

	known_loop(l, &s, LATENCY_SAMPLE, 0, 200000);
	got = summary(l->workers[0].service);
	assert_int_equal(got.samples, l->workers[0].slot->batches);
	assert_in_range(got.samples, 1000, 100000);
	near(&got.p50, 5 * US);
	near(&got.p99, 100 * US);
	for (unsigned i = fs_histogram_cell(50 * US); i < FS_HISTOGRAM_CELLS; i++)
		slow += l->workers[0].service->cells[i];
	assert_in_range(slow, got.samples / 9, got.samples / 5);
}

static void test_off(void **state)
{
	struct known s = { .op_ns = 5 * US };
	struct loop *l = *state;

	known_loop(l, &s, LATENCY_OFF, 0, 1000);
	assert_null(l->workers[0].service);
	assert_int_equal(fs_histogram_samples(area_histogram(l->area, 0, 0)), 0);
}

/* What is not in the window is not in the histogram. */
static void test_warmup(void **state)
{
	struct known s = { .op_ns = 5 * US };
	struct loop *l = *state;

	known_loop(l, &s, LATENCY_ALL, 0, 1000);
	assert_int_equal(fs_histogram_samples(l->workers[0].service), 1000);
	l->area->gate.phase = AREA_WARMUP;
	l->workers[0].stage->plan.ops_limit = 2000;
	run(l, 1);
	assert_int_equal(s.tries, 2000);
	assert_int_equal(fs_histogram_samples(l->workers[0].service), 1000);
}

static uint64_t above(const struct fs_histogram *h, uint64_t ns)
{
	uint64_t n = 0;

	for (unsigned i = fs_histogram_cell(ns) + 1; i < FS_HISTOGRAM_CELLS; i++)
		n += h->cells[i];
	return n;
}

/* A stall of 100 ms at 1000 ops/s: one op took long, a hundred were served late. */
static void test_stall(void **state)
{
	struct known s = { .op_ns = 10 * US, .once_at = 5000, .once_ns = 100 * MS };
	struct loop *l = *state;
	struct worker *k = &l->workers[0];
	struct fs_latency got;

	known_loop(l, &s, LATENCY_SAMPLE, 1000, 10000);
	assert_int_equal(fs_histogram_samples(k->service), 10000);
	assert_int_equal(fs_histogram_samples(k->response), 10000);
	assert_int_equal(above(k->service, 1 * MS), 1);
	assert_in_range(above(k->response, 1 * MS), 95, 105);
	got = summary(k->response);
	assert_in_range(got.p99.ns, 100 * US, 12 * MS);
	assert_in_range(got.max_ns, 100 * MS, 101 * MS);
	assert_in_range(k->slot->late_ns, 98 * MS, 100 * MS);
}

/* The schedule is kept over many ops, and nobody starts before its time. */
static void test_schedule(void **state)
{
	struct known s = { .op_ns = 10 * US };
	struct loop *l = *state;
	const uint64_t start = clock_ns;
	double took;

	known_loop(l, &s, LATENCY_SAMPLE, 3000, 30001);
	took = (double)(clock_ns - start) / FS_NSEC_PER_SEC;
	if (took < 10 || took > 10.001)
		fail_msg("30000 intervals at 3000/s took %.6f s", took);
	assert_int_equal(above(l->workers[0].response, 20 * US), 0);
}

/* Ops that take longer than their interval pile up. */
static void test_overload(void **state)
{
	struct known s = { .op_ns = 2 * MS };
	struct loop *l = *state;

	known_loop(l, &s, LATENCY_SAMPLE, 1000, 2001);
	assert_in_range(l->workers[0].slot->late_ns, 1990 * MS, 2010 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, make, drop),
		cmocka_unit_test_setup_teardown(test_sample, make, drop),
		cmocka_unit_test_setup_teardown(test_off, make, drop),
		cmocka_unit_test_setup_teardown(test_warmup, make, drop),
		cmocka_unit_test_setup_teardown(test_stall, make, drop),
		cmocka_unit_test_setup_teardown(test_schedule, make, drop),
		cmocka_unit_test_setup_teardown(test_overload, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
