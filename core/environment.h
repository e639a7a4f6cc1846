/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * environment.h - what the machine was like: what happened beside the window, and what of it
 * endangers the number
 */
#ifndef CORE_ENVIRONMENT_H
#define CORE_ENVIRONMENT_H

#include "core/result.h"
#include "platform/pressure.h"

/* From the two ends of the window to r->machine_busy_s and r->environment. */
void fs_environment_window(struct stage_result *r, const struct fs_pressure *start,
			   const struct fs_pressure *end);

/* Warnings of a stage that passed: stolen time, want of memory, background work on the target. */
void fs_environment_judge(struct stage_result *r);

/* Warnings of the run, from run->host: what was so before and will be so after. */
void fs_environment_warn(struct run_result *run);

/*
 * Notes about the machine, once. The governor is not worth a warning: hardly any machine comes with
 * the one that would be without, and --strict would be of no use there.
 */
void fs_environment_note(const struct fs_host *h);

#endif
