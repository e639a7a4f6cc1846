// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting events of a thread: software events in place of those that need a PMU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/perf.h"

#define SOFTWARE(name, id) { (name), "user", PERF_TYPE_SOFTWARE, (id) }
#define PAGES 50

static const struct fs_perf_event software[FS_PERF_EVENTS] = {
	SOFTWARE("faults", PERF_COUNT_SW_PAGE_FAULTS), SOFTWARE("none", 999999),
	SOFTWARE("minor", PERF_COUNT_SW_PAGE_FAULTS_MIN),
	SOFTWARE("major", PERF_COUNT_SW_PAGE_FAULTS_MAJ), SOFTWARE("none", 999999),
	SOFTWARE("none", 999999),
};

static void touch_pages(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < PAGES; i++)
		p[i * page] = 1;
	munmap(p, PAGES * page);
}

static void *other_thread(void *arg)
{
	touch_pages();
	return arg;
}

static void test_counts(void **state)
{
	uint64_t before[FS_PERF_EVENTS], after[FS_PERF_EVENTS];
	pthread_t other;
	struct fs_perf p;

	(void)state;
	if (fs_perf_open(&p, software) == 0) {
		print_message("no perf events here\n");
		skip();
	}
	assert_int_equal(p.counted, 1 | 4 | 8);
	fs_perf_read(&p, before);
	assert_int_equal(before[1], UINT64_MAX);
	touch_pages();
	fs_perf_read(&p, after);
	assert_in_range(after[0] - before[0], PAGES, PAGES + 20);
	assert_int_equal(after[0] - before[0], after[2] - before[2]);
	assert_int_equal(after[3], before[3]);
	fs_perf_read(&p, before);
	assert_int_equal(pthread_create(&other, NULL, other_thread, NULL), 0);
	pthread_join(other, NULL);
	fs_perf_read(&p, after);
	assert_in_range(after[0] - before[0], 0, PAGES / 2);	/* not those of others */
	fs_perf_close(&p);
	fs_perf_read(&p, after);
	assert_int_equal(after[0], UINT64_MAX);
}

/* Where the first event is not to be had, none is, and nothing is left open. */
static void test_none(void **state)
{
	struct fs_perf_event none[FS_PERF_EVENTS];
	uint64_t counts[FS_PERF_EVENTS];
	struct fs_perf p;

	(void)state;
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++)
		none[i] = software[i ? 0 : 1];
	assert_int_equal(fs_perf_open(&p, none), 0);
	fs_perf_read(&p, counts);
	assert_int_equal(p.counted, 0);
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++)
		assert_int_equal(counts[i], UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
