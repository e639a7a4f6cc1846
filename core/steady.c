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
	STEADY_BORDER_MIN = 150,	/* slices: below, noise alone puts MSER at its border */
};

#define STEADY_MEAN_CHANGE 0.01		/* what matters: the least that runs are compared for */
#define STEADY_P 0.001			/* several courses are tried on each series */

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

/* A course that the level may have taken, fitted to a series. */
struct steady_fit {
	double base;			/* level where the course is 0 */
	double size, se;		/* of the course, with standard error */
	double explained;		/* sum of squares; 0: noise explains it as well */
	bool matters;			/* the mean is far enough from base */
};

/*
 * Least squares of rates = base + size * course on batch means, which are long enough to be near
 * independent (interval.h): size = Sxy / Sxx, se^2 = (Syy - size * Sxy) / ((k - 2) * Sxx), and
 * size / se is t with k - 2 degrees of freedom where nothing but noise is (Draper and Smith,
 * "Applied Regression Analysis", 3rd ed., 1998, sections 1.2 to 1.4).
 */
static struct steady_fit steady_fit(const double *rates, const double *course, size_t n)
{
	const unsigned k = fs_batches(n);
	double x[FS_BATCHES_MAX], y[FS_BATCHES_MAX], mean_x, mean_y, sxx = 0, sxy = 0, syy = 0;
	struct steady_fit fit;

	fs_batch_means(course, n, x, k);
	fs_batch_means(rates, n, y, k);
	mean_x = fs_mean(x, k);
	mean_y = fs_mean(y, k);
	for (unsigned i = 0; i < k; i++) {
		sxx += (x[i] - mean_x) * (x[i] - mean_x);
		sxy += (x[i] - mean_x) * (y[i] - mean_y);
		syy += (y[i] - mean_y) * (y[i] - mean_y);
	}
	fit.size = sxy / sxx;
	fit.base = mean_y - fit.size * mean_x;
	fit.se = sqrt(fmax(syy - fit.size * sxy, 0) / (k - 2) / sxx);
	fit.explained = fit.size != 0 && fs_t_p(fit.size / fit.se, k - 2) < STEADY_P ?
				fit.size * sxy : 0;
	fit.matters = fabs(mean_y - fit.base) >= STEADY_MEAN_CHANGE * mean_y;
	return fit;
}

/* Another level in [from, to). */
static struct steady_fit steady_level(const double *rates, size_t n, size_t from, size_t to)
{
	double course[FS_SLICES_MAX];

	for (size_t i = 0; i < n; i++)
		course[i] = i >= from && i < to;
	return steady_fit(rates, course, n);
}

static bool steady_drifts(struct steady_fit fit)
{
	return fit.matters && fit.explained > 0;
}

bool fs_warmup_short(const double *rates, size_t warmup, size_t n)
{
	const struct fs_mser start = fs_mser(rates, n);

	return start.cut > warmup && !start.border && n - warmup >= FS_STEADY_SLICES_MIN &&
	       steady_drifts(steady_level(rates + warmup, n - warmup, 0, start.cut - warmup));
}

/* The batch medians of a series, and where they change their level. */
struct steady_levels {
	double medians[STEADY_BATCHES_MAX];
	size_t k, shortest;		/* medians; in a level: a batch of the fit, at least one */
	double penalty;			/* what a further change must explain */
	bool begins[STEADY_BATCHES_MAX];	/* here a level other than the first */
};

