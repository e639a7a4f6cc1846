// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time contract of a group, each part with a limit:
 * prepare | settle | gate | warm-up | window | stop | verify | teardown
 */
#include "core/supervise.h"

#include <stdio.h>
#include <string.h>

#include "core/group.h"
#include "core/message.h"
#include "core/sweep.h"
#include "platform/clock.h"

#define SUPERVISE_TICK_NS	FS_NSEC_PER_MSEC
#define SUPERVISE_PREPARE_NS	(30 * FS_NSEC_PER_SEC)
#define SUPERVISE_NS_PER_BYTE	50	/* 1 s more per 20 MB to be made */
#define SUPERVISE_STOP_NS	(5 * FS_NSEC_PER_SEC)
#define SUPERVISE_TEARDOWN_NS	(60 * FS_NSEC_PER_SEC)
#define SUPERVISE_REAP_NS	(5 * FS_NSEC_PER_SEC)
#define SUPERVISE_PROBE_NS	(10 * FS_NSEC_PER_SEC)
#define SUPERVISE_STILL_NS	(30 * FS_NSEC_PER_SEC)
#define SUPERVISE_GATE_NS	(5 * FS_NSEC_PER_MSEC)
#define SUPERVISE_GATE_WORKER_NS (20 * FS_NSEC_PER_USEC)
#define SUPERVISE_WARMUP_MIN_NS	(FS_NSEC_PER_SEC / 5)
#define SUPERVISE_WARMUP_MAX_NS	(5 * FS_NSEC_PER_SEC)
#define SUPERVISE_WARMUP_EXTENSIONS 3
#define SUPERVISE_WARMUP_BATCHES 5

static unsigned supervise_workers(const struct flight *f)
{
	return f->stage->plan.workers;
}

static bool supervise_over(const struct flight *f)
{
	return !f->spawned || f->hung || f->child.ended ||
	       fs_load_acquire(&f->stage->failure.complete);
}

static bool supervise_prepared(void *flight)
{
	const struct flight *f = flight;

	return supervise_over(f) || fs_load_acquire(&f->stage->times.settled);
}

/* Whether no stage of the group can go on. */
static bool supervise_all_over(void *group)
{
	struct group *g = group;

	for (unsigned i = 0; i < g->n; i++) {
		if (!supervise_over(&g->flights[i]))
			return false;
	}
	return true;
}

/* --- prepare and gate ------------------------------------------------------------------------- */

/* What making, or removing, a stage's files may take on a slow disk. */
static uint64_t supervise_bytes_ns(const struct flight *f)
{
	return f->stage->plan.need_bytes * supervise_workers(f) * SUPERVISE_NS_PER_BYTE;
}

static uint64_t supervise_prepare_limit(const struct group *g, const struct flight *f)
{
	if (g->probing)
		return SUPERVISE_PROBE_NS;
	return SUPERVISE_PREPARE_NS + f->stage->plan.settle_ns + supervise_bytes_ns(f);
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
			fs_area_stop(g->area, g->next);
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
		workers += supervise_workers(&g->flights[i]);
	start = fs_now_ns() + SUPERVISE_GATE_NS + workers * SUPERVISE_GATE_WORKER_NS;
	g->area->gate.start_ns = start;
	for (unsigned i = 0; i < g->n; i++) {
		const struct fs_variant *v = g->flights[i].to->stage->variant;

		for (unsigned w = 0; w < supervise_workers(&g->flights[i]); w++)
			fs_store(&area_slot(g->area, i, w)->off,
				 v->fill || v->drain ? FS_OFF_FLAG | start : 0);
	}
}

static void supervise_go(struct group *g)
{
	fs_store_release(&g->area->gate.go, 1);
	fs_futex_wake_all(&g->area->gate.go);
}

/* --- warm-up ---------------------------------------------------------------------------------- */

static uint64_t supervise_warmup(const struct group *g)
{
	const struct config *c = g->session->config;
	const uint64_t tenth = c->timeout_ns / 10;

	for (unsigned i = 0; i < g->n; i++) {
		if (g->flights[i].to->stage->variant->flags & FS_COLD)
			return 0;
	}
	if (c->warmup_given)
		return c->warmup_ns;
	if (tenth < SUPERVISE_WARMUP_MIN_NS)
		return SUPERVISE_WARMUP_MIN_NS;
	return tenth < SUPERVISE_WARMUP_MAX_NS ? tenth : SUPERVISE_WARMUP_MAX_NS;
}

