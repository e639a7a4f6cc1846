/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady.h - did a series of slice rates keep its level? pure functions
 *
 * rates[0 .. n), n <= FS_SLICES_MAX (interval.h), equally spaced in time, finite and not negative.
 * What they find is said, never cut away: a start that depends on noise would give two runs
 * different states.
 */
#ifndef CORE_STEADY_H
#define CORE_STEADY_H

#include <stdbool.h>
#include <stddef.h>

enum { FS_STEADY_SLICES_MIN = 50 };	/* shorter series get no verdict */

enum drift {				/* frozen, with their names */
	DRIFT_NONE,
	DRIFT_LATE_STEP,		/* another level from some point of the second half on */
	DRIFT_SLOPE,
	DRIFT_NO_STEADY_STATE,		/* the best start lies at the middle, if not behind it */
};
extern const char *const fs_drift_names[];	/* "none", "late-step", ... by enum drift */

struct fs_steady {
	enum drift drift;
	bool judged;			/* false: too few slices, and all else is 0 */
	/* The largest change of level in the second half, also when it is not the verdict. */
	size_t change_at;		/* slice; 0: no change */
	double change;			/* of the level before it: -0.15; 1 after a level of 0 */
	/* Straight line through the series: % of the mean per minute, 95 % interval. */
	double slope, slope_low, slope_high;
};

/*
 * Drift is what moves the mean by 1 % or more, a step or a line of 2 %, and is not noise. Where
 * both fit, the better one is the verdict. A step in the first half is a matter of the warm-up: it
 * is drift only if it passes for a slope.
 */
void fs_steady(const double *rates, size_t n, double step_s, struct fs_steady *out);

struct fs_mser {
	size_t cut;			/* slices to leave out for the least error of the mean */
	bool border;			/* at n / 2, the last one tried: there is no steady state */
};

/* The best start of a series that begins with its warm-up; a few slices of noise are normal. */
struct fs_mser fs_mser(const double *rates, size_t n);
/*
 * Whether the first `warmup` of n slices were too few: the best start lies in the window behind
 * them, and the mean from there differs by 1 % or more from that of the window. false where there
 * is no steady state.
 */
bool fs_warmup_short(const double *rates, size_t warmup, size_t n);

#endif
