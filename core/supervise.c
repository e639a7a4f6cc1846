// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time contract of a group, each part with a limit:
 * prepare | settle | gate | warm-up | window | stop | verify | teardown
 */
#include "core/supervise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "core/observe.h"
#include "core/progress.h"
#include "platform/clock.h"

#define SUPERVISE_TICK_NS	FS_NSEC_PER_MSEC
#define SUPERVISE_PREPARE_NS	(30 * FS_NSEC_PER_SEC)
#define SUPERVISE_PROBE_NS	(10 * FS_NSEC_PER_SEC)
#define SUPERVISE_STILL_NS	(30 * FS_NSEC_PER_SEC)
#define SUPERVISE_GATE_NS	(5 * FS_NSEC_PER_MSEC)
#define SUPERVISE_GATE_WORKER_NS (20 * FS_NSEC_PER_USEC)
#define SUPERVISE_WARMUP_EXTENSIONS 3
#define SUPERVISE_WARMUP_BATCHES 5

static bool supervise_prepared(void *flight)
{
	const struct flight *f = flight;

	return fs_group_over(f) || fs_load_acquire(&f->stage->times.settled);
}

/* Whether no stage of the group can go on. */
static bool supervise_all_over(void *group)
{
	struct group *g = group;

	for (unsigned i = 0; i < g->n; i++) {
		if (!fs_group_over(&g->flights[i]))
			return false;
	}
	return true;
}

/* --- prepare and gate ------------------------------------------------------------------------- */

static uint64_t supervise_prepare_limit(const struct group *g, const struct flight *f)
{
	if (g->probing)
		return SUPERVISE_PROBE_NS;
	return SUPERVISE_PREPARE_NS + f->stage->plan.settle_ns + fs_group_bytes_ns(f);
}

static enum wait_end supervise_prepare(struct group *g)
{
	for (g->next = 0; g->next < g->n; g->next++) {
		struct flight *f = &g->flights[g->next];
		enum wait_end end;

		if (fs_group_spawn(g, g->next) < 0)
			continue;
		end = fs_session_wait(g->session, supervise_prepared, f,
				      fs_now_ns() + supervise_prepare_limit(g, f),
				      SUPERVISE_TICK_NS);
		if (end == WAIT_TIMEOUT) {
			f->hung = true;
			fs_area_abandon(g->area, g->next);
		}
		if (end == WAIT_INTERRUPTED)
			return end;
	}
	return WAIT_MET;
}

/* Set the time at which all start. */
static void supervise_arm(struct group *g)
{
	uint64_t workers = 0, start;

	for (unsigned i = 0; i < g->n; i++)
		workers += fs_group_workers(&g->flights[i]);
	start = fs_now_ns() + SUPERVISE_GATE_NS + workers * SUPERVISE_GATE_WORKER_NS;
	g->area->gate.start_ns = start;
	for (unsigned i = 0; i < g->n; i++) {
		const struct fs_variant *v = g->flights[i].to->stage->variant;

		for (unsigned w = 0; w < fs_group_workers(&g->flights[i]); w++)
			fs_store(&area_slot(g->area, i, w)->off,
				 v->fill || v->drain ? FS_OFF_FLAG | start : 0);
	}
}

/* --- warm-up ---------------------------------------------------------------------------------- */

/* Of stages that run together, those that are to be cold decide. */
static uint64_t supervise_warmup(const struct group *g)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < g->n; i++) {
		const uint64_t one = fs_plan_warmup_ns(g->session->config,
						       g->flights[i].to->stage);

		least = one < least ? one : least;
	}
	return least;
}

/* Every worker has run five batches, of a size that is fixed. */
static bool supervise_warm(const struct group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		const struct flight *f = &g->flights[i];

		for (unsigned w = 0; !fs_group_over(f) && w < fs_group_workers(f); w++) {
			const struct area_slot *slot = area_slot(g->area, i, w);

			if (fs_load(&slot->batches) < SUPERVISE_WARMUP_BATCHES ||
			    !fs_load(&slot->batch_fixed))
				return false;
		}
	}
	return true;
}

static enum wait_end supervise_warm_up(struct group *g, uint64_t length)
{
	uint64_t until = g->area->gate.start_ns + length;
	enum wait_end end;

	for (int extension = 0;; extension++) {
		end = fs_session_wait(g->session, supervise_all_over, g, until, 0);
		if (end != WAIT_TIMEOUT || !length || supervise_warm(g) ||
		    extension == SUPERVISE_WARMUP_EXTENSIONS)
			break;
		until += length;
	}
	return end;
}

/* --- the window ------------------------------------------------------------------------------- */

static bool supervise_counted(void *group)
{
	struct group *g = group;

	for (unsigned i = 0; i < g->n; i++) {
		struct flight *f = &g->flights[i];

		if (!fs_group_over(f) &&
		    fs_load_acquire(&f->stage->loop_done) < fs_group_workers(f))
			return false;
	}
	return true;
}

static uint64_t supervise_ops(const struct group *g)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < g->n; i++) {
		for (unsigned w = 0; w < fs_group_workers(&g->flights[i]); w++)
			sum += fs_load(&area_slot(g->area, i, w)->ops);
	}
	return sum;
}

