// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/steady.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/interval.h"
#include "core/student.h"

enum {
	STEADY_BATCH = 5,		/* slices */
	STEADY_BATCHES_MAX = FS_SLICES_MAX / STEADY_BATCH,
	STEADY_SEGMENT_MIN = 5,		/* batches: shorter is a stall, not a level */
};

#define STEADY_MEAN_CHANGE 0.01		/* what matters: the least that runs are compared for */
#define STEADY_LEVEL_CHANGE (2 * STEADY_MEAN_CHANGE)	/* in half the series, or along it */
#define STEADY_SLOPE_P 0.001

const char *const fs_drift_names[] = { "none", "late-step", "slope", "no-steady-state" };

/*
 * MSER: the d that makes sum_(i >= d) (b_i - mean_d)^2 / (k - d)^2 least (White, "An effective
 * truncation heuristic for bias reduction in simulation output", Simulation 69(6), 1997), with
 * means of five for b (MSER-5: White, Cobb and Spratt, Winter Simulation Conference 2000). Sums run
 * from the end (Welford, Technometrics 4(3), 1962); of equals the first d wins.
 */
struct fs_mser fs_mser(const double *rates, size_t n)
{
	const size_t k = n / STEADY_BATCH;
	double mean = 0, squares = 0, least = INFINITY;
	size_t best = 0;

	for (size_t d = k; d-- > 0;) {
		const double count = (double)(k - d),
			     batch = fs_mean(rates + d * STEADY_BATCH, STEADY_BATCH),
			     delta = batch - mean;

		mean += delta / count;
		squares += delta * (batch - mean);
		if (d <= k / 2 && squares / (count * count) <= least) {
			least = squares / (count * count);
			best = d;
		}
	}
	return (struct fs_mser){ .cut = best * STEADY_BATCH, .border = best && best == k / 2 };
}

/* Whether leaving out the first `cut` slices moves the mean of all by a share that matters. */
static bool steady_moves(const double *rates, size_t n, size_t cut)
{
	const double mean = fs_mean(rates, n);

	return fabs(fs_mean(rates + cut, n - cut) - mean) >= STEADY_MEAN_CHANGE * mean && mean > 0;
}

bool fs_warmup_short(const double *rates, size_t warmup, size_t n)
{
	const struct fs_mser start = fs_mser(rates, n);

	return start.cut > warmup && !start.border &&
	       steady_moves(rates + warmup, n - warmup, start.cut - warmup);
}

/* A straight line through y[0 .. k) at 0, 1, 2 ... */
struct steady_line {
	double slope, se;		/* per step; its standard error */
	double explained;		/* sum of squares */
};

/*
 * Ordinary least squares: slope = Sxy / Sxx, se^2 = (Syy - slope * Sxy) / ((k - 2) * Sxx) (Draper
 * and Smith, "Applied Regression Analysis", 3rd ed., 1998, section 1.4).
 */
static struct steady_line steady_line(const double *y, size_t k)
{
	const double mean = fs_mean(y, k), middle = (double)(k - 1) / 2;
	double sxx = 0, sxy = 0, syy = 0, slope;

	for (size_t i = 0; i < k; i++) {
		const double x = (double)i - middle;

		sxx += x * x;
		sxy += x * (y[i] - mean);
		syy += (y[i] - mean) * (y[i] - mean);
	}
	slope = sxy / sxx;
	return (struct steady_line){
		.slope = slope, .explained = slope * sxy,
		.se = sqrt(fmax(syy - slope * sxy, 0) / (double)(k - 2) / sxx),
	};
}

/* The batch medians of a series, and where they change their level. */
struct steady_levels {
	double medians[STEADY_BATCHES_MAX];
	size_t k;
	double penalty;			/* what a further change must explain */
	bool change[STEADY_BATCHES_MAX];	/* a level begins here */
};

