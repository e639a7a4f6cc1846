/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "core/area.h"

#define THREADS 8
#define TALLIES 10000

static const struct area_size sizes[] = { { 3, 2 }, { 1, 0 }, { 1024, 5 } };

static struct area *made(int *fd)
{
	struct area *a;

	assert_int_equal(fs_area_create(FS_ARRAY_SIZE(sizes), sizes, &a, fd), 0);
	return a;
}

static int make(void **state)
{
	static struct area *area;
	const struct area_size one[] = { { 4, 0 } };
	int fd;

	if (fs_area_create(1, one, &area, &fd) < 0)
		return -1;
	close(fd); /* the mapping stays */
	*state = area;
	return 0;
}

static int drop(void **state)
{
	struct area *a = *state;

	munmap(a, a->bytes);
	return 0;
}

static void assert_lines(const void *start, const void *at)
{
	assert_int_equal(((const char *)at - (const char *)start) % FS_LINE, 0);
}

/* Stages and slots follow each other without overlap, on cache lines of their own, and end with the
 * area. */
static void test_layout(void **state)
{
	int fd;
	struct area *a = made(&fd);
	const char *end = (const char *)(a + 1);

	(void)state;
	assert_int_equal(a->nstages, FS_ARRAY_SIZE(sizes));
	for (unsigned i = 0; i < FS_ARRAY_SIZE(sizes); i++) {
		struct area_stage *s = area_stage(a, i);

		assert_lines(a, s);
		assert_true((const char *)s >= end);
		end = (const char *)(s + 1);
		assert_int_equal(s->plan.workers, sizes[i].workers);
		for (unsigned w = 0; w < sizes[i].workers; w++) {
			assert_lines(a, area_slot(a, i, w));
			assert_true((const char *)area_slot(a, i, w) >= end);
			end = (const char *)(area_slot(a, i, w) + 1);
		}
	}
	assert_true(end <= (const char *)a + a->bytes);
	fs_area_close(a, fd);
}

/* What one mapping writes is in the other at the same distance from its start: there is no pointer
 * inside. */
static void test_two_mappings(void **state)
{
	int fd;
	struct area *a = made(&fd), *b;

	(void)state;
	assert_int_equal(fs_area_open(fd, &b), 0);
	assert_ptr_not_equal(a, b);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(sizes); i++) {
		assert_int_equal((char *)area_stage(a, i) - (char *)a,
				 (char *)area_stage(b, i) - (char *)b);
		snprintf(area_stage(a, i)->plan.key, AREA_KEY_MAX, "key %u", i);
		for (unsigned w = 0; w < sizes[i].workers; w++)
			area_slot(a, i, w)->ops = 1000 * i + w;
	}
	for (unsigned i = 0; i < FS_ARRAY_SIZE(sizes); i++) {
		char key[AREA_KEY_MAX];

		snprintf(key, sizeof(key), "key %u", i);
		assert_string_equal(area_stage(b, i)->plan.key, key);
		for (unsigned w = 0; w < sizes[i].workers; w++)
			assert_int_equal(area_slot(b, i, w)->ops, 1000 * i + w);
	}
	assert_memory_equal(a, b, a->bytes);
	munmap(b, b->bytes);
	fs_area_close(a, fd);
}

static void test_refused(void **state)
{
	struct area_size many[AREA_STAGES_MAX + 1] = { { 1, 0 } };
	struct area *a, *b;
	int fd;

	(void)state;
	assert_int_equal(fs_area_create(AREA_STAGES_MAX + 1, many, &a, &fd), -E2BIG);
	assert_int_equal(fs_area_open(-1, &b), -EINVAL);
	a = made(&fd);
	a->magic++;
	assert_int_equal(fs_area_open(fd, &b), -EINVAL);
	a->magic--;
	a->bytes++;
	assert_int_equal(fs_area_open(fd, &b), -EINVAL);
	a->bytes--;
	assert_int_equal(ftruncate(fd, 16), 0);
	assert_int_equal(fs_area_open(fd, &b), -EINVAL);
	close(fd);
}

struct failing {
	struct area_stage *stage;
	int id;
	pthread_t thread;
};

static void failure_of(int id, struct area_failure *f)
{
	*f = (struct area_failure){ .err = id, .worker = id, .signal = id };
	snprintf(f->where, sizeof(f->where), "where %d", id);
	memset(f->text, 'a' + id, sizeof(f->text) - 1);
}

static void *fail_once(void *arg)
{
	const struct failing *t = arg;
	struct area_failure f;

	failure_of(t->id, &f);
	fs_area_fail(t->stage, &f);
	return NULL;
}

