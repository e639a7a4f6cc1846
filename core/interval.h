/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h - the mean of a series of slices and how well this one run knows it; pure functions
 *
 * Slices follow each other in time and are not independent, so the naive interval is too narrow.
 * What is between runs and boots is not in a series: its interval describes one run and never
 * decides whether two runs differ.
 */
#ifndef CORE_INTERVAL_H
#define CORE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	FS_SLICES_MAX = 1024,		/* the longest series */
	FS_BATCHES_MAX = 20,
};

struct fs_interval {
	double mean;			/* NAN: no slices */
	double trimmed;			/* mean without the lowest and the highest 10 % */
	double low, high;		/* 95 % interval of the mean; NAN: none, batches is 0 */
	unsigned batches;
	double lag1;			/* autocorrelation of neighbouring batch means; 0 without */
	double ess;			/* effective sample size, 1 .. n; 0: no slices */
	bool reliable;			/* enough slices, and batch means near enough independent */
};

/*
 * x[0 .. n), n <= FS_SLICES_MAX, finite. The interval is that of batch means: 20 batches, 10 below
 * 300 slices, of at least two slices; fewer than 5 batches: none. Where lag1 is above 0.3 there are
 * half as many; where it stays so, or these would be fewer than 5, the interval is not reliable.
 */
void fs_interval(const double *x, size_t n, struct fs_interval *out);

/* How many batches fs_interval() starts from; 0: too few slices. */
unsigned fs_batches(size_t n);
/* n > 0. */
double fs_mean(const double *x, size_t n);
/* Means of k batches of neighbours, 0 < k <= n: batch i is [i * n / k, (i + 1) * n / k). */
void fs_batch_means(const double *x, size_t n, double *means, unsigned k);
/* Ascending. */
void fs_sort(double *x, size_t n);

#endif
