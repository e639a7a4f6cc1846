/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - seeded series of slice rates for tests: the course of a level, autocorrelated noise; comes after
 * cmocka.h
 */
#ifndef TESTS_SERIES_H
#define TESTS_SERIES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"
#include "core/rng.h"

enum { SERIES_SLICES = 500 };

#define SERIES_SD 0.04
#define SERIES_OUTLIER_SD 0.2
#define SERIES_OUTLIERS 0.02

/* In (0, 1). */
static inline double series_uniform(struct fs_rng *r)
{
	return ((double)(fs_rng_next(r) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller, Annals of Mathematical Statistics 29(2), 1958. */
static inline double series_normal(struct fs_rng *r)
{
	const double radius = sqrt(-2 * log(series_uniform(r)));

	return radius * cos(2 * acos(-1) * series_uniform(r));
}

/* AR(1) with coefficient phi and sd 4 % around 1; every 50th slice an outlier. */
static inline void series_noise(struct fs_rng *r, double phi, double *x, size_t n)
{
	double state = series_normal(r);

	for (size_t i = 0; i < n; i++) {
		x[i] = 1 + SERIES_SD * state;
		if (series_uniform(r) < SERIES_OUTLIERS)
			x[i] += SERIES_OUTLIER_SD * series_normal(r);
		state = phi * state + sqrt(1 - phi * phi) * series_normal(r);
	}
}

/* Courses of the level, for series of SERIES_SLICES. */

static inline double series_none(size_t i)
{
	(void)i;
	return 1;
}

static inline double series_ramp(size_t i)
{
	return 1 - 0.4 * exp(-(double)i / 20);
}

static inline double series_cache(size_t i)
{
	return i < 60 ? 1.5 : 1;
}

static inline double series_decay(size_t i)
{
	return 1 + 0.3 * exp(-(double)i / 80);
}

static inline double series_line(size_t i)
{
	return 1 - 0.2 * (double)i / SERIES_SLICES;
}

static inline double series_late(size_t i)
{
	return i < 350 ? 1 : 0.85;
}

static inline double series_early(size_t i)
{
	return i < 75 ? 1 : 0.85;
}

static inline double series_dip(size_t i)
{
	return i >= 350 && i < 400 ? 0.8 : 1;
}

static inline double series_early_dip(size_t i)
{
	return i >= 150 && i < 250 ? 0.8 : 1;
}

static inline void series_make(double *x, double (*course)(size_t), size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = course(i);
}

/* The noise on top of a course. */
static inline void series_add_noise(struct fs_rng *r, double *x, size_t n)
{
	double noise[FS_SLICES_MAX];

	series_noise(r, 0.6, noise, n);
	for (size_t i = 0; i < n; i++)
		x[i] += noise[i] - 1;
}

static inline void check_range(const char *what, double got, double low, double high)
{
	if (!(got >= low && got <= high))
		fail_msg("%s: %g, not in %g .. %g", what, got, low, high);
}

#endif
