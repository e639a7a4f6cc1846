// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_loop - what the harness costs: ops through the runner's own loop against the same calls in a bare C loop
 *
 * A and B share process, thread, file and descriptor, and take turns in random order for 20 ms each: the machine's
 * speed drifts by more than the difference in question, but hardly within 40 ms. Printed: the median of the ratios of
 * the pairs with its 95 % interval from order statistics (ranks 14 and 27 of 40: binomial, 96.2 %).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "core/histogram.h"
#include "core/worker.h"

#define BENCH_PAIRS 40
#define BENCH_SLICE_NS (20 * FS_NSEC_PER_MSEC)

struct bench_state {
	int fd;
	char *buffer;
	uint64_t next;
	struct fs_histogram latencies;
	uint64_t (*through)(struct fs_worker *w, uint64_t n);	/* of bench_until() */
	uint64_t enough;
};

struct bench {
	const char *name;
	uint64_t (*through)(struct fs_worker *w, uint64_t n);	/* FS_RUN_LOOP, called by fs_loop() */
	void (*bare)(struct bench_state *s, uint64_t n);
};

#define BENCH_FILE_BLOCKS 256
#define BENCH_BLOCK 4096

static inline long bench_null(struct bench_state *s)
{
	__asm__ volatile("" : : "r"(s) : "memory");
	return 0;
}

/* What it takes to count a latency, here one of 1.0 to 2.0 us. */
static inline long bench_latency(struct bench_state *s)
{
	fs_histogram_add(&s->latencies, 1000 + s->next++ % 1024);
	return 0;
}

static inline long bench_getppid(struct bench_state *s)
{
	(void)s;
	return syscall(SYS_getppid) > 0 ? 0 : -ESRCH;
}

static inline long bench_lease(struct bench_state *s)
{
	if (fcntl(s->fd, F_SETLEASE, F_RDLCK) || fcntl(s->fd, F_SETLEASE, F_UNLCK))
		return -errno;
	return 0;
}

static inline long bench_fstat(struct bench_state *s)
{
	struct stat st;

	return fs_sys_fstat(s->fd, &st);
}

static inline long bench_pwrite(struct bench_state *s)
{
	const off_t at = (off_t)(s->next++ % BENCH_FILE_BLOCKS * BENCH_BLOCK);
	const long n = fs_sys(pwrite(s->fd, s->buffer, BENCH_BLOCK, at));

	return n == BENCH_BLOCK || n < 0 ? n : -EIO;
}

