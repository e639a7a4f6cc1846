// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The measured part of a worker's life: batches, rounds, and the clock word. Nothing here
 * allocates, formats or sleeps while the worker is on the clock.
 */
#include "core/config.h"
#include "core/pace.h"
#include "core/tracing.h"
#include "core/worker.h"

/* Long enough for the clock read between batches to be lost in it, short enough to stop at once. */
#define LOOP_BATCH_NS	(FS_NSEC_PER_MSEC / 2)
/* Shorter where workers share CPUs: each of them ends its batch before a stop is through. */
#define LOOP_CROWDED_NS	(FS_NSEC_PER_MSEC / 10)
/* Rounds end after this time even when the state would last: nobody waits long for a slow one. */
#define LOOP_ROUND_NS	(250 * FS_NSEC_PER_MSEC)
/* Ops per fill where the stressor sets no limit. */
#define LOOP_ROUND_OPS	1024
/* Workers on CPUs of their own spin: two context switches are a large part of a short round. */
#define LOOP_SPIN_NS	(100 * FS_NSEC_PER_USEC)
/* One batch in this many of a mix stamps every op. */
#define LOOP_STAMP_EVERY 8

static uint64_t loop_ops_left(const struct worker *k)
{
	const uint64_t limit = k->stage->plan.ops_limit, done = *k->pub.ops;

	return !limit ? UINT64_MAX : done < limit ? limit - done : 0;
}

static bool loop_ended(const struct worker *k)
{
	return fs_worker_stopped(k) || loop_ops_left(k) == 0;
}

static uint64_t loop_clock_off(struct worker *k)
{
	const uint64_t now = fs_now_ns();

	fs_store(&k->slot->off, FS_OFF_FLAG | (now - k->off_ns));
	fs_task_name(k->off_name);
	return now;
}

static uint64_t loop_clock_on(struct worker *k)
{
	uint64_t now;

	fs_task_name(k->run_name);
	now = fs_now_ns();
	k->off_ns = now - (k->slot->off & ~FS_OFF_FLAG);
	fs_store(&k->slot->off, k->off_ns);
	return now;
}

/* One of the two marks. CPU time is of the ops: without what the reference took. */
static void loop_mark(struct worker *k, unsigned mark)
{
	struct fs_usage *u = &k->slot->usage[mark];
	const uint64_t us = k->reference.cpu_ns / FS_NSEC_PER_USEC;
	uint64_t user_us;

	fs_task_usage(u);
	user_us = k->reference.kind == REFERENCE_SPIN && us < u->user_us ? us : 0;
	u->user_us -= user_us;
	u->system_us -= us - user_us < u->system_us ? us - user_us : u->system_us;
	fs_perf_read(&k->perf, k->slot->perf[mark]);
	fs_store_release(&k->slot->usage_marks, mark + 1);
}

/*
 * When the window opens: after a warm-up the batch stays as it is; without one it still grows in
 * the window's first moments. The first usage mark is taken.
 */
static void loop_watch_phase(struct worker *k)
{
	const uint32_t phase = fs_load(&k->area->gate.phase);

	if (phase == k->seen_phase)
		return;
	if (k->seen_phase == AREA_WARMUP)
		fs_store(&k->slot->batch_fixed, 1);
	k->seen_phase = phase;
	if (phase == AREA_MEASURE && k->slot->usage_marks == 0)
		loop_mark(k, 0);
}

static uint64_t loop_multiple(const struct worker *k)
{
	return k->pub.variant->batch_multiple ? k->pub.variant->batch_multiple : 1;
}

/* Down to a multiple, but at least one multiple. */
static uint64_t loop_rounded(const struct worker *k, uint64_t n)
{
	const uint64_t m = loop_multiple(k);

	return n <= m ? m : n / m * m;
}

static uint64_t loop_batch_max(const struct worker *k)
{
	uint64_t max = UINT64_MAX / 4;

	if (k->pub.variant->max_batch)
		max = k->pub.variant->max_batch;
	if (k->pub.round_ops && k->pub.round_ops < max)
		max = k->pub.round_ops;
	return loop_rounded(k, max);
}

/*
 * Double the batch while the fastest of its last three is shorter than one should be: the fastest,
 * because one preemption must not end the search. Frozen when the window opens.
 */
