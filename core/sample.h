/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - from the records that a stage's workers left to the series of its result
 */
#ifndef CORE_SAMPLE_H
#define CORE_SAMPLE_H

#include "core/area.h"
#include "core/result.h"
#include "core/stats.h"

#define FS_SLICE_ROWS_MAX 1024		/* kept of a stage, all its workers together */

/*
 * Fill in r->series and what is read off it, and the workers' slices and waits. After
 * fs_stats_window(), when no worker of the stage writes records any more. Without records (--ops),
 * or without memory, everything stays unknown.
 */
void fs_sample(struct stage_result *r, struct area *a, unsigned stage,
	       const struct snapshot *start, const struct snapshot *end);

#endif