/* Both loops around one op; the bare one stops at an error, too, as any honest loop must. */
#define BENCH(name) \
	static inline long name##_op(struct fs_worker *w) { return bench_##name(fs_state(w)); } \
	FS_RUN_LOOP(name##_run, name##_op) \
	static void name##_bare(struct bench_state *s, uint64_t n) \
	{ \
		for (uint64_t i = 0; i < n; i++) { \
			if (bench_##name(s) < 0) \
				abort(); \
		} \
	}
BENCH(null)
BENCH(latency)
BENCH(getppid)
BENCH(lease)
BENCH(fstat)
BENCH(pwrite)

static uint64_t bench_time_bare(const struct bench *b, struct bench_state *s, uint64_t n)
{
	const uint64_t start = fs_now_ns();

	b->bare(s, n);
	return fs_now_ns() - start;
}

/* The whole of a worker's measured part: batches, batch sizing, the clock between batches. */
static uint64_t bench_time_through(struct worker *k, uint64_t n)
{
	uint64_t start;

	*k->pub.ops = 0;
	k->stage->plan.ops_limit = n;
	k->slot->batch_fixed = 0;
	k->area->gate.start_ns = start = fs_now_ns();
	fs_loop(k);
	return fs_now_ns() - start;
}

/* Batches without a limit of ops, until there are enough: as in a window. */
static uint64_t bench_until(struct fs_worker *w, uint64_t n)
{
	struct bench_state *s = fs_state(w);
	const uint64_t done = s->through(w, n);

	if (*w->ops >= s->enough)
		fs_area_stop(fs_worker_of(w)->area, 0);
	return done;
}

/* Nanoseconds on the clock of an op, with all that a window measures beside its count, or with nothing. */
static double bench_measured(struct worker *k, bool everything)
{
	const uint64_t start = fs_now_ns();
	uint64_t took, off;

	*k->pub.ops = 0;
	k->stage->stop = 0;
	k->stage->plan.ops_limit = everything ? 0 : UINT64_MAX / 2;	/* with a limit no slices are cut */
	k->slot->batch_fixed = 0;
	k->slot->slices.n = 0;
	k->slot->off = k->off_ns = 0;
	k->service = everything ? area_histogram(k->area, 0, 0) : NULL;
	k->reference.kind = everything ? REFERENCE_SPIN : REFERENCE_NONE;
	k->area->gate.phase = AREA_MEASURE;
	fs_loop(k);
	took = fs_now_ns() - start;
	off = k->off_ns;
	return (double)(took - off) / (double)*k->pub.ops;
}

static int bench_by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void bench_one(const struct bench *b, struct worker *k, struct bench_state *s)
{
	const struct fs_variant variant = { .name = "", .run = b->through };
	double ratio[BENCH_PAIRS], bare_ns[BENCH_PAIRS], through_ns[BENCH_PAIRS];
	uint64_t n = 1000, t;

	k->pub.variant = &variant;
	while ((t = bench_time_bare(b, s, n)) < BENCH_SLICE_NS / 2)
		n *= 2;
	n = (uint64_t)((double)n * BENCH_SLICE_NS / (double)t);
	bench_time_through(k, n);
	for (int i = 0; i < BENCH_PAIRS; i++) {
		const bool through_first = fs_rng_next(&k->batch_rng) & 1;
		uint64_t through = through_first ? bench_time_through(k, n) : 0;
		const uint64_t bare = bench_time_bare(b, s, n);

		if (!through_first)
			through = bench_time_through(k, n);
		ratio[i] = (double)bare / (double)through;
		bare_ns[i] = (double)bare / (double)n;
		through_ns[i] = (double)through / (double)n;
	}
	qsort(ratio, BENCH_PAIRS, sizeof(*ratio), bench_by_value);
	qsort(bare_ns, BENCH_PAIRS, sizeof(*bare_ns), bench_by_value);
	qsort(through_ns, BENCH_PAIRS, sizeof(*through_ns), bench_by_value);
	printf("%-8s bare %8.2f ns/op, through the harness %8.2f ns/op, rate ratio %.4f [%.4f, %.4f]\n", b->name,
	       bare_ns[BENCH_PAIRS / 2], through_ns[BENCH_PAIRS / 2],
	       (ratio[BENCH_PAIRS / 2 - 1] + ratio[BENCH_PAIRS / 2]) / 2, ratio[13], ratio[26]);
}

/* What measuring costs: the rate with everything on over that with everything off. */
static void bench_cost(const struct bench *b, struct worker *k, struct bench_state *s)
{
	const struct fs_variant variant = { .name = "", .run = bench_until };
	double ratio[BENCH_PAIRS], ns;

	k->pub.variant = &variant;
	s->through = b->through;
	s->enough = 10000;
	ns = bench_measured(k, false);
	s->enough = (uint64_t)(BENCH_SLICE_NS / ns);
	for (int i = 0; i < BENCH_PAIRS; i++) {
		const bool on_first = fs_rng_next(&k->batch_rng) & 1;
		double on = on_first ? bench_measured(k, true) : 0;
		const double off = bench_measured(k, false);

		if (!on_first)
			on = bench_measured(k, true);
		ratio[i] = off / on;
	}
	qsort(ratio, BENCH_PAIRS, sizeof(*ratio), bench_by_value);
	printf("%-8s everything measured over nothing: rate ratio %.4f [%.4f, %.4f]\n", b->name,
	       (ratio[BENCH_PAIRS / 2 - 1] + ratio[BENCH_PAIRS / 2]) / 2, ratio[13], ratio[26]);
	k->service = NULL;
	k->stage->stop = 0;
	k->reference.kind = REFERENCE_NONE;
}

int main(void)
{
	static const struct bench benches[] = {
		{ "null", null_run, null_bare },	{ "latency", latency_run, latency_bare },
		{ "getppid", getppid_run, getppid_bare },	{ "lease", lease_run, lease_bare },
		{ "fstat", fstat_run, fstat_bare },	{ "pwrite4k", pwrite_run, pwrite_bare },
	};
	static const struct fs_stressor stressor = { .name = "bench" };
	const struct area_size one = { 1, 1 };
	char path[] = "/tmp/fsstress-bench.XXXXXX";
	struct bench_state state = { .fd = mkstemp(path), .buffer = calloc(1, BENCH_BLOCK) };
	struct worker k = { .helper = -1, .run_name = "fss:bench", .off_name = "fso:bench" };
	int fd;

	if (state.fd < 0 || !state.buffer || fs_area_create(1, &one, &k.area, &fd) < 0)
		return 1;
	close(state.fd);
	state.fd = open(path, O_RDONLY | O_CLOEXEC);
	k.stage = area_stage(k.area, 0);
	k.slot = area_slot(k.area, 0, 0);
	k.stressor = &stressor;
	k.pub = (struct fs_worker){ .state = &state, .ops = &k.slot->ops, .work = &k.slot->work, .workers = 1 };
	fs_barrier_init(&k.stage->barrier, 1);
	fs_rng_seed(&k.batch_rng, fs_now_ns(), "bench", 0);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(benches); i++) {
		if (i == FS_ARRAY_SIZE(benches) - 1) {	/* a read lease needs a descriptor that pwrite cannot use */
			close(state.fd);
			state.fd = open(path, O_RDWR | O_CLOEXEC);
		}
		bench_one(&benches[i], &k, &state);
		bench_cost(&benches[i], &k, &state);
	}
	unlink(path);
	fs_area_close(k.area, fd);
	free(state.buffer);
	return 0;
}
