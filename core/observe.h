/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.h - everything by which others look at a run: perf, the trace buffer, monitors, snapshots
 *
 * What goes wrong with them on the way is a warning: the stage was measured all the same.
 */
#ifndef CORE_OBSERVE_H
#define CORE_OBSERVE_H

#include "core/session.h"

struct group;

/*
 * Before anything is made: open and check all that is asked for, into s->tracing. 0, or the exit
 * status after one line on stderr. Closed in any case.
 */
int fs_observe_open(struct session *s);
void fs_observe_close(struct session *s);

/*
 * Before the release: monitors start. Where no warm-up follows, they get a moment to come up, and
 * the others are told now that the window begins, not when the ops are under way.
 */
void fs_observe_start(struct group *g, uint64_t warmup_ns);
/* Just before the window opens, after a warm-up. */
void fs_observe_begin(struct group *g);
/* Just after it has ended, or where there was none: everybody is told, monitors to end. */
void fs_observe_stop(struct group *g);
/* After the stages: wait for the monitors, write the snapshots, warn of what went wrong. */
void fs_observe_end(struct group *g);

#endif
