/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing.h - tell perf, and the kernel's trace buffer, when ops are timed
 *
 * perf is told by its own control protocol to record and to pause, so that a profile holds what was
 * timed: the window; of a stage that goes in rounds, the timed parts of the rounds that begin in
 * the window. The trace buffer gets a line at each of these moments and at every round.
 *
 * One speaks to perf at a time: the supervisor at the ends of the window, between them one of the
 * stage's workers, at a meeting where all others wait for it. area.tracing.turn decides.
 */
#ifndef CORE_TRACING_H
#define CORE_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/control.h"

struct config;
struct area;
struct area_stage;
struct worker;

struct tracing {			/* of the run; descriptors -1: not wanted */
	struct fs_control perf;
	int marker;
};

/*
 * Open what is asked for, and see that perf answers. 0, or -errno after one line on stderr. All
 * descriptors are close-on-exec. Closing is allowed in any case after it.
 */
int fs_tracing_open(const struct config *c, struct tracing *t);
void fs_tracing_close(struct tracing *t);

/* The supervisor: let the workers of an area have it. */
void fs_tracing_lend(const struct tracing *t, struct area *a);
/* A stage process before exec: keep what was lent. */
void fs_tracing_keep(const struct area *a);

/*
 * The supervisor, at the ends of the window: perf records, or the workers may tell it to (rounds);
 * perf pauses. 0, or -errno the first time that perf does not do as it is told.
 */
int fs_tracing_begin(const struct tracing *t, struct area *a, bool rounds);
int fs_tracing_end(const struct tracing *t, struct area *a);
/* "fsstress KEY WHAT" in the trace buffer. 0 or -errno: -EBADF when tracing is off. */
int fs_tracing_mark(const struct tracing *t, const char *key, const char *what);
/* What to say of -errno. */
const char *fs_tracing_perf_error(int rc);

/* Whether the workers have something to tell at each round: then they meet once more for it. */
bool fs_tracing_rounds(const struct area *a);
/* Every worker at a meeting, before the next one: the first to come does it for all. */
void fs_tracing_round(struct worker *k, uint64_t round, bool begins);

#endif
