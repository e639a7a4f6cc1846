// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a group, each part with a limit: workers leave the loop, verify, tear down; the stage
 * process removes its files and ends. What does not is named, killed and swept.
 */
#include <stdio.h>
#include <string.h>

#include "core/group.h"
#include "core/message.h"
#include "core/sweep.h"
#include "platform/clock.h"

#define STOP_TICK_NS		FS_NSEC_PER_MSEC
#define STOP_LOOP_NS		(5 * FS_NSEC_PER_SEC)
#define STOP_TEARDOWN_NS	(60 * FS_NSEC_PER_SEC)
#define STOP_REAP_NS		(5 * FS_NSEC_PER_SEC)
/* Who waits longer is told what for. */
#define STOP_SILENT_NS		(3 * FS_NSEC_PER_SEC)

/* Or never came to it: then the stage's tasks end after their set-up. */
static bool stop_left_loop(void *flight)
{
	struct flight *f = flight;

	return f->child.ended || fs_load_acquire(&f->stage->loop_done) >= fs_group_workers(f) ||
	       fs_load_acquire(&f->stage->times.stopped);
}

static bool stop_verified(void *flight)
{
	struct flight *f = flight;

	return f->child.ended || fs_load_acquire(&f->stage->verified) >= fs_group_workers(f);
}

/* `what` has not been done, with what the kernel says; the first one is the reason. */
static void stop_name(struct flight *f, const char *what, uint32_t pid, uint32_t tid)
{
	char wchan[64], text[sizeof(f->hung_text)];
	const char state = fs_task_state(pid, tid, wchan);

	snprintf(text, sizeof(text), "%s, state %c%s%s", what, state, wchan[0] ? ", wchan " : "",
		 wchan);
	fs_warning("%s: %s", f->stage->plan.key, text);
	if (!f->hung_text[0])
		memcpy(f->hung_text, text, sizeof(text));
}

static void stop_name_worker(struct flight *f, const struct area_slot *slot, unsigned worker,
			     const char *limit)
{
	const uint32_t phase = fs_load(&slot->phase);
	char what[128];

	if (!slot->tid || phase == WORKER_ENDED || phase == WORKER_MEET || phase == WORKER_READY)
		return;
	snprintf(what, sizeof(what), "worker %u (tid %u) has not ended %s: in %s for %.1f s",
		 worker, slot->tid, limit, fs_worker_phase_names[phase],
		 (double)(fs_now_ns() - slot->phase_since) / 1e9);
	stop_name(f, what, slot->pid, slot->tid);
}

/* Say who is where, then end the stage's processes: its results stay in the area. */
static void stop_hung(struct group *g, unsigned i, const char *limit)
{
	struct flight *f = &g->flights[i];
	char what[128];

	for (unsigned w = 0; w < fs_group_workers(f); w++)
		stop_name_worker(f, area_slot(g->area, i, w), w, limit);
	if (!f->hung_text[0]) {
		snprintf(what, sizeof(what), "its process %d has not ended %s", (int)f->child.pid,
			 limit);
		stop_name(f, what, (uint32_t)f->child.pid, (uint32_t)f->child.pid);
	}
	f->hung = true;
	fs_child_kill(&f->child);
}

static void stop_flag(struct group *g, unsigned i)
{
	if (g->session->interrupted || !g->flights[i].have_window)
		fs_area_abandon(g->area, i);
	else
		fs_area_stop(g->area, i);
}

/* A fill or a drain that has begun goes on to its end: verify looks at what it leaves. */
static uint64_t stop_loop_ns(const struct flight *f)
{
	const struct fs_variant *v = f->to->stage->variant;
	const bool refills = (v->fill || v->drain) && !fs_load(&f->stage->abandoned);

	return STOP_LOOP_NS + (refills ? fs_group_bytes_ns(f) : 0);
}

static enum wait_end stop_await_end(struct session *s, struct flight *f, uint64_t limit)
{
	const uint64_t now = fs_now_ns();
	const enum wait_end end = fs_session_wait_deaf(s, fs_child_ended, &f->child,
						       now + STOP_SILENT_NS, 0);

	if (end != WAIT_TIMEOUT)
		return end;
	fs_note("%s: removing its files", f->stage->plan.key);
	return fs_session_wait_deaf(s, fs_child_ended, &f->child, now + limit, 0);
}

static void stop_stage(struct group *g, unsigned i)
{
	struct flight *f = &g->flights[i];
	struct session *s = g->session;
	const uint64_t limit = STOP_TEARDOWN_NS + fs_group_bytes_ns(f);

	if (f->hung && !f->child.ended)
		stop_hung(g, i, "in time");
	else if (fs_session_wait_deaf(s, stop_left_loop, f, fs_now_ns() + stop_loop_ns(f),
				      STOP_TICK_NS) == WAIT_TIMEOUT)
		stop_hung(g, i, "after the stop");
	if (f->have_window && !f->child.killed &&
	    fs_session_wait_deaf(s, stop_verified, f, fs_now_ns() + limit,
				 STOP_TICK_NS) == WAIT_TIMEOUT)
		stop_hung(g, i, "verifying");
	if (!f->child.killed && stop_await_end(s, f, limit) == WAIT_TIMEOUT)
		stop_hung(g, i, "cleaning up");
	if (fs_session_wait_deaf(s, fs_child_ended, &f->child, fs_now_ns() + STOP_REAP_NS,
				 0) == WAIT_TIMEOUT)
		fs_warning("%s: process %d cannot be killed; left behind",
			   f->stage->plan.key, (int)f->child.pid);
}

static void stop_sweep(const struct group *g, const struct flight *f)
{
	const struct area_stage *stage = f->stage;

	if (!stage->workspace[0])
		return;
	if (stage->times.kept)
		fs_note("%s: files kept in %s", stage->plan.key, stage->workspace);
	else
		fs_sweep(g->session, g->area->target, stage->workspace);
}

void fs_group_stop(struct group *g)
{
	for (unsigned i = 0; i < g->n; i++)
		stop_flag(g, i);
	fs_group_go(g);
	for (unsigned i = 0; i < g->n; i++) {
		if (g->flights[i].spawned)
			stop_stage(g, i);
	}
	for (unsigned i = 0; i < g->n; i++)
		stop_sweep(g, &g->flights[i]);
}
