// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two ends of the window: counters of all workers, tolerated errnos, filesystem, device and
 * machine, read without the workers' help.
 */
#include "core/group.h"

static void window_read_device(const struct group *g, struct flight *f, uint64_t stat[17])
{
	unsigned n = 0;

	if (!g->facts ||
	    fs_device_stat(g->facts->device_major, g->facts->device_minor, stat, &n) < 0)
		n = 0;
	f->device_fields = n < f->device_fields ? n : f->device_fields;
}

/* Keep what was tallied so far; at the end of the window, what was added. */
static void window_tally(struct flight *f, bool end)
{
	for (unsigned i = 0; i < AREA_ERRNOS_MAX; i++) {
		struct area_errno *e = &f->tolerated[i];
		const uint64_t count = fs_load(&f->stage->tolerated[i].count);

		e->err = fs_load(&f->stage->tolerated[i].err);
		e->count = end ? count - e->count : count;
	}
}

void fs_group_window_start(struct group *g)
{
	fs_store_release(&g->area->gate.phase, AREA_MEASURE);
	fs_mount_counters_read(g->facts, &g->mount_start);
	fs_pressure_read(&g->pressure_files, &g->pressure_start);
	for (unsigned i = 0; i < g->n; i++) {
		struct flight *f = &g->flights[i];

		f->device_fields = FS_ARRAY_SIZE(f->device_start);
		window_read_device(g, f, f->device_start);
		window_tally(f, false);
		if (f->to->stage->ops || g->probing)
			fs_snapshot_release(&f->start, g->area, i);
		else
			fs_snapshot_take(&f->start, g->area, i);
	}
	g->window_start_ns = g->flights[0].start.after_ns;
}

void fs_group_window_end(struct group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct flight *f = &g->flights[i];

		if (f->to->stage->ops || g->probing)
			fs_snapshot_last_end(&f->end, g->area, i);
		else
			fs_snapshot_take(&f->end, g->area, i);
		f->have_window = true;
		window_tally(f, true);
		window_read_device(g, f, f->device_end);
	}
	fs_mount_counters_read(g->facts, &g->mount_end);
	fs_pressure_read(&g->pressure_files, &g->pressure_end);
	fs_store_release(&g->area->gate.phase, AREA_STOP);
}
