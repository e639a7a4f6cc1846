// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/interval.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/student.h"

/*
 * 10 to 30 batches lose little whatever the series (Schmeiser, "Batch size effects in the analysis
 * of simulation output", Operations Research 30(3), 1982); fewer where they would be short.
 */
enum {
	INTERVAL_BATCHES_SHORT = 10,
	INTERVAL_BATCHES_MIN = 5,
	INTERVAL_SHORT = 300,		/* slices */
};

#define INTERVAL_LAG1_MAX 0.3
#define INTERVAL_CONFIDENCE 0.95

static int interval_order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void fs_sort(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), interval_order);
}

double fs_mean(const double *x, size_t n)
{
	double sum = 0;

	assert(n);
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static double interval_trimmed(const double *x, size_t n)
{
	double sorted[FS_SLICES_MAX];
	const size_t cut = n / 10;

	memcpy(sorted, x, n * sizeof(*x));
	fs_sort(sorted, n);
	return fs_mean(sorted + cut, n - 2 * cut);
}

/* Sum over i of (x_i - mean)(x_(i + lag) - mean). */
static double interval_product(const double *x, size_t n, double mean, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += (x[i] - mean) * (x[i + lag] - mean);
	return sum;
}

/*
 * n / IAT. The integrated autocorrelation time is -1 + 2 * sum of (rho_2m + rho_2m+1), up to the
 * first pair that is not positive: the initial positive sequence estimator (Geyer, "Practical
 * Markov chain Monte Carlo", Statistical Science 7(4), 1992, section 3.3). Noise can take it out
 * of 1 .. n; no series counts for more than its slices here.
 */
static double interval_ess(const double *x, size_t n, double mean)
{
	const double square = interval_product(x, n, mean, 0);
	double iat = -1;

	for (size_t lag = 0; lag + 1 < n; lag += 2) {
		const double pair = interval_product(x, n, mean, lag) +
				    interval_product(x, n, mean, lag + 1);

		if (pair <= 0)
			break;
		iat += 2 * pair / square;
	}
	return (double)n / fmin(fmax(iat, 1), (double)n);
}

unsigned fs_batches(size_t n)
{
	const size_t most = n < INTERVAL_SHORT ? INTERVAL_BATCHES_SHORT : FS_BATCHES_MAX,
		     k = n / 2 < most ? n / 2 : most;

	return k < INTERVAL_BATCHES_MIN ? 0 : (unsigned)k;
}

void fs_batch_means(const double *x, size_t n, double *means, unsigned k)
{
	assert(k > 0 && k <= n);
	for (unsigned i = 0; i < k; i++) {
		const size_t from = i * n / k, to = (i + 1) * n / k;

		means[i] = fs_mean(x + from, to - from);
	}
}

/*
 * mean +- t_(k-1) * s / sqrt(k), s^2 the variance of the k batch means (Law, "Simulation Modeling
 * and Analysis", 5th ed., 2015, section 9.5.3).
 */
static void interval_batch(const double *x, size_t n, unsigned k, struct fs_interval *out)
{
	double means[FS_BATCHES_MAX], mean, square, half;

	fs_batch_means(x, n, means, k);
	mean = fs_mean(means, k);
	square = interval_product(means, k, mean, 0);
	half = fs_t_quantile(1 - INTERVAL_CONFIDENCE, k - 1) * sqrt(square / (k - 1) / k);
	out->low = out->mean - half;
	out->high = out->mean + half;
	out->batches = k;
	out->lag1 = square > 0 ? interval_product(means, k, mean, 1) / square : 0;
	out->reliable = out->lag1 <= INTERVAL_LAG1_MAX;
}

void fs_interval(const double *x, size_t n, struct fs_interval *out)
{
	const unsigned k = fs_batches(n);

	assert(n <= FS_SLICES_MAX);
	*out = (struct fs_interval){ .mean = NAN, .trimmed = NAN, .low = NAN, .high = NAN };
	if (!n)
		return;
	out->mean = fs_mean(x, n);
	out->trimmed = interval_trimmed(x, n);
	out->ess = interval_ess(x, n, out->mean);
	if (!k)
		return;
	interval_batch(x, n, k, out);
	if (!out->reliable && k / 2 >= INTERVAL_BATCHES_MIN)
		interval_batch(x, n, k / 2, out);
}
