/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h - what the ops of a stage cost the filesystem: its own counters, its log, the regime
 */
#ifndef CORE_COST_H
#define CORE_COST_H

#include "core/result.h"
#include "platform/fs_counters.h"

/*
 * Fill in r->mount_counts, log_bytes, log_turnover and regime, with a warning where the log became
 * full in the window. target NULL: nothing is known of it. Called after fs_stats_window(), with
 * r->device_io filled in.
 */
void fs_cost(struct stage_result *r, const struct fs_target *target,
	     const struct fs_mount_counters *start, const struct fs_mount_counters *end);

#endif
