/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/compiler.h"
#include "platform/gate.h"
#include "platform/task.h"

#define TURNS	    10000
#define PARTIES_MAX 16
#define LIMIT_S	    60 /* a broken barrier keeps its parties for ever */

struct meeting { /* in shared memory for processes */
	struct fs_barrier barrier;
	uint64_t arrivals;	       /* of all parties, in all turns */
	uint32_t early, late, refused; /* what must not happen */
	uint32_t parties, turns;
	uint64_t spin_ns;
};

struct party {
	struct meeting *meeting;
	uint32_t turns; /* then it leaves */
	pthread_t thread;
	bool met;
};

/*
 * Nobody comes out of turn i before all have arrived for it, and nobody can have arrived for the
 * turn after the next while one is still here.
 */
static void meet_in_turn(struct meeting *m, uint64_t turn)
{
	uint64_t arrivals;

	fs_add(&m->arrivals, 1);
	if (!fs_barrier_wait(&m->barrier, m->spin_ns))
		fs_add(&m->refused, 1);
	arrivals = fs_load_acquire(&m->arrivals);
	if (arrivals < (turn + 1) * m->parties)
		fs_add(&m->early, 1);
	if (arrivals > (turn + 2) * m->parties - 1)
		fs_add(&m->late, 1);
}

static void *party_in_turn(void *arg)
{
	struct party *p = arg;

	for (uint64_t turn = 0; turn < p->turns; turn++)
		meet_in_turn(p->meeting, turn);
	return NULL;
}

static void assert_orderly(const struct meeting *m)
{
	assert_int_equal(m->refused, 0);
	assert_int_equal(m->early, 0);
	assert_int_equal(m->late, 0);
	assert_int_equal(m->arrivals, (uint64_t)m->parties * m->turns);
	assert_int_equal(m->barrier.turn, m->turns);
	assert_int_equal(m->barrier.state, m->parties);
}

static void threads_meet(uint32_t parties, uint64_t spin_ns)
{
	struct meeting m = { .parties = parties, .turns = TURNS, .spin_ns = spin_ns };
	struct party party[PARTIES_MAX];

	fs_barrier_init(&m.barrier, parties);
	for (uint32_t i = 0; i < parties; i++) {
		party[i] = (struct party){ .meeting = &m, .turns = TURNS };
		assert_int_equal(pthread_create(&party[i].thread, NULL, party_in_turn, &party[i]),
				 0);
	}
	for (uint32_t i = 0; i < parties; i++)
		pthread_join(party[i].thread, NULL);
	assert_orderly(&m);
}

static void test_threads(void **state)
{
	(void)state;
	threads_meet(1, 0);
	threads_meet(2, 0);
	threads_meet(2, 20 * FS_NSEC_PER_USEC);
	threads_meet(PARTIES_MAX, 0);
}

/* Each process maps the memory at a place of its own. */
static void process_in_turn(int fd)
{
	struct meeting *m = fs_shared_map(fd, sizeof(*m));

	alarm(LIMIT_S);
	for (uint64_t turn = 0; turn < m->turns; turn++)
		meet_in_turn(m, turn);
	_exit(0);
}

static void test_processes(void **state)
{
	pid_t pids[4];
	struct meeting *m;
	int fd;

	(void)state;
	m = fs_shared_create("test-gate", sizeof(*m), &fd);
	assert_non_null(m);
	m->parties = FS_ARRAY_SIZE(pids);
	m->turns = TURNS;
	fs_barrier_init(&m->barrier, m->parties);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			process_in_turn(fd);
	}
	for (unsigned i = 0; i < FS_ARRAY_SIZE(pids); i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_orderly(m);
	munmap(m, sizeof(*m));
	close(fd);
}

static void *party_that_leaves(void *arg)
{
	struct party *p = arg;

	for (uint32_t turn = 0; turn < p->turns; turn++) {
		if (!fs_barrier_wait(&p->meeting->barrier, 0))
			fs_add(&p->meeting->refused, 1);
	}
	fs_barrier_leave(&p->meeting->barrier);
	return NULL;
}

/* One after another leaves; the others go on meeting, as often as the one that stays longest. */
static void test_leave(void **state)
{
	struct meeting m = { .parties = PARTIES_MAX };
	struct party party[PARTIES_MAX];

	(void)state;
	fs_barrier_init(&m.barrier, PARTIES_MAX);
	for (uint32_t i = 0; i < PARTIES_MAX; i++) {
		party[i] = (struct party){ .meeting = &m, .turns = 50 * i };
		assert_int_equal(
			pthread_create(&party[i].thread, NULL, party_that_leaves, &party[i]), 0);
	}
	for (uint32_t i = 0; i < PARTIES_MAX; i++)
		pthread_join(party[i].thread, NULL);
	assert_int_equal(m.refused, 0);
	assert_int_equal(m.barrier.turn, 50 * (PARTIES_MAX - 1));
	assert_int_equal(m.barrier.state, 0);
}

static void *party_once(void *arg)
{
	struct party *p = arg;

	p->met = fs_barrier_wait(&p->meeting->barrier, 0);
	return NULL;
}

static void await_arrivals(const struct fs_barrier *b, uint64_t n)
{
	while (fs_load_acquire(&b->state) >> 32 != n)
		usleep(100);
}

