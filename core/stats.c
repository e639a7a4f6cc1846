// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From two snapshots to the numbers of a stage. The formulas stand in stats.h; nothing here looks
 * at the machine.
 */
#include "core/stats.h"

#include <string.h>

#include "core/registry.h"

#define STATS_CPU_DUTY_MIN 0.5 /* below, CPU time is mostly that of the refills */

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
	for (unsigned e = 0; e < FS_PERF_EVENTS; e++) {
		r->perf[e] = 0;
		for (unsigned i = 0; i < r->stage->workers && r->perf[e] != FS_UNKNOWN; i++) {
			const uint64_t n = r->workers[i].perf[e];

			r->perf[e] = n == FS_UNKNOWN ? n : r->perf[e] + n;
		}
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
	const char *const *names = fs_kinds_of(r->stage->stressor, r->stage->variant);
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

double fs_stats_rate(const struct snapshot *start, const struct snapshot *end, unsigned workers)
{
	const uint64_t from = stats_edge(start), to = stats_edge(end);
	double rate = 0;

	for (unsigned i = 0; i < workers; i++) {
		const struct snapshot_worker *a = &start->workers[i], *b = &end->workers[i];
		const uint64_t timed = to - from - stats_off_ns(a->off, from, b->off, to);

		if (timed)
			rate += (double)(b->ops - a->ops) / stats_seconds((double)timed);
	}
	return rate;
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