static double steady_median(double *x, size_t n)
{
	fs_sort(x, n);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/*
 * Noise of the medians: 1.15 * MAD of first differences, which a change of level hardly touches.
 * sqrt(1/2) / 0.6745 = 1.05 is right for independent normal ones; neighbours here are alike. Where
 * most do not differ at all: the root of half their mean square (von Neumann and others, Annals of
 * Mathematical Statistics 12(2), 1941).
 */
static double steady_noise(const double *y, size_t k)
{
	double steps[STEADY_BATCHES_MAX], squares = 0, mad;
	const size_t n = k - 1;

	for (size_t i = 0; i < n; i++) {
		steps[i] = fabs(y[i + 1] - y[i]);
		squares += steps[i] * steps[i];
	}
	mad = steady_median(steps, n);
	return mad > 0 ? 1.15 * mad : sqrt(squares / (double)(2 * n));
}

/* What a second level from `at` on explains of the sum of squares of y[from .. to). */
static double steady_explained(const double *y, size_t from, size_t at, size_t to)
{
	const double before = (double)(at - from), after = (double)(to - at),
		     step = fs_mean(y + at, to - at) - fs_mean(y + from, at - from);

	return before * after / (before + after) * step * step;
}

/*
 * Binary segmentation (Scott and Knott, Biometrics 30(3), 1974): split at the best place, then both
 * parts, while that explains more than the penalty.
 */
static void steady_split(struct steady_levels *l, size_t from, size_t to)
{
	double most = l->penalty;
	size_t best = 0;

	for (size_t at = from + l->shortest; at + l->shortest <= to; at++) {
		const double explained = steady_explained(l->medians, from, at, to);

		if (explained > most) {
			most = explained;
			best = at;
		}
	}
	if (!best)
		return;
	l->begins[best] = true;
	steady_split(l, from, best);
	steady_split(l, best, to);
}

static void steady_levels(struct steady_levels *l, const double *rates, size_t n)
{
	const size_t shortest = n / fs_batches(n) / STEADY_BATCH;
	double noise;

	*l = (struct steady_levels){ .k = n / STEADY_BATCH, .shortest = shortest ? shortest : 1 };
	for (size_t i = 0; i < l->k; i++) {
		double batch[STEADY_BATCH];

		memcpy(batch, rates + i * STEADY_BATCH, sizeof(batch));
		l->medians[i] = steady_median(batch, STEADY_BATCH);
	}
	noise = steady_noise(l->medians, l->k);
	l->penalty = 5 * log((double)l->k) * noise * noise;
	steady_split(l, 0, l->k);
}

/* Of the levels that begin at n / 2 or later, the one that explains most. */
static struct steady_fit steady_late_step(const double *rates, size_t n, struct fs_steady *out)
{
	const double least = STEADY_MEAN_CHANGE * fs_mean(rates, n);
	struct steady_fit best = { .explained = 0 };
	struct steady_levels l;
	size_t end = n;

	steady_levels(&l, rates, n);
	for (size_t at = l.k - 1; 2 * at >= l.k; at--) {
		struct steady_fit fit;

		if (!l.begins[at])
			continue;
		fit = steady_level(rates, n, at * STEADY_BATCH, end);
		end = at * STEADY_BATCH;
		if (fit.explained > best.explained) {
			best = fit;
			out->change_at = end;
			out->change = fit.size / fmax(fit.base, least);
		}
	}
	return best;
}

static struct steady_fit steady_line(const double *rates, size_t n, double step_s,
				     struct fs_steady *out)
{
	const double unit = fs_mean(rates, n) / 100 * step_s * (double)n / 60,
		     t = fs_t_quantile(0.05, fs_batches(n) - 2);
	double course[FS_SLICES_MAX];
	struct steady_fit fit;

	for (size_t i = 0; i < n; i++)
		course[i] = ((double)i + 0.5) / (double)n;
	fit = steady_fit(rates, course, n);
	out->slope = fit.size / unit;
	out->slope_low = (fit.size - t * fit.se) / unit;
	out->slope_high = (fit.size + t * fit.se) / unit;
	return fit;
}

/* Whether MSER is at its border and the mean is not that of the second half. */
static bool steady_first_half(const double *rates, size_t n)
{
	const struct fs_mser start = fs_mser(rates, n);
	const double mean = fs_mean(rates, n);

	return n >= STEADY_BORDER_MIN && start.border &&
	       fabs(fs_mean(rates + start.cut, n - start.cut) - mean) >= STEADY_MEAN_CHANGE * mean;
}

void fs_steady(const double *rates, size_t n, double step_s, struct fs_steady *out)
{
	struct steady_fit line, step;
	bool slope;

	assert(n <= FS_SLICES_MAX);
	*out = (struct fs_steady){ .judged = n >= FS_STEADY_SLICES_MIN };
	if (!out->judged || fs_mean(rates, n) <= 0)
		return;
	assert(step_s > 0);
	line = steady_line(rates, n, step_s, out);
	step = steady_late_step(rates, n, out);
	slope = line.explained > step.explained;
	if (steady_drifts(slope ? line : step))
		out->drift = slope ? DRIFT_SLOPE : DRIFT_LATE_STEP;
	else if (steady_first_half(rates, n))
		out->drift = DRIFT_NO_STEADY_STATE;
}