/* A number that changes while any worker of the stage does anything that can be seen from here. */
static uint64_t supervise_moves(const struct group *g, unsigned i)
{
	uint64_t sum = 0;

	for (unsigned w = 0; w < fs_group_workers(&g->flights[i]); w++) {
		const struct area_slot *slot = area_slot(g->area, i, w);

		sum += fs_load(&slot->batches) + fs_load(&slot->phase_since);
	}
	return sum;
}

/*
 * Runs of --ops N take what they take, but not for ever: they go on as long as an op succeeds in
 * each half minute, and in what a slow disk may take to make the files anew.
 */
static enum wait_end supervise_await_ops(struct group *g)
{
	uint64_t patience = g->probing ? SUPERVISE_PROBE_NS : SUPERVISE_STILL_NS, before;
	enum wait_end end;

	for (unsigned i = 0; i < g->n && !g->probing; i++)
		patience += fs_group_bytes_ns(&g->flights[i]);
	do {
		before = supervise_ops(g);
		for (unsigned i = 0; i < g->n; i++)
			g->flights[i].moves = supervise_moves(g, i);
		end = fs_session_wait(g->session, supervise_counted, g, fs_now_ns() + patience,
				      SUPERVISE_TICK_NS);
	} while (end == WAIT_TIMEOUT && !g->probing && supervise_ops(g) != before);
	return end;
}

/* Whose ops have not been reached: nothing moves in a stage that hangs. */
static void supervise_give_up(struct group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct flight *f = &g->flights[i];

		if (fs_group_over(f) || fs_load(&f->stage->loop_done) >= fs_group_workers(f))
			continue;
		f->hung = supervise_moves(g, i) == f->moves;
		f->stalled = !f->hung;
	}
}

/* With --ops the window opens before the release, so that no op escapes it. */
static void supervise_counted_window(struct group *g)
{
	fs_observe_start(g, 0);
	supervise_arm(g);
	fs_group_window_start(g);
	fs_group_go(g);
	if (supervise_await_ops(g) == WAIT_TIMEOUT)
		supervise_give_up(g);
	fs_group_window_end(g);
}

/* Until its end, looking at the counters where somebody watches. */
static void supervise_window(struct group *g)
{
	const uint64_t end = g->window_start_ns + g->session->config->timeout_ns;
	struct progress p;

	fs_progress_begin(&p, g);
	while (fs_session_wait(g->session, supervise_all_over, g, fs_progress_until(&p, end),
			       0) == WAIT_TIMEOUT && fs_now_ns() < end)
		fs_progress_look(&p);
	fs_group_window_end(g);
	fs_progress_end(&p);
}

static void supervise_timed_window(struct group *g)
{
	const uint64_t warmup = supervise_warmup(g);

	fs_observe_start(g, warmup);
	supervise_arm(g);
	if (warmup)
		fs_store(&g->area->gate.phase, AREA_WARMUP);
	fs_group_go(g);
	if (supervise_warm_up(g, warmup) != WAIT_TIMEOUT)
		return;
	if (warmup)
		fs_observe_begin(g);
	fs_group_window_start(g);
	supervise_window(g);
}

/* --- the group -------------------------------------------------------------------------------- */

static int supervise_group(struct group *g, const char *target)
{
	const int rc = fs_group_open(g, target);

	if (rc < 0)
		return rc;
	if (supervise_prepare(g) == WAIT_MET && !supervise_all_over(g)) {
		fs_pressure_open("", g->facts, &g->pressure_files);
		if (g->probing || g->flights[0].to->stage->ops)
			supervise_counted_window(g);
		else
			supervise_timed_window(g);
		fs_pressure_close(&g->pressure_files);
	}
	fs_observe_stop(g);
	fs_group_stop(g);
	for (unsigned i = 0; i < g->n; i++)
		fs_group_verdict(g, i);
	fs_observe_end(g);
	fs_group_close(g);
	return 0;
}

static void supervise_impossible(struct group_stage *stages, unsigned n, int rc)
{
	for (unsigned i = 0; i < n; i++) {
		struct stage_result *r = stages[i].result;

		r->status = STATUS_FAILED;
		r->err = -rc;
		snprintf(r->reason, sizeof(r->reason), "shared area: %s", strerror(-rc));
	}
}

/* Of a size for all stages that may run together: too large for a small stack. */
static void supervise_stages(struct session *s, const char *target, const struct fs_target *facts,
			     struct group_stage *stages, unsigned n, bool probing)
{
	struct group *g = calloc(1, sizeof(*g));
	int rc = -ENOMEM;

	if (g) {
		g->session = s;
		g->facts = facts;
		g->n = n;
		g->probing = probing;
		for (unsigned i = 0; i < n; i++)
			g->flights[i].to = &stages[i];
		rc = supervise_group(g, target);
	}
	free(g);
	if (rc < 0)
		supervise_impossible(stages, n, rc);
}

void fs_supervise(struct session *s, const char *target, const struct fs_target *facts,
		  struct group_stage *stages, unsigned n)
{
	supervise_stages(s, target, facts, stages, n, false);
}

int fs_supervise_probe(struct session *s, const char *target, const struct stage *stage,
		       struct stage_result *result)
{
	struct group_stage to = { stage, result, REFERENCE_NONE };

	supervise_stages(s, target, NULL, &to, 1, true);
	return result->status != STATUS_PASSED;
}
