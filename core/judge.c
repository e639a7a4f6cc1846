// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/judge.h"

#include <stdio.h>

#include "core/environment.h"
#include "core/reference.h"
#include "platform/errno_name.h"

#define JUDGE_OPS_MIN 20 /* of each worker: below, one op more or less shows in the rate */
#define JUDGE_ROUNDS_MIN 5 /* in the window: below, the share of a round that was cut off shows */
#define JUDGE_DUTY_MIN 0.1
#define JUDGE_FAIRNESS_MIN 0.5
#define JUDGE_WINDOW_OFF_MAX 0.05
#define JUDGE_TOLERATED_MAX 0.01
#define JUDGE_TAIL_MIN 3 /* widths of the interval between mean and trimmed mean */
#define JUDGE_WAIT_MAX 0.05
#define JUDGE_STALL_MIN 5 /* slices of the series, and */
#define JUDGE_MOVED_MAX 0.10
#define JUDGE_LATE_MAX_NS FS_NSEC_PER_SEC
#define JUDGE_STALL_MIN_NS (FS_NSEC_PER_SEC / 5)

/* A number without its rate is not a result. */
static void judge_condemn(struct stage_result *r, enum status status)
{
	r->status = status;
	r->ops_per_sec = r->ops_per_cpu_sec = NAN;
	r->nmetrics = 0;
}

static void judge_tolerated(struct stage_result *r)
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
	if (share <= JUDGE_TOLERATED_MAX) {
		r->err = 0;
		return;
	}
	snprintf(r->reason, sizeof(r->reason), "%.1f %% of %llu attempts failed, mostly with %s",
		 100 * share, (unsigned long long)(all + r->ops), fs_errno_name(r->err));
	judge_condemn(r, STATUS_FAILED);
}

/* Rounds of a worker that were timed inside the window, in whole or in part. */
static unsigned judge_rounds(const struct stage_result *r, const struct worker_result *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nrounds; i++) {
		const int64_t from = (int64_t)w->rounds[i].run, to = (int64_t)w->rounds[i].run_end;

		n += to > 0 && (double)from / FS_NSEC_PER_SEC < r->measured_s;
	}
	return n;
}

static bool judge_in_rounds(const struct stage_result *r)
{
	return r->stage->variant->fill || r->stage->variant->drain;
}

static void judge_warn_coarse(struct stage_result *r, uint64_t ops, unsigned idle)
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

static void judge_granularity(struct stage_result *r)
{
	uint64_t ops = UINT64_MAX;
	unsigned passes = UINT32_MAX, idle = 0;

	for (unsigned i = 0; i < r->stage->workers; i++) {
		const unsigned n = judge_rounds(r, &r->workers[i]);

		idle += !r->workers[i].ops;
		ops = r->workers[i].ops < ops ? r->workers[i].ops : ops;
		passes = n < passes ? n : passes;
	}
	if (ops < JUDGE_OPS_MIN) {
		r->granularity = "op";
		judge_warn_coarse(r, ops, idle);
	} else if (judge_in_rounds(r) && !r->stage->ops && passes < JUDGE_ROUNDS_MIN) {
		r->granularity = "pass";
		fs_warn_add(r->warnings, &r->nwarnings,
			    "only %u pass%s in the window: coarse, use a longer --timeout", passes,
			    passes == 1 ? "" : "es");
	}
}

static void judge_pins(struct stage_result *r)
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

static void judge_shape(struct stage_result *r, const struct config *config)
{
	const double asked = (double)config->timeout_ns / FS_NSEC_PER_SEC;

	if (r->duty < JUDGE_DUTY_MIN)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "duty %.3f: most of the window was off the clock", r->duty);
	if (r->fairness < JUDGE_FAIRNESS_MIN && !r->stage->oversubscribed)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "unequal workers: the slowest made %.0f %% of the rate of the fastest",
			    100 * r->fairness);
	if (!r->stage->ops && fabs(r->measured_s - asked) > JUDGE_WINDOW_OFF_MAX * asked)
		fs_warn_add(r->warnings, &r->nwarnings, "the window took %.4g s instead of %.4g s",
			    r->measured_s, asked);
	if (r->stage->oversubscribed && judge_in_rounds(r))
		fs_warn_add(r->warnings, &r->nwarnings,
			    "oversubscribed rounds: workers are timed in turn, so the sum of their "
			    "rates may exceed what they do at once");
}

