/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.h - children that look at, and clean up in, the target for a supervisor that never opens it
 */
#ifndef CORE_SWEEP_H
#define CORE_SWEEP_H

#include "core/session.h"
#include "core/workspace.h"
#include "platform/target.h"

#define SWEEP_LEFTOVERS_MAX 4

struct target_look {			/* in shared memory, filled by the child */
	int32_t rc;			/* 0, or -errno of what `what` says */
	char what[64];
	struct fs_target target;
	struct workspace trial;		/* name "": there is none */
	uint32_t leftovers;		/* work directories whose maker is gone */
	char leftover[SWEEP_LEFTOVERS_MAX][NAME_MAX + 1];
};

/*
 * Facts about the target, leftovers in it and, with try_work, whether a work directory can be made
 * there: by a child with a limit of 10 s, so that a dead mount hangs the child alone. 0; -errno
 * (look->what says at what; -ETIMEDOUT: the mount does not answer). A directory that the child
 * leaves, because it was killed, is swept, or named in a warning when the mount does not answer.
 */
int fs_target_look(struct session *s, const char *path, bool try_work, struct target_look *look);

/* Remove a work directory that its stage could not remove; limit 60 s. Says so when it stays. */
void fs_sweep(struct session *s, const char *target, const char *name);

#endif