/* A meeting of three that two have come to, until how(barrier) ends their wait; they have met, or not. */
static void two_of_three(struct meeting *m, void (*how)(struct fs_barrier *), bool met)
{
	struct party party[2];

	fs_barrier_init(&m->barrier, m->parties);
	for (unsigned i = 0; i < 2; i++) {
		party[i] = (struct party){ .meeting = m, .met = !met };
		assert_int_equal(pthread_create(&party[i].thread, NULL, party_once, &party[i]), 0);
	}
	await_arrivals(&m->barrier, 2);
	how(&m->barrier);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(party[i].thread, NULL);
		assert_int_equal(party[i].met, met);
	}
}

static void test_leave_completes_the_meeting(void **state)
{
	struct meeting m = { .parties = 3 };

	(void)state;
	two_of_three(&m, fs_barrier_leave, true);
	assert_int_equal(m.barrier.state, 2);
	assert_int_equal(m.barrier.turn, 1);
}

static void test_abort(void **state)
{
	struct meeting m = { .parties = 3 };

	(void)state;
	two_of_three(&m, fs_barrier_abort, false);
	assert_false(fs_barrier_wait(&m.barrier, 0));
	assert_false(fs_barrier_wait(&m.barrier, FS_NSEC_PER_SEC));
}

static void *party_until_aborted(void *arg)
{
	struct party *p = arg;

	while (fs_barrier_wait(&p->meeting->barrier, p->meeting->spin_ns))
		p->turns++;
	/* That it leaves must not make a meeting of those who have not seen the abort yet. */
	fs_barrier_leave(&p->meeting->barrier);
	return NULL;
}

/* However an abort falls into a meeting, it has taken place for all or for none. */
static void test_abort_is_the_same_for_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct meeting m = { .spin_ns = i % 2 ? 20 * FS_NSEC_PER_USEC : 0 };
		struct party party[3];

		fs_barrier_init(&m.barrier, 3);
		for (unsigned j = 0; j < 3; j++) {
			party[j] = (struct party){ .meeting = &m };
			assert_int_equal(pthread_create(&party[j].thread, NULL, party_until_aborted,
							&party[j]),
					 0);
		}
		usleep(i * 10);
		fs_barrier_abort(&m.barrier);
		for (unsigned j = 0; j < 3; j++)
			pthread_join(party[j].thread, NULL);
		assert_int_equal(party[1].turns, party[0].turns);
		assert_int_equal(party[2].turns, party[0].turns);
	}
}

/*
 * A waiter looks at the turn, then at the count. Here all of this falls between the two: the last
 * party comes, the meeting is complete, somebody arrives for the next one, and that is aborted. The
 * count is the last word of a page, which is taken away once the waiter has arrived, and given back
 * with all of that done by the handler of its fault.
 */
static struct fs_barrier *split;

static void split_page(int protection)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	mprotect((char *)&split->turn - page, page, protection);
}

static void split_fault(int sig)
{
	(void)sig;
	split_page(PROT_READ | PROT_WRITE);
	fs_store(&split->turn, 1);
	fs_store(&split->state, FS_BARRIER_ABORTED | 1ull << 32 | 2);
}

static void *party_of_split(void *arg)
{
	*(bool *)arg = fs_barrier_wait(split, 0);
	return NULL;
}

static void test_abort_of_the_next_meeting(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct sigaction on_fault = { .sa_handler = split_fault };
	struct sigaction before;
	pthread_t thread;
	bool met = false;
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	split = (struct fs_barrier *)(pages + page - offsetof(struct fs_barrier, turn));
	fs_barrier_init(split, 2);
	assert_int_equal(sigaction(SIGSEGV, &on_fault, &before), 0);
	assert_int_equal(pthread_create(&thread, NULL, party_of_split, &met), 0);
	await_arrivals(split, 1);
	split_page(PROT_NONE);
	pthread_join(thread, NULL);
	sigaction(SIGSEGV, &before, NULL);
	assert_true(met);
	assert_int_equal(split->turn, 1); /* the fault did take place */
	munmap(pages, 2 * page);
}

static void test_futex_timeout(void **state)
{
	const uint64_t limit_ns = 20 * FS_NSEC_PER_MSEC;
	uint32_t word = 5;
	uint64_t start, end;

	(void)state;
	start = fs_now_ns();
	do {
		fs_futex_wait(&word, 5, limit_ns);
		end = fs_now_ns();
	} while (end - start < limit_ns / 2); /* a signal may end a wait early */
	assert_true(end - start >= limit_ns);
	fs_futex_wait(&word, 4, 0); /* another value: no wait, though there is no limit */
}

static void *sleeper(void *arg)
{
	uint32_t *word = arg;

	while (fs_load_acquire(word) == 0)
		fs_futex_wait(word, 0, 0);
	return NULL;
}

static void test_wake(void **state)
{
	pthread_t threads[4];
	uint32_t word = 0;

	(void)state;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, sleeper, &word), 0);
	usleep(2000); /* time for some of them to be asleep */
	fs_store_release(&word, 1);
	fs_futex_wake_all(&word);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_leave_completes_the_meeting),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_abort_is_the_same_for_all),
		cmocka_unit_test(test_abort_of_the_next_meeting),
		cmocka_unit_test(test_futex_timeout),
		cmocka_unit_test(test_wake),
	};

	alarm(LIMIT_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
