/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - disturbance on purpose: another stressor's op beside each worker, on the worker's file
 *
 * A load runs open loop: op i is due at start + i / rate, and one that is late starts at once.
 * Loads of all workers are spread over one period. Each is a task like a helper. It makes no file
 * of its own where its worker has one, and never refills; its ops are not the stage's.
 */
#ifndef CORE_LOAD_H
#define CORE_LOAD_H

#include "core/plan.h"
#include "core/result.h"
#include "core/snapshot.h"
#include "core/worker.h"

/*
 * The loads of a planned stage, whose variant, state and share are known: those that its stressor
 * asks for, then --load's. A load has the options of its stressor that were given, and those of the
 * stage where it is the same stressor's. -EINVAL after one line.
 */
int fs_load_plan(const struct config *c, struct stage *s);

const struct fs_stressor *fs_load_stressor(const struct area_load *load);

/* Make a helper its worker's load i. */
void fs_load_init(struct worker *k, unsigned i);
/* A load's task, from its setup to its teardown: 0 or -errno. */
int fs_load_task(struct worker *k);

/* What the loads of a stage did in the window, with a warning for one that missed its rate. */
void fs_load_collect(struct stage_result *r, struct area *a, unsigned stage,
		     const struct snapshot *start, const struct snapshot *end);

#endif