/* Every worker has run five batches, of a size that is fixed. */
static bool supervise_warm(const struct group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		const struct flight *f = &g->flights[i];

		for (unsigned w = 0; !supervise_over(f) && w < supervise_workers(f); w++) {
			const struct area_slot *slot = area_slot(g->area, i, w);

			if (fs_load(&slot->batches) < SUPERVISE_WARMUP_BATCHES ||
			    !fs_load(&slot->batch_fixed))
				return false;
		}
	}
	return true;
}

static enum wait_end supervise_warm_up(struct group *g)
{
	const uint64_t length = supervise_warmup(g);
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

		if (!supervise_over(f) &&
		    fs_load_acquire(&f->stage->loop_done) < supervise_workers(f))
			return false;
	}
	return true;
}

/* A number that moves while any worker does anything that can be seen from here. */
static uint64_t supervise_progress(const struct group *g)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < g->n; i++) {
		for (unsigned w = 0; w < supervise_workers(&g->flights[i]); w++) {
			const struct area_slot *slot = area_slot(g->area, i, w);

			sum += fs_load(&slot->ops) + fs_load(&slot->batches) +
			       fs_load(&slot->phase_since);
		}
	}
	return sum;
}

/*
 * Runs of --ops N open their window before the release, so that no op escapes it. They take what
 * they take, but not for ever: a group in which nothing has moved for half a minute hangs.
 */
static void supervise_counted_window(struct group *g)
{
	const uint64_t patience = g->probing ? SUPERVISE_PROBE_NS : SUPERVISE_STILL_NS;
	uint64_t before;
	enum wait_end end;

	supervise_arm(g);
	fs_group_window_start(g);
	supervise_go(g);
	do {
		before = supervise_progress(g);
		end = fs_session_wait(g->session, supervise_counted, g, fs_now_ns() + patience,
				      SUPERVISE_TICK_NS);
	} while (end == WAIT_TIMEOUT && !g->probing && supervise_progress(g) != before);
	for (unsigned i = 0; end == WAIT_TIMEOUT && i < g->n; i++)
		g->flights[i].hung = !supervise_over(&g->flights[i]) &&
				     fs_load(&g->flights[i].stage->loop_done) <
				     supervise_workers(&g->flights[i]);
	fs_group_window_end(g);
}

static void supervise_timed_window(struct group *g)
{
	supervise_arm(g);
	supervise_go(g);
	if (supervise_warm_up(g) != WAIT_TIMEOUT)
		return;
	fs_group_window_start(g);
	fs_session_wait(g->session, supervise_all_over, g,
			g->window_start_ns + g->session->config->timeout_ns, 0);
	fs_group_window_end(g);
}

/* --- stop ------------------------------------------------------------------------------------- */

static bool supervise_left_loop(void *flight)
{
	struct flight *f = flight;

	return f->child.ended || fs_load_acquire(&f->stage->loop_done) >= supervise_workers(f) ||
	       fs_load_acquire(&f->stage->setup_done) < supervise_workers(f);
}

static bool supervise_verified(void *flight)
{
	struct flight *f = flight;

	return f->child.ended || fs_load_acquire(&f->stage->verified) >= supervise_workers(f);
}

static void supervise_hung_worker(struct flight *f, const struct area_slot *slot, unsigned worker,
				  const char *limit)
{
	const uint32_t phase = fs_load(&slot->phase);
	char wchan[64], text[256];

	if (!slot->tid || phase == WORKER_ENDED || phase == WORKER_MEET)
		return;
	snprintf(text, sizeof(text),
		 "worker %u (tid %u) has not ended %s: in %s for %.1f s, state %c",
		 worker, slot->tid, limit, fs_worker_phase_names[phase],
		 (double)(fs_now_ns() - slot->phase_since) / 1e9,
		 fs_task_state(slot->pid, slot->tid, wchan));
	if (wchan[0])
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", wchan %s", wchan);
	fs_warning("%s: %s", f->stage->plan.key, text);
	if (!f->hung_text[0])
		memcpy(f->hung_text, text, sizeof(text));
}

