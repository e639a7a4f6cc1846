/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preflight.h - before anything is made, refuse what cannot fit: space, inodes, descriptors, tasks
 */
#ifndef CORE_PREFLIGHT_H
#define CORE_PREFLIGHT_H

#include "core/result.h"
#include "platform/limits.h"

/*
 * Judge n stages that run together (nearly always one). Stages that are not possible here get
 * status skipped with reason and errno: SKIP_UNSUPPORTED (not built, needs root, needs a disk of
 * ours) or SKIP_NEED ("needs X, has Y"). At most 90 % of the free space and inodes are given away.
 * Returns how many were skipped.
 */
unsigned fs_preflight(const struct fs_target *target, const struct fs_limits *limits,
		      struct stage_result *results, unsigned n);

#endif