/* Of all that fail at once one is kept, and it is whole. */
static void test_first_failure(void **state)
{
	struct area_stage *s = area_stage(*state, 0);
	struct failing threads[THREADS];
	struct area_failure wanted, late = { .err = 99, .text = "too late" };

	for (int i = 0; i < THREADS; i++) {
		threads[i] = (struct failing){ .stage = s, .id = i + 1 };
		assert_int_equal(pthread_create(&threads[i].thread, NULL, fail_once, &threads[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].thread, NULL);
	fs_area_fail(s, &late);
	assert_in_range(s->failure.err, 1, THREADS);
	failure_of(s->failure.err, &wanted);
	wanted.taken = wanted.complete = 1;
	assert_memory_equal(&s->failure, &wanted, sizeof(wanted));
	assert_int_equal(s->stop, 0);
}

static void *tally_often(void *arg)
{
	struct area_stage *s = arg;
	uintptr_t refused = 0;

	for (int i = 0; i < TALLIES; i++)
		refused += !fs_area_tally(s, 1 + i % AREA_ERRNOS_MAX);
	return (void *)refused;
}

static void test_tally(void **state)
{
	struct area_stage *s = area_stage(*state, 0);
	pthread_t threads[THREADS];
	unsigned seen = 0;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, tally_often, s), 0);
	for (int i = 0; i < THREADS; i++) {
		void *refused;

		pthread_join(threads[i], &refused);
		assert_null(refused);
	}
	for (unsigned i = 0; i < AREA_ERRNOS_MAX; i++) {
		seen |= 1u << s->tolerated[i].err;
		assert_int_equal(s->tolerated[i].count, THREADS * TALLIES / AREA_ERRNOS_MAX);
	}
	assert_int_equal(seen, ((1u << AREA_ERRNOS_MAX) - 1) << 1);
	assert_false(fs_area_tally(s, AREA_ERRNOS_MAX + 1));
	assert_true(fs_area_tally(s, AREA_ERRNOS_MAX));
}

static void test_warnings(void **state)
{
	struct area_stage *s = area_stage(*state, 0);
	const size_t room = sizeof(s->warning[0].text);
	char longer[400], text[sizeof(s->warning[0].text)];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	fs_area_warn(s, "%s", longer);
	assert_int_equal(strlen(s->warning[0].text), room - 1);
	for (unsigned i = 1; i < AREA_WARNINGS_MAX + 3; i++)
		fs_area_warn(s, "warning %u", i);
	for (unsigned i = 1; i < AREA_WARNINGS_MAX; i++) {
		snprintf(text, sizeof(text), "warning %u", i);
		assert_string_equal(s->warning[i].text, text);
	}
	assert_int_equal(s->setup_done, 0); /* what lies behind the list is untouched */
	assert_string_equal(s->workspace, "");
}

/*
 * The flag is set, and nobody waits for the next round any more. Helpers still meet their worker,
 * whose op ends whole, and all workers meet once more before verify.
 */
static void test_stop(void **state)
{
	struct area *a = *state;
	struct area_stage *s = area_stage(a, 0);

	fs_barrier_init(&s->barrier, 2);
	fs_barrier_init(&s->finish, 2);
	for (unsigned i = 0; i < s->plan.workers; i++)
		fs_barrier_init(&area_slot(a, 0, i)->meet, 2);
	fs_area_stop(a, 0);
	fs_area_stop(a, 0);
	assert_int_equal(s->stop, 1);
	assert_false(fs_barrier_wait(&s->barrier, 0));
	assert_false(fs_barrier_aborted(&s->finish));
	for (unsigned i = 0; i < s->plan.workers; i++)
		assert_false(fs_barrier_aborted(&area_slot(a, 0, i)->meet));
}

static void test_off_word(void **state)
{
	(void)state;
	assert_int_equal(fs_off_ns(500, 10000), 500);
	assert_int_equal(fs_off_ns(FS_OFF_FLAG | (9000 - 500), 9000),
			 500); /* off since 9000, 500 before */
	assert_int_equal(fs_off_ns(FS_OFF_FLAG | (9000 - 500), 9300), 800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_two_mappings),
		cmocka_unit_test(test_refused),
		cmocka_unit_test_setup_teardown(test_first_failure, make, drop),
		cmocka_unit_test_setup_teardown(test_tally, make, drop),
		cmocka_unit_test_setup_teardown(test_warnings, make, drop),
		cmocka_unit_test_setup_teardown(test_stop, make, drop),
		cmocka_unit_test(test_off_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