/* Say who is where, then end the stage's processes: its results stay in the area. */
static void supervise_hung(struct group *g, unsigned i, const char *limit)
{
	struct flight *f = &g->flights[i];

	for (unsigned w = 0; w < supervise_workers(f); w++)
		supervise_hung_worker(f, area_slot(g->area, i, w), w, limit);
	f->hung = true;
	fs_child_kill(&f->child);
}

static void supervise_stop(struct group *g, unsigned i)
{
	struct flight *f = &g->flights[i];
	struct session *s = g->session;
	const uint64_t limit = SUPERVISE_TEARDOWN_NS + supervise_bytes_ns(f);

	if (f->hung)
		supervise_hung(g, i, "in time");
	else if (fs_session_wait_deaf(s, supervise_left_loop, f, fs_now_ns() + SUPERVISE_STOP_NS,
				      SUPERVISE_TICK_NS) == WAIT_TIMEOUT)
		supervise_hung(g, i, "after the stop");
	f->loop_done_ns = fs_now_ns();
	if (!f->child.killed)
		fs_session_wait_deaf(s, supervise_verified, f, fs_now_ns() + limit,
				     SUPERVISE_TICK_NS);
	f->verified_ns = fs_now_ns();
	if (!f->child.killed &&
	    fs_session_wait_deaf(s, fs_child_ended, &f->child, fs_now_ns() + limit,
				 0) == WAIT_TIMEOUT)
		supervise_hung(g, i, "cleaning up");
	if (fs_session_wait_deaf(s, fs_child_ended, &f->child, fs_now_ns() + SUPERVISE_REAP_NS,
				 0) == WAIT_TIMEOUT)
		fs_warning("%s: process %d cannot be killed; left behind",
			   f->stage->plan.key, (int)f->child.pid);
	f->exited_ns = fs_now_ns();
}

static void supervise_stop_all(struct group *g)
{
	for (unsigned i = 0; i < g->n; i++)
		fs_area_stop(g->area, i);
	supervise_go(g);
	for (unsigned i = 0; i < g->n; i++) {
		if (g->flights[i].spawned)
			supervise_stop(g, i);
	}
}

static void supervise_sweep(struct group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		const struct area_stage *stage = g->flights[i].stage;

		if (!stage->workspace[0])
			continue;
		if (stage->times.kept)
			fs_note("%s: files kept in %s", stage->plan.key, stage->workspace);
		else
			fs_sweep(g->session, g->area->target, stage->workspace);
	}
}

static int supervise_group(struct group *g, const char *target)
{
	const int rc = fs_group_open(g, target);

	if (rc < 0)
		return rc;
	if (supervise_prepare(g) == WAIT_MET && !supervise_all_over(g)) {
		if (g->probing || g->flights[0].to->stage->ops)
			supervise_counted_window(g);
		else
			supervise_timed_window(g);
	}
	supervise_stop_all(g);
	supervise_sweep(g);
	for (unsigned i = 0; i < g->n; i++)
		fs_group_verdict(g, i);
	fs_group_close(g);
	return 0;
}

static void supervise_impossible(struct group *g, int rc)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct stage_result *r = g->flights[i].to->result;

		r->status = STATUS_FAILED;
		r->err = -rc;
		snprintf(r->reason, sizeof(r->reason), "shared area: %s", strerror(-rc));
	}
}

void fs_supervise(struct session *s, const char *target, const struct fs_target *facts,
		  struct group_stage *stages, unsigned n)
{
	struct group g = { .session = s, .facts = facts, .n = n };
	int rc;

	for (unsigned i = 0; i < n; i++)
		g.flights[i].to = &stages[i];
	rc = supervise_group(&g, target);
	if (rc < 0)
		supervise_impossible(&g, rc);
}

int fs_supervise_probe(struct session *s, const char *target, const struct stage *stage,
		       struct stage_result *result)
{
	struct group_stage to = { stage, result };
	struct group g = { .session = s, .n = 1, .probing = true };
	int rc;

	g.flights[0].to = &to;
	rc = supervise_group(&g, target);
	if (rc < 0)
		supervise_impossible(&g, rc);
	return result->status != STATUS_PASSED;
}
