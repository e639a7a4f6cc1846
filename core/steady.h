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

/*
 * Shorter series get no verdict. With noise of 4 % (AR(1), 0.6) drift is seen in 60 % of series of
 * 30 slices with a late step of -15 %, in 86 % of those with 50, in 99 % of those with 100.
 */
enum { FS_STEADY_SLICES_MIN = 30 };

enum drift {				/* frozen, with their names */
	DRIFT_NONE,
	DRIFT_LATE_STEP,		/* another level begins in the second half */
	DRIFT_SLOPE,
	DRIFT_NO_STEADY_STATE,		/* the first half is of another kind than the second */
};
extern const char *const fs_drift_names[];	/* "none", "late-step", ... by enum drift */

struct fs_steady {
	enum drift drift;
	bool judged;			/* false: too few slices, and all else is 0 */
	/* The late step that explains most, also where a slope explains more. */
	size_t change_at;		/* slice; 0: there is none */
	double change;			/* -0.15: of the other slices, or of 1 % of the mean */
	/* Straight line through the series: % of the mean per minute, 95 % interval. */
	double slope, slope_low, slope_high;
};

/*
 * A late step or a slope is there if p is below 0.001 against the noise of batch means; the one
 * that explains more is the verdict if it matters: if the mean is 1 % or more off the level without
 * it. A step in the first half is a matter of the warm-up, and drift only where it passes for a
 * slope. step_s > 0: the time from slice to slice.
 */
void fs_steady(const double *rates, size_t n, double step_s, struct fs_steady *out);

struct fs_mser {
	size_t cut;			/* slices to leave out for the least error of the mean */
	bool border;			/* about n / 2, the last one tried: no steady state */
};

/* The best start of a series that begins with its warm-up; a few slices of noise are normal. */
struct fs_mser fs_mser(const double *rates, size_t n);
/*
 * Whether the first `warmup` of n slices were too few: the best start lies in the window behind
 * them, and what is before it in the window is another level by the rule of fs_steady(). false
 * where there is no steady state, or the window is too short to be judged.
 */
bool fs_warmup_short(const double *rates, size_t warmup, size_t n);

#endif
