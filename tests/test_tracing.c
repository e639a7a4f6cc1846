// SPDX-License-Identifier: GPL-2.0-or-later
/* What perf and the trace buffer are told around the timed parts of rounds, and that nothing hangs. */
#include "core/config.h"
#include "core/tracing.h"
#include "tests/capture.h"
#include "tests/fake_perf.h"
#include "tests/looped.h"

struct watch {
	struct fake_perf perf;
	struct tracing tracing;
	uint32_t wrong;			/* steps during which perf did the wrong thing */
};

static struct watch watch;

static int watched_fill(struct fs_worker *w, uint64_t n)
{
	if (fs_load(&watch.perf.recording))
		fs_add(&watch.wrong, 1);
	return toy_fill(w, n);
}

static int watched_drain(struct fs_worker *w, uint64_t n)
{
	if (fs_load(&watch.perf.recording))
		fs_add(&watch.wrong, 1);
	return toy_drain(w, n);
}

static uint64_t watched_run(struct fs_worker *w, uint64_t n)
{
	if (!fs_load(&watch.perf.recording))
		fs_add(&watch.wrong, 1);
	return toy_recorded(w, n);
}

static const struct fs_variant rounds = {
	.fill = watched_fill, .run = watched_run, .drain = watched_drain, .max_batch = 4
};

static void watch_open(struct loop *l, bool marker)
{
	struct config c = { .perf_control = NULL };
	char fifos[200];

	memset(&watch, 0, sizeof(watch));
	fake_perf_fifos(&watch.perf);
	fake_perf_start(&watch.perf);
	snprintf(fifos, sizeof(fifos), "%s,%s", watch.perf.commands, watch.perf.answers);
	c.perf_control = fifos;
	assert_int_equal(fs_tracing_open(&c, &watch.tracing), 0);
	if (marker)
		watch.tracing.marker = fileno(tmpfile());
	fs_tracing_lend(&watch.tracing, l->area);
}

static void watch_close(void)
{
	fs_tracing_close(&watch.tracing);
	fake_perf_remove(&watch.perf);
}

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* Two workers, one of them slow: perf records while they are timed, and at no other time. */
static void test_rounds(void **state)
{
	struct loop *l = *state;

	watch_open(l, false);
	l->variant = rounds;
	for (unsigned i = 0; i < 2; i++) {
		l->workers[i].pub.round_ops = 8;
		l->workers[i].stage->plan.ops_limit = 40;
	}
	l->toys[1].op_ns = 20 * FS_NSEC_PER_USEC;
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, true), 0);
	run(l, 2);
	assert_int_equal(fs_tracing_end(&watch.tracing, l->area), 0);
	fake_perf_end(&watch.perf);
	assert_int_equal(watch.wrong, 0);
	assert_int_equal(l->workers[0].slot->ops + l->workers[1].slot->ops, 80);
	assert_true(count(watch.perf.said, "enable\n") >= 5);
	assert_string_equal(watch.perf.said + strlen(watch.perf.said) - 16, "disable\ndisable\n");
	assert_int_equal(l->workers[0].stage->warnings, 0);
	watch_close();
}

/* Before the window and after it the workers leave perf alone. */
static void test_outside(void **state)
{
	struct loop *l = *state;

	watch_open(l, false);
	l->variant = (struct fs_variant){ .fill = toy_fill, .run = toy_recorded };
	l->workers[0].pub.round_ops = 8;
	l->workers[0].stage->plan.ops_limit = 24;
	run(l, 1);
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, true), 0);
	assert_int_equal(fs_tracing_end(&watch.tracing, l->area), 0);
	run(l, 1);
	fake_perf_end(&watch.perf);
	assert_string_equal(watch.perf.said, "ping\ndisable\n");
	watch_close();
}

static void test_straight(void **state)
{
	struct loop *l = *state;

	watch_open(l, false);
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, false), 0);
	assert_true(fs_load(&watch.perf.recording));
	assert_int_equal(fs_tracing_end(&watch.tracing, l->area), 0);
	assert_false(fs_load(&watch.perf.recording));
	fake_perf_end(&watch.perf);
	assert_string_equal(watch.perf.said, "ping\nenable\ndisable\n");
	watch_close();
}