/* What the slices show. Several of them may be true at once: then the first explains the others. */
static void judge_series(struct stage_result *r)
{
	const struct fs_steady *s = &r->steady;
	const double half = (r->interval.high - r->interval.low) / 2,
		     tail = r->interval.mean - r->interval.trimmed;

	if (s->drift == DRIFT_LATE_STEP)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "drift: from %.1f s on the rate is %+.0f %% of what it was before",
			    (double)s->change_at * r->series_step_s, 100 * s->change);
	if (s->drift == DRIFT_SLOPE)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "drift: the rate changes by %+.1f %% a minute [%.1f, %.1f]", s->slope,
			    s->slope_low, s->slope_high);
	if (s->drift == DRIFT_NO_STEADY_STATE)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "drift: no steady state, the first half still differs from the rest");
	if (r->warmup_short)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "the warm-up was too short: the rate was another one at first");
	if (fabs(tail) > JUDGE_TAIL_MIN * 2 * half)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "TAIL CHANGED: stalls or bursts make the mean %+.1f %% of the usual "
			    "rate", 100 * tail / r->interval.trimmed);
}

static void judge_machine(struct stage_result *r)
{
	if (r->reference.kind != REFERENCE_NONE && r->reference.moved > JUDGE_MOVED_MAX)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "the machine's own speed moved by %.0f %% within the window (%s "
			    "reference)", 100 * r->reference.moved,
			    fs_reference_names[r->reference.kind]);
}

/* Ops queued up: the response times tell how long the run was, not how the target responds. */
static void judge_overload(struct stage_result *r)
{
	if (r->late_ns > JUDGE_LATE_MAX_NS)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "OVERLOAD: ops started up to %.1f s late, use a lower --rate",
			    (double)r->late_ns / FS_NSEC_PER_SEC);
}

/* Others used the workers' CPUs; or a worker was stopped, or hung on the device, for a while. */
static void judge_held_up(struct stage_result *r)
{
	const double all = r->stage->workers * r->measured_s;
	uint64_t longest = 0;
	unsigned who = 0;

	if (!r->stage->oversubscribed && r->wait_s > JUDGE_WAIT_MAX * all)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "workers waited for a CPU in %.0f %% of the window: something else "
			    "runs there", 100 * r->wait_s / all);
	for (unsigned i = 0; i < r->stage->workers; i++) {
		if (r->workers[i].longest_ns <= longest)
			continue;
		longest = r->workers[i].longest_ns;
		who = i;
	}
	if (longest > JUDGE_STALL_MIN_NS && r->nseries &&
	    (double)longest > JUDGE_STALL_MIN * r->series_step_s * FS_NSEC_PER_SEC)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "worker %u ended no op for %.2f s: it was stopped or the target "
			    "stalled", who, (double)longest / FS_NSEC_PER_SEC);
}

void fs_judge(struct stage_result *r, const struct config *config)
{
	if (!r->workers)
		return;
	judge_pins(r);
	if (r->status != STATUS_PASSED)
		return;
	judge_tolerated(r);
	if (r->status == STATUS_PASSED && r->ops == 0) {
		snprintf(r->reason, sizeof(r->reason), "no op succeeded in %.1f s%s", r->measured_s,
			 judge_in_rounds(r) && r->duty < JUDGE_DUTY_MIN ?
			 ": the window went into refilling, use a longer --timeout" : "");
		judge_condemn(r, STATUS_NO_PROGRESS);
	}
	if (r->status != STATUS_PASSED)
		return;
	judge_granularity(r);
	judge_shape(r, config);
	judge_series(r);
	judge_held_up(r);
	judge_overload(r);
	judge_machine(r);
	fs_environment_judge(r);
}
