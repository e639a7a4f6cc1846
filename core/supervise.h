/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.h - run a group of stages that share a gate and a window, and bring home what they did
 */
#ifndef CORE_SUPERVISE_H
#define CORE_SUPERVISE_H

#include "core/result.h"
#include "core/session.h"

struct group_stage {
	const struct stage *stage;
	struct stage_result *result;	/* filled; its status is decided here */
	enum reference reference;
};

/*
 * Measure n stages (one, or those that run together): prepare them in turn, release them at one
 * time, warm up, open and close the window, stop, reap, sweep. Always ends in bounded time and
 * leaves a status in each result; stages that were not started because of a signal are skipped.
 * target: as the children should open it.
 */
void fs_supervise(struct session *s, const char *target, const struct fs_target *facts,
		  struct group_stage *stages, unsigned n);

/*
 * The one-op trial of a stage: set-up, fill, one op (or one whole batch of a mix), drain, teardown,
 * with one worker and a small state. 0 when it works here; 1 with the result filled (skipped for a
 * declared unsupported errno, failed otherwise).
 */
int fs_supervise_probe(struct session *s, const char *target, const struct stage *stage,
		       struct stage_result *result);

#endif