static void loop_size_batch(struct worker *k, uint64_t n, uint64_t took_ns)
{
	const uint64_t enough = k->stage->plan.crowded ? LOOP_CROWDED_NS : LOOP_BATCH_NS;
	uint64_t fastest = UINT64_MAX;

	if (k->slot->batch_fixed || n < k->batch)
		return;
	k->last_ns[k->timed_batches++] = took_ns;
	if (k->timed_batches < 3)
		return;
	for (int i = 0; i < 3; i++)
		fastest = k->last_ns[i] < fastest ? k->last_ns[i] : fastest;
	if (fastest >= enough || k->batch >= loop_batch_max(k)) {
		fs_store(&k->slot->batch_fixed, 1);
		return;
	}
	k->batch = 2 * k->batch < loop_batch_max(k) ? 2 * k->batch : loop_batch_max(k);
	k->timed_batches = 0;
	fs_store(&k->slot->batch, k->batch);
}

/* Where the worker is now, kept as a record: a few system calls, seldom, between two batches. */
static void loop_cut(struct worker *k, uint64_t now)
{
	const struct fs_record r = {
		.t_ns = now, .ops = *k->pub.ops,
		.off_ns = fs_off_ns(k->slot->off, now),
		.cpu_ns = fs_task_cpu_ns() - k->reference.cpu_ns,
		.wait_ns = fs_task_wait_ns(k->wait_fd),
		.ref_units = k->reference.units, .ref_cpu_ns = k->reference.cpu_ns,
	};

	fs_slice_cut(&k->slot->slices, &r);
}

static bool loop_slices(const struct worker *k)
{
	return !k->stage->plan.ops_limit;
}

/* The reference between two batches, off the clock. Returns when the ops go on. */
static uint64_t loop_refer(struct worker *k)
{
	loop_clock_off(k);
	fs_reference_run(&k->reference);
	return loop_clock_on(k);
}

/* Which ops of the next batch are timed: one at random, or all. */
static void loop_choose_timed(struct worker *k, uint64_t n)
{
	k->pub.stamp = k->stage->plan.latency == LATENCY_ALL ||
		       (fs_kinds_of(k->stressor, k->pub.variant) &&
			!fs_rng_below(&k->batch_rng, LOOP_STAMP_EVERY));
	k->pub.timed = k->service ? 1 + fs_rng_below(&k->batch_rng, n) : 0;
}

/* One batch of at most `left` ops; returns how many were tried. *now: the clock, in and out. */
static uint64_t loop_batch(struct worker *k, uint64_t left, uint64_t *now)
{
	const uint64_t wanted = loop_ops_left(k), before = *now;
	uint64_t n = k->batch < left ? k->batch : left;

	n = n < wanted ? n : wanted;
	if (k->pace.rate > 0)
		n = fs_pace_await(k, loop_rounded(k, 1) < n ? loop_rounded(k, 1) : n);
	loop_choose_timed(k, n);
	k->pub.variant->run(&k->pub, n);
	*now = fs_now_ns();
	fs_pace_ended(k, *now);
	fs_store(&k->slot->batches, k->slot->batches + 1);
	loop_size_batch(k, n, *now - before);
	loop_watch_phase(k);
	if (loop_slices(k) && fs_slice_due(&k->slot->slices, *now))
		loop_cut(k, *now);
	if (fs_reference_due(&k->reference, *now))
		*now = loop_refer(k);
	return n;
}

/* On the clock from the release on: many workers on few CPUs wait for one, and that counts. */
static void loop_straight(struct worker *k)
{
	uint64_t now = fs_now_ns();

	fs_worker_phase(k, WORKER_RUN, "op");
	fs_task_name(k->run_name);
	fs_pace_begin(k, now);
	while (!loop_ended(k))
		loop_batch(k, UINT64_MAX, &now);
	loop_clock_off(k);
}

static uint64_t loop_round_size(const struct worker *k)
{
	const uint64_t left = loop_ops_left(k);
	uint64_t n = k->pub.round_ops ? k->pub.round_ops : LOOP_ROUND_OPS;

	n = loop_rounded(k, n);
	if (k->round_cut && k->round_cut < n)
		n = loop_rounded(k, k->round_cut + loop_multiple(k));
	return n < left ? n : left;
}

/* Round r, timed: until its ops or somebody else's are used up, or the time. Returns ops tried. */
static uint64_t loop_timed(struct worker *k, uint64_t r, uint64_t n)
{
	const uint64_t start = loop_clock_on(k);
	uint64_t now = start, tried = 0;

	k->slot->round[r % AREA_ROUNDS_MAX].run = start;
	fs_pace_begin(k, start);
	while (tried < n && !loop_ended(k) && fs_load(&k->stage->round_over) < r &&
	       now - start < LOOP_ROUND_NS)
		tried += loop_batch(k, n - tried, &now);
	k->slot->round[r % AREA_ROUNDS_MAX].run_end = loop_clock_off(k);
	k->round_cut = tried < n && now - start >= LOOP_ROUND_NS ? tried : 0;
	if (n && fs_load(&k->stage->round_over) < r)
		fs_store(&k->stage->round_over, r);
	return tried;
}

