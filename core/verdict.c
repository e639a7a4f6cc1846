// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "core/cost.h"
#include "core/environment.h"
#include "core/group.h"
#include "core/judge.h"
#include "core/latency.h"
#include "core/load.h"
#include "core/reference.h"
#include "core/sample.h"
#include "platform/errno_name.h"

static double verdict_s(uint64_t from_ns, uint64_t to_ns)
{
	return from_ns && to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

/* Of one that cannot be killed: until now. */
static uint64_t verdict_exit_ns(const struct flight *f)
{
	if (f->child.ended)
		return f->child.ended_ns;
	return f->spawned ? fs_now_ns() : 0;
}

static void verdict_times(const struct group *g, const struct flight *f, struct stage_result *r)
{
	const struct area_times *t = &f->stage->times;
	const uint64_t go = g->area->gate.start_ns, exited = verdict_exit_ns(f);
	const uint64_t end = f->have_window ? f->end.after_ns : f->spawned_ns;
	const bool verify = f->stage->plan.verify && f->have_window;

	r->prepare_s = verdict_s(f->spawned_ns, t->prepared ? t->prepared : exited);
	r->settle_s = (double)t->settle_ns / 1e9;
	r->settled = t->settle_ok;
	r->warmup_s = f->have_window ? verdict_s(go, f->start.before_ns) : 0;
	r->verify_s = verify ? verdict_s(t->left, t->verified) : NAN;
	r->teardown_s = verdict_s(end, exited) - (verify ? r->verify_s : 0);
	r->wall_s = verdict_s(f->spawned_ns, exited);
	r->rss_max_kib = (uint64_t)f->child.usage.ru_maxrss;
}

static void verdict_worker(const struct area_slot *slot, struct worker_result *w)
{
	const struct fs_usage *from = &slot->usage[0], *to = &slot->usage[1];

	w->batch = slot->batch;
	w->cpu = slot->cpu;
	w->cpu_start = slot->cpu_start;
	w->cpu_end = slot->cpu_end;
	w->tid = slot->tid;
	w->pin_lost = slot->pin_lost;
	w->usage_known = fs_load_acquire(&slot->usage_marks) == 2;
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++) {
		const uint64_t a = slot->perf[0][i], b = slot->perf[1][i];

		w->perf[i] = w->usage_known && a != FS_UNKNOWN && b != FS_UNKNOWN ? b - a :
										    FS_UNKNOWN;
	}
	if (!w->usage_known)
		return;
	w->usage = (struct fs_usage){
		to->user_us - from->user_us, to->system_us - from->system_us,
		to->voluntary - from->voluntary, to->involuntary - from->involuntary,
		to->minor - from->minor, to->major - from->major,
	};
}

/* The last finished rounds, oldest first, relative to the start of the window. */
static void verdict_rounds(const struct area_slot *slot, uint64_t window_ns,
			   struct worker_result *w)
{
	const uint64_t last = fs_load_acquire(&slot->rounds);
	uint64_t first = last > AREA_ROUNDS_MAX - 1 ? last - (AREA_ROUNDS_MAX - 2) : 1;

	w->nrounds = 0;
	for (uint64_t n = first; n <= last; n++) {
		const struct area_round *from = &slot->round[n % AREA_ROUNDS_MAX];

		w->rounds[w->nrounds++] = (struct area_round){
			from->fill - window_ns, from->run - window_ns,
			from->run_end - window_ns, from->drain_end - window_ns,
		};
	}
}

