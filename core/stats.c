// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From two snapshots to the numbers of a stage. The formulas stand in stats.h; nothing here looks
 * at the machine.
 */
#include "core/stats.h"

#include <stdio.h>
#include <string.h>

#include "platform/errno_name.h"

#define STATS_OPS_MIN 20 /* of each worker: below, one op more or less shows in the rate */
#define STATS_ROUNDS_MIN 5 /* in the window: below, the share of a round that was cut off shows */
#define STATS_DUTY_MIN 0.1
#define STATS_FAIRNESS_MIN 0.5
#define STATS_CPU_DUTY_MIN 0.5 /* below, CPU time is mostly that of the refills */
#define STATS_WINDOW_OFF_MAX 0.05
#define STATS_TOLERATED_MAX 0.01

static double stats_seconds(double ns)
{
	return ns / FS_NSEC_PER_SEC;
}

/* The edge of a window: the middle of the stamps around the read of the counters. */
static uint64_t stats_edge(const struct snapshot *s)
{
	return s->before_ns + (s->after_ns - s->before_ns) / 2;
}

/*
 * Time off the clock between two edges. An edge may lie some microseconds beside the moment when
 * this worker's word was read; the result is kept within [0, window].
 */
static uint64_t stats_off_ns(uint64_t word_start, uint64_t start, uint64_t word_end, uint64_t end)
{
	const int64_t before = (int64_t)fs_off_ns(word_start, start),
		      after = (int64_t)fs_off_ns(word_end, end);
	const int64_t off = after - (before > 0 ? before : 0), window = (int64_t)(end - start);

	if (off < 0)
		return 0;
	return (uint64_t)(off < window ? off : window);
}

static double stats_timed_s(const struct stage_result *r, const struct worker_result *w)
{
	return r->measured_s - stats_seconds((double)w->off_ns);
}

/* ops or anything else per timed second; NAN for a worker that was never on the clock. */
static double stats_per_sec(const struct stage_result *r, const struct worker_result *w, uint64_t n)
{
	const double timed = stats_timed_s(r, w);

	return timed > 0 ? (double)n / timed : NAN;
}

static void stats_worker(struct worker_result *w, const struct snapshot_worker *a,
			 const struct snapshot_worker *b)
{
	w->ops = b->ops - a->ops;
	w->work = b->work - a->work;
	for (unsigned i = 0; i < FS_COUNTERS_MAX; i++)
		w->counters[i] = b->counters[i] - a->counters[i];
	for (unsigned i = 0; i < FS_KINDS_MAX; i++) {
		w->kinds[i].ops = b->kinds[i].ops - a->kinds[i].ops;
		w->kinds[i].timed = b->kinds[i].timed - a->kinds[i].timed;
		w->kinds[i].timed_ns = b->kinds[i].timed_ns - a->kinds[i].timed_ns;
	}
}

static void stats_usage(struct stage_result *r)
{
	r->usage = (struct fs_usage){ 0 };
	r->usage_known = true;
	for (unsigned i = 0; i < r->stage->workers; i++) {
		const struct fs_usage *u = &r->workers[i].usage;

		r->usage_known &= r->workers[i].usage_known;
		r->usage.user_us += u->user_us;
		r->usage.system_us += u->system_us;
		r->usage.voluntary += u->voluntary;
		r->usage.involuntary += u->involuntary;
		r->usage.minor += u->minor;
		r->usage.major += u->major;
	}
	r->user_s = r->usage_known ? (double)r->usage.user_us / 1e6 : NAN;
	r->system_s = r->usage_known ? (double)r->usage.system_us / 1e6 : NAN;
}

static void stats_shape(struct stage_result *r)
{
	double least = INFINITY, greatest = 0, off = 0;

	for (unsigned i = 0; i < r->stage->workers; i++) {
		const struct worker_result *w = &r->workers[i];
		const double rate = w->ops ? stats_per_sec(r, w, w->ops) : 0;

		off += stats_seconds((double)w->off_ns);
		least = rate < least ? rate : least;
		greatest = rate > greatest ? rate : greatest;
	}
	r->off_s = off;
	r->duty = r->measured_s > 0 ? 1 - off / (r->stage->workers * r->measured_s) : NAN;
	r->fairness = r->stage->workers > 1 && greatest > 0 ? least / greatest : NAN;
}

static void stats_rates(struct stage_result *r)
{
	const double cpu_s = r->user_s + r->system_s;

	r->ops_per_sec = 0;
	for (unsigned i = 0; i < r->stage->workers; i++) {
		if (r->workers[i].ops)
			r->ops_per_sec += stats_per_sec(r, &r->workers[i], r->workers[i].ops);
	}
	r->ops_per_cpu_sec =
		cpu_s > 0 && r->duty >= STATS_CPU_DUTY_MIN ? (double)r->ops / cpu_s : NAN;
}

