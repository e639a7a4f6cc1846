/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - what the numbers of a stage are worth; pure functions
 */
#ifndef CORE_JUDGE_H
#define CORE_JUDGE_H

#include "core/result.h"

/*
 * Warnings and granularity that follow from the numbers: fewer than 20 ops a worker, duty, window
 * off by > 5 %, ... Turns a passed stage into no-progress (no ops) or failed (tolerated errnos
 * above 1 % of attempts). Called after fs_stats_window(), when pin_lost and rounds of the workers
 * and r->tolerated (of the window) are filled in.
 */
void fs_judge(struct stage_result *r, const struct config *config);

#endif
