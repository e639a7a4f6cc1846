/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - the verbs run, plan and probe: from a configuration to an exit status
 */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "core/result.h"
#include "core/session.h"

/* Measure (or, for plan and --plan, only plan), report, and return the exit status. */
int fs_run(const struct config *config);
/*
 * Try one op of every variant, or of those selected, on each target; print what works. Exit status:
 * 0 some do, 4 none, 3 no target.
 */
int fs_probe(const struct config *config);

/* --- shared by the two: run_place.c ----------------------------------------------------------- */

struct place {				/* a target directory, or a disk that we made */
	const char *target;		/* as children open it */
	const char *disk, *fs;		/* NULL: a directory of the user's */
};

/*
 * Make the disk, look at the target, and refuse what cannot be measured on: into run->target and
 * warnings. 0, or the exit status after one line on stderr. Unless run->dry a work directory is
 * made and removed on trial; a dry run makes no disk either.
 */
int fs_place_open(struct session *s, struct place *place, struct run_result *run);
void fs_place_close(struct session *s);
/* A fresh filesystem for the next stage (--fresh stage); exit status as above. */
int fs_place_renew(struct session *s, struct place *place, struct run_result *run);

/* The topology, and the plan on it: 0 or the exit status after one line. */
int fs_run_plan(const struct config *config, struct fs_topology *topology, struct plan *plan);

#endif