static void verdict_device(const struct flight *f, struct stage_result *r)
{
	const uint64_t *a = f->device_start, *b = f->device_end;

	if (f->device_fields < 11)
		return;
	r->device_io = (struct device_io){
		.known = true,
		.reads = b[0] - a[0], .read_bytes = (b[2] - a[2]) * 512,
		.writes = b[4] - a[4], .write_bytes = (b[6] - a[6]) * 512,
		.busy_s = (double)(uint32_t)(b[9] - a[9]) / 1e3,
		.queue_s = (double)(uint32_t)(b[10] - a[10]) / 1e3,
		.flush_s = f->device_fields > 16 ? (double)(uint32_t)(b[16] - a[16]) / 1e3 : NAN,
		.discards = f->device_fields > 11 ? b[11] - a[11] : FS_UNKNOWN,
		.flushes = f->device_fields > 15 ? b[15] - a[15] : FS_UNKNOWN,
	};
}

/* What fs_set() left after the window: side metrics taken once, when nothing was timed any more. */
static void verdict_last_counters(struct group *g, unsigned i)
{
	struct flight *f = &g->flights[i];
	const struct fs_counter *c = f->to->stage->stressor->counters;

	for (unsigned id = 0; c && id < FS_COUNTERS_MAX && c[id].name; id++) {
		if (c[id].kind != FS_COUNTER_LAST)
			continue;
		for (unsigned w = 0; w < f->stage->plan.workers; w++)
			f->end.workers[w].counters[id] =
				fs_load(&area_slot(g->area, i, w)->counters[id]);
	}
}

static void verdict_numbers(struct group *g, unsigned i, struct stage_result *r)
{
	const struct flight *f = &g->flights[i];

	fs_environment_window(r, &g->pressure_start, &g->pressure_end);
	for (unsigned w = 0; w < f->stage->plan.workers; w++) {
		verdict_worker(area_slot(g->area, i, w), &r->workers[w]);
		verdict_rounds(area_slot(g->area, i, w), f->start.after_ns, &r->workers[w]);
	}
	verdict_device(f, r);
	verdict_last_counters(g, i);
	fs_stats_window(r, &f->start, &f->end);
	fs_cost(r, g->facts, &g->mount_start, &g->mount_end);
	fs_sample(r, g->area, i, &f->start, &f->end);
	fs_reference_reduce(r, f->to->reference);
	fs_latency_collect(r, g->area, i);
	fs_load_collect(r, g->area, i, &f->start, &f->end);
}

/* --- the status ------------------------------------------------------------------------------- */

static const struct area_load *verdict_load(const struct flight *f)
{
	const uint32_t load = f->stage->failure.load;

	return load ? &f->to->stage->loads[load - 1] : NULL;
}

static bool verdict_unsupported(const struct flight *f)
{
	const struct area_load *load = verdict_load(f);
	const struct fs_stressor *s = load ? fs_load_stressor(load) : f->to->stage->stressor;
	const int *errnos = s->unsupported;

	for (; errnos && *errnos; errnos++) {
		if (*errnos == f->stage->failure.err)
			return true;
	}
	return false;
}

static void verdict_failure(const struct group *g, unsigned i, struct stage_result *r)
{
	const struct flight *f = &g->flights[i];
	const struct area_failure *a = &f->stage->failure;
	const struct area_load *load = verdict_load(f);
	char who[64] = "", what[128];

	r->status = STATUS_FAILED;
	r->err = a->err;
	if (g->probing && verdict_unsupported(f)) {
		r->status = STATUS_SKIPPED;
		r->skip = SKIP_UNSUPPORTED;
	}
	if (a->worker >= 0 && !g->probing)
		snprintf(who, sizeof(who), " (worker %d after %llu ops)", a->worker,
			 (unsigned long long)
			 fs_load(&area_slot(g->area, i, (unsigned)a->worker)->ops));
	if (a->signal)
		snprintf(what, sizeof(what), "killed by signal %d (%s)",
			 a->signal, strsignal(a->signal));
	else
		snprintf(what, sizeof(what), "%s (%s)", strerror(a->err), fs_errno_name(a->err));
	snprintf(r->reason, sizeof(r->reason), "%s%s%s%s: %s%s%s%s", g->probing ? "trial " : "",
		 a->where, load ? " " : "", load ? load->key : "", a->text, a->text[0] ? ": " : "",
		 what, who);
}

