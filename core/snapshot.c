// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/snapshot.h"

#include <stdlib.h>
#include <string.h>

int fs_snapshot_alloc(struct snapshot *s, unsigned workers)
{
	*s = (struct snapshot){ .workers = calloc(workers, sizeof(*s->workers)) };
	return s->workers ? 0 : -ENOMEM;
}

void fs_snapshot_free(struct snapshot *s)
{
	free(s->workers);
	s->workers = NULL;
}

/* A worker stores its work and its count one after the other: read again when it has moved on. */
static void snapshot_worker(struct snapshot_worker *w, struct area_slot *slot, unsigned loads)
{
	for (int tries = 0; tries < 100; tries++) {
		w->ops = fs_load_acquire(&slot->ops);
		w->work = fs_load_acquire(&slot->work);
		if (w->ops == fs_load_acquire(&slot->ops))
			break;
	}
	w->off = fs_load(&slot->off);
	for (unsigned i = 0; i < FS_COUNTERS_MAX; i++)
		w->counters[i] = fs_load(&slot->counters[i]);
	for (unsigned i = 0; i < FS_KINDS_MAX; i++) {
		w->kinds[i].ops = fs_load(&slot->kinds[i].ops);
		w->kinds[i].timed = fs_load(&slot->kinds[i].timed);
		w->kinds[i].timed_ns = fs_load(&slot->kinds[i].timed_ns);
	}
	for (unsigned i = 0; i < loads; i++)
		w->load_ops[i] = fs_load(&slot->load[i].ops);
}

void fs_snapshot_take(struct snapshot *s, struct area *a, unsigned stage)
{
	const struct area_plan *plan = &area_stage(a, stage)->plan;

	s->realtime_ns = fs_realtime_ns();
	s->before_ns = fs_now_ns();
	for (unsigned i = 0; i < plan->workers; i++)
		snapshot_worker(&s->workers[i], area_slot(a, stage, i), plan->loads);
	s->after_ns = fs_now_ns();
}

/* Realtime of a moment, by its distance from now on the clock that is never stepped. */
static uint64_t snapshot_realtime_at(uint64_t at_ns)
{
	return fs_realtime_ns() - (fs_now_ns() - at_ns);
}

void fs_snapshot_release(struct snapshot *s, struct area *a, unsigned stage)
{
	const uint64_t start = a->gate.start_ns;
	const unsigned n = area_stage(a, stage)->plan.workers;

	memset(s->workers, 0, n * sizeof(*s->workers));
	for (unsigned i = 0; i < n; i++)
		s->workers[i].off = fs_load(&area_slot(a, stage, i)->off);
	s->before_ns = s->after_ns = start;
	s->realtime_ns = snapshot_realtime_at(start);
}

void fs_snapshot_last_end(struct snapshot *s, struct area *a, unsigned stage)
{
	const unsigned n = area_stage(a, stage)->plan.workers;
	uint64_t last = 0;

	fs_snapshot_take(s, a, stage);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t end = fs_load_acquire(&area_slot(a, stage, i)->end_ns);

		if (!end)
			return;		/* somebody did not get there: the snapshot of now stands */
		last = end > last ? end : last;
	}
	s->before_ns = s->after_ns = last;
	s->realtime_ns = snapshot_realtime_at(last);
}
