/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - what is said while a window is open: a live line on a terminal, lines for scripts
 *
 * Only counters are read, without the workers' help, and nothing is done where nobody looks.
 */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include "core/group.h"

#define PROGRESS_SPARKS 24		/* rates beside each other on the live line */
#define FS_PROGRESS_LINE	1024	/* bytes: numbers of any size fit */

struct progress {
	struct group *group;
	uint64_t step_ns, due_ns;	/* between two looks; the next one. 0: nobody looks */
	bool live;			/* on a terminal; of the first stage of a group */
	struct snapshot *pairs;		/* [2 * group->n]: by turns, this look and the last one */
	unsigned looks;
	double sum, squares;		/* of the rates so far */
	double sparks[PROGRESS_SPARKS];
};

/* The window of a group has opened. */
void fs_progress_begin(struct progress *p, struct group *g);
/* When to look next, at most `end`. */
uint64_t fs_progress_until(const struct progress *p, uint64_t end);
/* Does nothing when it is too early by more than half a step. */
void fs_progress_look(struct progress *p);
/* The window is over: the last look, then the live line goes. */
void fs_progress_end(struct progress *p);

/*
 * The live line: "KEY  3.2 of 10 s  436744 ops/s ±0.8%  ▂▃▅". utf8 false: the same in ASCII.
 * Returns text.
 */
char *fs_progress_line(const struct progress *p, const char *key, double at_s, double of_s,
		       bool utf8, char text[FS_PROGRESS_LINE]);

#endif