static double steady_median(double *x, size_t n)
{
	fs_sort(x, n);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/*
 * Noise of the medians: 1.15 * MAD of first differences, which a change of level hardly touches;
 * 1.05 would be right for independent normal ones, sqrt(1/2) / 0.6745, and neighbours are alike
 * here. Where most do not differ at all, the root of half their mean square (von Neumann and
 * others, Annals of Mathematical Statistics 12(2), 1941).
 */
static double steady_noise(const double *y, size_t k)
{
	double steps[STEADY_BATCHES_MAX], squares = 0, middle, mad;
	const size_t n = k - 1;

	for (size_t i = 0; i < n; i++) {
		steps[i] = y[i + 1] - y[i];
		squares += steps[i] * steps[i];
	}
	middle = steady_median(steps, n);
	for (size_t i = 0; i < n; i++)
		steps[i] = fabs(steps[i] - middle);
	mad = steady_median(steps, n);
	return mad > 0 ? 1.15 * mad : sqrt(squares / (double)(2 * n));
}

/* What two levels in [from, to), the second from `at` on, explain of the sum of squares. */
static double steady_explained(const double *y, size_t from, size_t at, size_t to)
{
	const double before = (double)(at - from), after = (double)(to - at),
		     step = fs_mean(y + at, to - at) - fs_mean(y + from, at - from);

	return before * after / (before + after) * step * step;
}

/*
 * Binary segmentation: split at the best place while that explains more than the penalty (Scott
 * and Knott, Biometrics 30(3), 1974; the penalty per change of the kind in Killick and others,
 * JASA 107(500), 2012).
 */
static void steady_split(struct steady_levels *l, size_t from, size_t to)
{
	double most = l->penalty;
	size_t best = 0;

	for (size_t at = from + STEADY_SEGMENT_MIN; at + STEADY_SEGMENT_MIN <= to; at++) {
		const double explained = steady_explained(l->medians, from, at, to);

		if (explained > most) {
			most = explained;
			best = at;
		}
	}
	if (!best)
		return;
	l->change[best] = true;
	steady_split(l, from, best);
	steady_split(l, best, to);
}

static void steady_levels(struct steady_levels *l, const double *rates, size_t n)
{
	double noise;

	*l = (struct steady_levels){ .k = n / STEADY_BATCH };
	for (size_t i = 0; i < l->k; i++) {
		double batch[STEADY_BATCH];

		memcpy(batch, rates + i * STEADY_BATCH, sizeof(batch));
		l->medians[i] = steady_median(batch, STEADY_BATCH);
	}
	noise = steady_noise(l->medians, l->k);
	l->penalty = 5 * log((double)l->k) * noise * noise;
	steady_split(l, 0, l->k);
}

/* The end of the level that begins at `from`. */
static size_t steady_level_end(const struct steady_levels *l, size_t from)
{
	size_t to = from + 1;

	while (to < l->k && !l->change[to])
		to++;
	return to;
}

/* The largest change of level from n / 2 on. */
static void steady_late_change(const struct steady_levels *l, struct fs_steady *out)
{
	size_t from = 0, at = steady_level_end(l, 0);

	while (at < l->k) {
		const size_t to = steady_level_end(l, at);
		const double before = fs_mean(l->medians + from, at - from),
			     after = fs_mean(l->medians + at, to - at),
			     change = before > 0 ? after / before - 1 : 1;

		if (2 * at >= l->k && fabs(change) > fabs(out->change)) {
			out->change = change;
			out->change_at = at * STEADY_BATCH;
		}
		from = at;
		at = to;
	}
}

/*
 * The line through batch means, long enough to be near independent (as for the interval of a mean,
 * interval.h), so that the usual t interval with k - 2 degrees of freedom holds. Returns whether it is
 * a slope and not noise.
 */
static bool steady_slope(const double *rates, size_t n, double step_s, struct fs_steady *out)
{
	double means[FS_SLICES_MAX];
	const unsigned k = fs_batches(n);
	const double mean = fs_mean(rates, n),
		     to_percent_per_min = 100 / mean * 60 / (step_s * (double)n / k);
	struct steady_line line;
	double half;

	fs_batch_means(rates, n, means, k);
	line = steady_line(means, k);
	half = fs_t_quantile(0.05, k - 2) * line.se;
	out->slope = line.slope * to_percent_per_min;
	out->slope_low = (line.slope - half) * to_percent_per_min;
	out->slope_high = (line.slope + half) * to_percent_per_min;
	return fabs(line.slope) * k >= STEADY_LEVEL_CHANGE * mean &&
	       fabs(line.slope) > fs_t_quantile(STEADY_SLOPE_P, k - 2) * line.se;
}

void fs_steady(const double *rates, size_t n, double step_s, struct fs_steady *out)
{
	struct steady_levels levels;
	struct fs_mser start;
	bool step, slope;

	assert(n <= FS_SLICES_MAX);
	*out = (struct fs_steady){ .judged = n >= FS_STEADY_SLICES_MIN };
	if (!out->judged || !(fs_mean(rates, n) > 0))
		return;
	assert(step_s > 0);
	slope = steady_slope(rates, n, step_s, out);
	steady_levels(&levels, rates, n);
	steady_late_change(&levels, out);
	step = fabs(out->change) >= STEADY_LEVEL_CHANGE;
	if (step && slope)
		slope = steady_line(levels.medians, levels.k).explained >
			steady_explained(levels.medians, 0, out->change_at / STEADY_BATCH, levels.k);
	start = fs_mser(rates, n);
	if (slope)
		out->drift = DRIFT_SLOPE;
	else if (step)
		out->drift = DRIFT_LATE_STEP;
	else if (start.border && steady_moves(rates, n, start.cut))
		out->drift = DRIFT_NO_STEADY_STATE;
}
