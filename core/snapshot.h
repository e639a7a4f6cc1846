/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - reading the counters of all workers at one end of the window, without their help
 */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include "core/area.h"
#include "core/stats.h"

/* Room for n workers; 0 or -ENOMEM. */
int fs_snapshot_alloc(struct snapshot *s, unsigned workers);
void fs_snapshot_free(struct snapshot *s);
/* Read stage i's slots now, stamping CLOCK_MONOTONIC around the read. */
void fs_snapshot_take(struct snapshot *s, struct area *a, unsigned stage);
/* The ends of a run of --ops: nothing counted at the release, everything at the last one's end. */
void fs_snapshot_release(struct snapshot *s, struct area *a, unsigned stage);
void fs_snapshot_last_end(struct snapshot *s, struct area *a, unsigned stage);

#endif
