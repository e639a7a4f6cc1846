/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace.h - the open loop of --rate and --load: ops start when they are due, not when the last ended
 *
 * Ops of a worker are due 1 / rate apart. None is left out: one that is late starts at once, and
 * its response time counts from when it was due, so that a stall shows in every op it delayed.
 */
#ifndef CORE_PACE_H
#define CORE_PACE_H

#include "core/worker.h"

/*
 * Of a worker or a load; late_ns: where its worst delay in the window goes. A load never spins: the
 * CPU may be the worker's.
 */
void fs_pace_init(struct worker *k, double rate, uint64_t *late_ns);
/* The worker comes on the clock: the schedule begins anew, what is refilled is nobody's delay. */
void fs_pace_begin(struct worker *k, uint64_t now);
/* Wait until the next n ops, which start together, are due, or the stage is stopped. Returns n. */
uint64_t fs_pace_await(struct worker *k, uint64_t n);
/* They have ended. Where response times are not wanted nothing happens. */
void fs_pace_ended(struct worker *k, uint64_t now);

#endif