static bool loop_meet(struct worker *k)
{
	const bool own_cpu = k->slot->cpu >= 0 && !k->stage->plan.crowded;

	fs_worker_phase(k, WORKER_MEET, "meet");
	return fs_barrier_wait(&k->stage->barrier, own_cpu ? LOOP_SPIN_NS : 0);
}

/*
 * The meeting on either side of the timed part. What there is to tell is told while all wait for
 * it, asleep: who is told needs a CPU, too.
 */
static bool loop_meet_timed(struct worker *k, uint64_t r, bool begins)
{
	if (!loop_meet(k))
		return false;
	if (!fs_tracing_rounds(k->area))
		return true;
	fs_tracing_round(k, r, begins);
	return fs_barrier_wait(&k->stage->barrier, 0);
}

/* fill and drain: untimed, and only while nobody is timed. */
static bool loop_off(struct worker *k, int (*step)(struct fs_worker *w, uint64_t n), uint64_t n,
		     enum area_worker_phase phase)
{
	int rc;

	if (!step)
		return true;
	fs_worker_phase(k, phase, phase == WORKER_FILL ? "fill" : "drain");
	rc = step(&k->pub, n);
	if (rc < 0)
		fs_worker_failed(k, rc);
	return rc >= 0;
}

/*
 * The leader makes a shared file anew for all: when everybody has let go of what the last round
 * made, and only if nobody has left, since who leaves verifies that.
 */
static bool loop_fill(struct worker *k, uint64_t n)
{
	int (*const fill)(struct fs_worker *w, uint64_t n) = k->pub.variant->fill;
	const bool shared = fs_worker_shares_file(k), leads = shared && fs_leader(&k->pub);

	if (!leads && !loop_off(k, fill, n, WORKER_FILL))
		return false;
	if (shared && (!loop_meet(k) || fs_worker_stopped(k)))
		return false;
	return !leads || loop_off(k, fill, n, WORKER_FILL);
}

/*
 * Whether there is no further round. Where all must stay in step (a remount needs everybody's hands
 * off the mount, a shared file its leader) those that have done their ops go on with empty rounds
 * until all have. The count is read after a meeting: the same for all.
 */
static bool loop_rounds_over(const struct worker *k)
{
	if (!(k->pub.variant->flags & FS_REMOUNT) && !fs_worker_shares_file(k))
		return loop_ended(k);
	return fs_worker_stopped(k) || fs_load(&k->stage->counted) == k->pub.workers;
}

static void loop_count(struct worker *k)
{
	if (loop_ops_left(k) || k->counted)
		return;
	k->counted = true;
	fs_add(&k->stage->counted, 1);
}

static void loop_rounds(struct worker *k)
{
	const struct fs_variant *v = k->pub.variant;

	if (!(k->slot->off & FS_OFF_FLAG))
		fs_store(&k->slot->off, FS_OFF_FLAG | k->area->gate.start_ns);
	for (uint64_t r = 1; !loop_rounds_over(k); r++) {
		struct area_round *round = &k->slot->round[r % AREA_ROUNDS_MAX];
		const uint64_t n = loop_round_size(k);
		uint64_t tried;

		*round = (struct area_round){ .fill = fs_now_ns() };
		if (!loop_fill(k, n) || !loop_meet_timed(k, r, true))
			break;
		fs_worker_phase(k, WORKER_RUN, "op");
		tried = loop_timed(k, r, n);
		loop_count(k);
		if (!loop_meet_timed(k, r, false) || !loop_off(k, v->drain, tried, WORKER_DRAIN))
			break;
		round->drain_end = fs_now_ns();
		fs_store_release(&k->slot->rounds, r);
	}
	fs_barrier_leave(&k->stage->barrier);
}

void fs_loop(struct worker *k)
{
	const struct fs_variant *v = k->pub.variant;

	k->batch = loop_rounded(k, 1);
	k->timed_batches = 0;
	fs_store(&k->slot->batch, k->batch);
	fs_pace_init(k, k->stage->plan.rate, &k->slot->late_ns);
	if (k->pace.rate > 0)
		fs_store(&k->slot->batch_fixed, 1);
	loop_watch_phase(k);
	if (loop_slices(k))
		loop_cut(k, fs_now_ns());
	if (v->fill || v->drain)
		loop_rounds(k);
	else
		loop_straight(k);
	if (loop_slices(k))
		loop_cut(k, fs_now_ns());
	if (k->stage->plan.ops_limit && loop_ops_left(k) == 0)
		fs_store_release(&k->slot->end_ns, fs_now_ns());
	if (k->slot->usage_marks == 1)
		loop_mark(k, 1);
}