static void verdict_hung(const struct flight *f, struct stage_result *r)
{
	r->status = STATUS_INCOMPLETE;
	snprintf(r->reason, sizeof(r->reason), "%s",
		 f->hung_text[0] ? f->hung_text : "did not end in time");
}

static void verdict_died(const struct group *g, const struct flight *f, struct stage_result *r)
{
	const int status = f->child.status;

	r->status = STATUS_FAILED;
	if (WIFSIGNALED(status))
		snprintf(r->reason, sizeof(r->reason),
			 "%sstage process killed by signal %d (%s)", g->probing ? "trial: " : "",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(r->reason, sizeof(r->reason),
			 "%sstage process ended with status %d", g->probing ? "trial: " : "",
			 WEXITSTATUS(status));
}

static void verdict_interrupted(const struct group *g, const struct flight *f,
				struct stage_result *r)
{
	if (f->spawned && !g->probing) {
		r->status = STATUS_INCOMPLETE;
		snprintf(r->reason, sizeof(r->reason), "interrupted");
		return;
	}
	r->status = STATUS_SKIPPED;
	r->skip = SKIP_INTERRUPTED;
	snprintf(r->reason, sizeof(r->reason), "interrupted");
}

/* Of --ops N. What they fail with is tolerated, or they would not have come so far. */
static void verdict_stalled(const struct flight *f, struct stage_result *r)
{
	const struct area_errno *most = &f->tolerated[0];

	for (unsigned i = 1; i < AREA_ERRNOS_MAX; i++)
		most = f->tolerated[i].count > most->count ? &f->tolerated[i] : most;
	r->status = STATUS_INCOMPLETE;
	r->err = most->count ? most->err : 0;
	snprintf(r->reason, sizeof(r->reason),
		 "the ops asked for are not reached: none succeeds any more%s%s",
		 r->err ? ", mostly for " : "", r->err ? fs_errno_name(r->err) : "");
}

static void verdict_not_started(const struct flight *f, struct stage_result *r)
{
	r->status = STATUS_FAILED;
	r->err = -f->spawn_err;
	if (r->err)
		snprintf(r->reason, sizeof(r->reason), "the stage did not start: %s (%s)",
			 strerror(r->err), fs_errno_name(r->err));
	else
		snprintf(r->reason, sizeof(r->reason), "the stage did not start");
}

static void verdict_status(struct group *g, unsigned i, struct stage_result *r)
{
	const struct flight *f = &g->flights[i];
	const bool failed = fs_load_acquire(&f->stage->failure.complete);

	if (failed)
		verdict_failure(g, i, r);
	else if (f->spawn_err)
		verdict_not_started(f, r);
	else if (f->hung)
		verdict_hung(f, r);
	else if (f->spawned && f->child.ended && !f->child.killed && f->child.status)
		verdict_died(g, f, r);
	else if (g->session->interrupted && (!f->spawned || fs_load(&f->stage->abandoned)))
		verdict_interrupted(g, f, r);
	else if (f->stalled)
		verdict_stalled(f, r);
	else if (f->have_window)
		r->status = STATUS_PASSED;
	else
		verdict_not_started(f, r);
}

void fs_group_verdict(struct group *g, unsigned i)
{
	struct flight *f = &g->flights[i];
	struct stage_result *r = f->to->result;

	verdict_times(g, f, r);
	memcpy(r->tolerated, f->have_window ? f->tolerated : f->stage->tolerated,
	       sizeof(r->tolerated));
	for (unsigned w = 0; w < f->stage->warnings && w < AREA_WARNINGS_MAX; w++)
		fs_warn_add(r->warnings, &r->nwarnings, "%s", f->stage->warning[w].text);
	verdict_status(g, i, r);
	if (!g->probing && f->have_window && r->workers)
		verdict_numbers(g, i, r);
	if (!g->probing)
		fs_judge(r, g->session->config);
}
