/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand.h - from one selected key to its stages: options, sweeps, worker counts
 */
#ifndef CORE_EXPAND_H
#define CORE_EXPAND_H

#include "core/plan.h"
#include "core/select.h"

/*
 * Append the stages of one selected key to the plan. topo: what the configuration allows.
 * -EINVAL or -ENODEV after one line; -ENOMEM.
 */
int fs_expand(const struct config *c, const struct fs_topology *topo,
	      const struct selection *selection, const struct selected *from, struct plan *plan);

/* Append a note to a NULL-ended list of `room` entries; dropped when it is full. */
void fs_plan_note(char **notes, unsigned room, const char *fmt, ...) FS_PRINTF(3, 4);

#endif