/* Each round is marked once, whoever does it; both ends, in order. */
static void test_marks(void **state)
{
	struct loop *l = *state;
	char text[1024] = "";

	watch_open(l, true);
	l->variant = rounds;
	snprintf(l->workers[0].stage->plan.key, AREA_KEY_MAX, "toy.key");
	for (unsigned i = 0; i < 2; i++)
		l->workers[i].pub.round_ops = l->workers[i].stage->plan.ops_limit = 8;
	l->workers[0].stage->plan.ops_limit = 16;
	assert_int_equal(fs_tracing_mark(&watch.tracing, "toy.key", "window begin"), 0);
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, true), 0);
	run(l, 2);
	assert_int_equal(fs_tracing_mark(&watch.tracing, "toy.key", "window end"), 0);
	assert_true(pread(watch.tracing.marker, text, sizeof(text) - 1, 0) > 0);
	assert_memory_equal(text, "fsstress toy.key window begin\n"
			    "fsstress toy.key round 1 begin\n"
			    "fsstress toy.key round 1 end\n"
			    "fsstress toy.key round 2 begin\n", 118);
	assert_int_equal(count(text, "round 1 begin\n"), 1);
	assert_int_equal(count(text, " begin\n"), count(text, " end\n"));
	assert_string_equal(text + strlen(text) - 28, "fsstress toy.key window end\n");
	fake_perf_end(&watch.perf);
	watch_close();
}

/* The run goes on without perf, which is tried once and warned of once. */
static void test_perf_dies(void **state)
{
	struct loop *l = *state;

	watch_open(l, false);
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, true), 0);
	fake_perf_end(&watch.perf);
	l->variant = (struct fs_variant){ .fill = toy_fill, .run = toy_recorded };
	l->workers[0].pub.round_ops = 8;
	l->workers[0].stage->plan.ops_limit = 40;
	run(l, 1);
	assert_int_equal(l->workers[0].slot->ops, 40);
	assert_int_equal(l->workers[0].stage->warnings, 1);
	assert_non_null(strstr(l->workers[0].stage->warning[0].text, "perf has gone"));
	assert_int_equal(fs_tracing_end(&watch.tracing, l->area), 0);
	watch_close();
}

static void test_perf_is_silent(void **state)
{
	struct loop *l = *state;
	uint64_t before;

	watch_open(l, false);
	fs_store(&watch.perf.silent, 1);
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, false), -ETIMEDOUT);
	before = fs_now_ns();
	assert_int_equal(fs_tracing_end(&watch.tracing, l->area), 0);
	assert_true(fs_now_ns() - before < FS_NSEC_PER_SEC / 2);
	fake_perf_end(&watch.perf);
	/* But told: it may have been slow only. */
	assert_string_equal(watch.perf.said, "ping\nenable\ndisable\n");
	watch_close();
}

/* A worker that was killed while it spoke: its turn is taken away. */
static void test_worker_dies(void **state)
{
	struct loop *l = *state;

	watch_open(l, false);
	assert_int_equal(fs_tracing_begin(&watch.tracing, l->area, true), 0);
	l->area->tracing.turn++;	/* one of them is about to */
	assert_int_equal(fs_tracing_end(&watch.tracing, l->area), 0);
	fake_perf_end(&watch.perf);
	assert_string_equal(watch.perf.said, "ping\ndisable\n");
	watch_close();
}

/* With several stages at once no round is perf's business. */
static void test_together(void **state)
{
	const struct area_size sizes[2] = { { 1, 0 }, { 1, 0 } };
	struct loop *l = *state;
	struct area *two;
	int fd;

	watch_open(l, false);
	assert_true(fs_tracing_rounds(l->area));
	assert_int_equal(fs_area_create(2, sizes, &two, &fd), 0);
	assert_false(fs_tracing_rounds(two));
	fs_tracing_lend(&watch.tracing, two);
	assert_false(fs_tracing_rounds(two));
	watch.tracing.marker = fd;
	fs_tracing_lend(&watch.tracing, two);
	assert_true(fs_tracing_rounds(two));
	watch.tracing.marker = -1;
	fs_area_close(two, fd);
	fake_perf_end(&watch.perf);
	watch_close();
}

static void test_nobody_is_there(void **state)
{
	struct config c = { .perf_control = "/nonexistent,/nonexistent" };
	struct capture capture;
	struct tracing t;

	(void)state;
	capture_start(&capture);
	assert_int_equal(fs_tracing_open(&c, &t), -ENOENT);
	assert_int_equal(capture_end(&capture), 1);
	assert_string_equal(capture.text, "fsstress: --perf-control /nonexistent: "
			    "No such file or directory\n");
	fs_tracing_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rounds, make, drop),
		cmocka_unit_test_setup_teardown(test_outside, make, drop),
		cmocka_unit_test_setup_teardown(test_straight, make, drop),
		cmocka_unit_test_setup_teardown(test_marks, make, drop),
		cmocka_unit_test_setup_teardown(test_perf_dies, make, drop),
		cmocka_unit_test_setup_teardown(test_perf_is_silent, make, drop),
		cmocka_unit_test_setup_teardown(test_worker_dies, make, drop),
		cmocka_unit_test_setup_teardown(test_together, make, drop),
		cmocka_unit_test(test_nobody_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