/* The kinds of a mix. Batches picked at random time every op, so their times stand for all. */
static void stats_kinds(struct stage_result *r)
{
	const char *const *names = r->stage->stressor->kinds;
	struct fs_kind_count sum[FS_KINDS_MAX] = { 0 };
	uint64_t all_ops = 0, all_ns = 0;

	for (r->nkinds = 0; names && r->nkinds < FS_KINDS_MAX && names[r->nkinds]; r->nkinds++) {
		struct fs_kind_count *k = &sum[r->nkinds];

		for (unsigned i = 0; i < r->stage->workers; i++) {
			k->ops += r->workers[i].kinds[r->nkinds].ops;
			k->timed += r->workers[i].kinds[r->nkinds].timed;
			k->timed_ns += r->workers[i].kinds[r->nkinds].timed_ns;
		}
		all_ops += k->ops;
		all_ns += k->timed_ns;
	}
	for (unsigned i = 0; i < r->nkinds; i++) {
		r->kinds[i].name = names[i];
		r->kinds[i].ops = sum[i].ops;
		r->kinds[i].share = all_ops ? (double)sum[i].ops / (double)all_ops : NAN;
		r->kinds[i].mean_ns =
			sum[i].timed ? (double)sum[i].timed_ns / (double)sum[i].timed : NAN;
		r->kinds[i].time_share = all_ns ? (double)sum[i].timed_ns / (double)all_ns : NAN;
	}
}

/* The first of a name stays: a stressor may count itself what an op returns. */
static void stats_metric(struct stage_result *r, const char *name, const char *unit, double value)
{
	for (unsigned i = 0; i < r->nmetrics; i++) {
		if (!strcmp(r->metrics[i].name, name))
			return;
	}
	if (isfinite(value) && r->nmetrics < FS_ARRAY_SIZE(r->metrics))
		r->metrics[r->nmetrics++] =
			(struct metric){ .name = name, .unit = unit, .value = value };
}

static double stats_counter(const struct stage_result *r, const struct snapshot *end, unsigned id)
{
	const enum fs_counter_kind kind = r->stage->stressor->counters[id].kind;
	unsigned set = 0;
	double sum = 0;

	for (unsigned i = 0; i < r->stage->workers; i++) {
		const struct worker_result *w = &r->workers[i];

		set += end->workers[i].counters[id] != 0;
		if (kind == FS_COUNTER_LAST)
			sum += (double)end->workers[i].counters[id];
		else if (kind == FS_COUNTER_PER_SEC)
			sum += w->counters[id] ? stats_per_sec(r, w, w->counters[id]) : 0;
		else
			sum += (double)w->counters[id];
	}
	if (kind == FS_COUNTER_LAST)
		return set ? sum / set : NAN;
	return kind == FS_COUNTER_PER_OP ? sum / (double)r->ops : sum;
}

/* What the ops returned, per second. The names are keys of the JSON: never changed. */
static void stats_work(struct stage_result *r)
{
	static const struct {
		const char *work, *name, *unit;
	} rates[] = {
		{ "bytes", "bytes_per_sec", "bytes/s" },
		{ "extents", "extents_per_sec", "extents/s" },
		{ "entries", "entries_per_sec", "entries/s" },
	};
	const char *work = r->stage->stressor->work_unit;
	double rate = 0;

	for (unsigned i = 0; i < r->stage->workers; i++)
		rate += r->workers[i].work ?
			stats_per_sec(r, &r->workers[i], r->workers[i].work) : 0;
	for (unsigned i = 0; work && i < FS_ARRAY_SIZE(rates); i++) {
		if (!strcmp(work, rates[i].work))
			stats_metric(r, rates[i].name, rates[i].unit, rate);
	}
}

static void stats_metrics(struct stage_result *r, const struct snapshot *end)
{
	const struct fs_counter *c = r->stage->stressor->counters;

	for (unsigned i = 0; c && i < FS_COUNTERS_MAX && c[i].name; i++)
		stats_metric(r, c[i].name, c[i].unit, stats_counter(r, end, i));
	stats_work(r);
}

void fs_stats_window(struct stage_result *r, const struct snapshot *start,
		     const struct snapshot *end)
{
	const uint64_t from = stats_edge(start), to = stats_edge(end);

	r->measured_s = stats_seconds((double)(to - from));
	r->start_monotonic_ns = from;
	r->end_monotonic_ns = to;
	r->start_realtime_ns = start->realtime_ns;
	r->end_realtime_ns = end->realtime_ns;
	r->ops = 0;
	r->nmetrics = 0;
	for (unsigned i = 0; i < r->stage->workers; i++) {
		const struct snapshot_worker *a = &start->workers[i], *b = &end->workers[i];

		stats_worker(&r->workers[i], a, b);
		r->workers[i].off_ns = stats_off_ns(a->off, from, b->off, to);
		r->ops += r->workers[i].ops;
	}
	stats_usage(r);
	stats_shape(r);
	stats_kinds(r);
	r->ops_per_sec = r->ops_per_cpu_sec = NAN;
	if (r->status != STATUS_PASSED || r->ops == 0)
		return;
	stats_rates(r);
	stats_metrics(r, end);
}

/* A number without its rate is not a result. */
static void stats_condemn(struct stage_result *r, enum status status)
{
	r->status = status;
	r->ops_per_sec = r->ops_per_cpu_sec = NAN;
	r->nmetrics = 0;
}

static void stats_judge_tolerated(struct stage_result *r)
{
	uint64_t all = 0, most = 0;
	double share;

	for (unsigned i = 0; i < AREA_ERRNOS_MAX; i++) {
		all += r->tolerated[i].count;
		if (r->tolerated[i].count <= most)
			continue;
		most = r->tolerated[i].count;
		r->err = r->tolerated[i].err;
	}
	share = all ? (double)all / (double)(all + r->ops) : 0;
	if (share <= STATS_TOLERATED_MAX) {
		r->err = 0;
		return;
	}
	snprintf(r->reason, sizeof(r->reason), "%.1f %% of %llu attempts failed, mostly with %s",
		 100 * share, (unsigned long long)(all + r->ops), fs_errno_name(r->err));
	stats_condemn(r, STATUS_FAILED);
}

/* Rounds of a worker that were timed inside the window, in whole or in part. */
static unsigned stats_rounds(const struct stage_result *r, const struct worker_result *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nrounds; i++) {
		const int64_t from = (int64_t)w->rounds[i].run, to = (int64_t)w->rounds[i].run_end;

		n += to > 0 && stats_seconds((double)from) < r->measured_s;
	}
	return n;
}

static bool stats_in_rounds(const struct stage_result *r)
{
	return r->stage->variant->fill || r->stage->variant->drain;
}

static void stats_warn_coarse(struct stage_result *r, uint64_t ops, unsigned idle)
{
	if (idle)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "%u of %u workers did no op in the window: use a longer --timeout or "
			    "fewer workers", idle, r->stage->workers);
	else
		fs_warn_add(r->warnings, &r->nwarnings,
			    "only %llu op%s in the slowest worker: coarse, use a longer --timeout",
			    (unsigned long long)ops, ops == 1 ? "" : "s");
}

static void stats_judge_granularity(struct stage_result *r)
{
	uint64_t ops = UINT64_MAX;
	unsigned passes = UINT32_MAX, idle = 0;

	for (unsigned i = 0; i < r->stage->workers; i++) {
		const unsigned n = stats_rounds(r, &r->workers[i]);

		idle += !r->workers[i].ops;
		ops = r->workers[i].ops < ops ? r->workers[i].ops : ops;
		passes = n < passes ? n : passes;
	}
	if (ops < STATS_OPS_MIN) {
		r->granularity = "op";
		stats_warn_coarse(r, ops, idle);
	} else if (stats_in_rounds(r) && !r->stage->ops && passes < STATS_ROUNDS_MIN) {
		r->granularity = "pass";
		fs_warn_add(r->warnings, &r->nwarnings,
			    "only %u pass%s in the window: coarse, use a longer --timeout", passes,
			    passes == 1 ? "" : "es");
	}
}

static void stats_judge_pins(struct stage_result *r)
{
	unsigned lost = 0, first = 0;

	for (unsigned i = r->stage->workers; i-- > 0; ) {
		if (!r->workers[i].pin_lost)
			continue;
		lost++;
		first = i;
	}
	if (lost)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "%u of %u workers lost their CPU: worker %u ended on %d instead of %d",
			    lost, r->stage->workers, first, r->workers[first].cpu_end,
			    r->workers[first].cpu);
}

static void stats_judge_shape(struct stage_result *r, const struct config *config)
{
	const double asked = stats_seconds((double)config->timeout_ns);

	if (r->duty < STATS_DUTY_MIN)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "duty %.3f: most of the window was off the clock", r->duty);
	if (r->fairness < STATS_FAIRNESS_MIN && !r->stage->oversubscribed)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "unequal workers: the slowest made %.0f %% of the rate of the fastest",
			    100 * r->fairness);
	if (!r->stage->ops && fabs(r->measured_s - asked) > STATS_WINDOW_OFF_MAX * asked)
		fs_warn_add(r->warnings, &r->nwarnings, "the window took %.3f s instead of %.3f s",
			    r->measured_s, asked);
}

void fs_stats_judge(struct stage_result *r, const struct config *config)
{
	if (!r->workers)
		return;
	stats_judge_pins(r);
	if (r->status != STATUS_PASSED)
		return;
	stats_judge_tolerated(r);
	if (r->status == STATUS_PASSED && r->ops == 0) {
		snprintf(r->reason, sizeof(r->reason), "no op succeeded in %.1f s%s", r->measured_s,
			 stats_in_rounds(r) && r->duty < STATS_DUTY_MIN ?
			 ": the window went into refilling, use a longer --timeout" : "");
		stats_condemn(r, STATUS_NO_PROGRESS);
	}
	if (r->status != STATUS_PASSED)
		return;
	stats_judge_granularity(r);
	stats_judge_shape(r, config);
}
