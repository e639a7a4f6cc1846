// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/student.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#define STUDENT_TERMS_MAX 10000		/* about sqrt(df) are needed where df is large */
#define STUDENT_NORMAL_DF 1e7		/* above: normal, off by a share of t^4 / (4 df) in p */

/*
 * 1 + d1/(1 + d2/(1 + ...)) with the coefficients of DLMF 8.17.22, by Lentz's method (Thompson and
 * Barnett, J. Comput. Phys. 64, 1986). Quick and free of zero denominators for x < (a + 1) /
 * (a + b + 2).
 */
static double student_fraction(double a, double b, double x)
{
	double c = 1, d = 0, f = 1;

	for (unsigned j = 1; j < STUDENT_TERMS_MAX; j++) {
		const unsigned m = j / 2;
		const double over = (a + j - 1) * (a + j),
			     term = j % 2 ? -(a + m) * (a + b + m) * x / over :
					    m * (b - m) * x / over;

		d = 1 / (1 + term * d);
		c = 1 + term / c;
		f *= c * d;
		if (fabs(c * d - 1) < DBL_EPSILON)
			break;
	}
	return f;
}

/* The regularised incomplete beta function I_x(a, b), y = 1 - x, where the fraction is quick. */
static double student_below(double a, double b, double x, double y)
{
	int sign;
	double log_front;

	if (x <= 0)
		return 0;
	log_front = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
		    a * log(x) + b * log(y);
	return exp(log_front) / (a * student_fraction(a, b, x));
}

/* The same for any x: I_x(a, b) = 1 - I_y(b, a), DLMF 8.17.4. */
static double student_beta(double a, double b, double x, double y)
{
	return x > (a + 1) / (a + b + 2) ? 1 - student_below(b, a, y, x) :
					   student_below(a, b, x, y);
}

/* Abramowitz and Stegun 26.7.1 with 26.5.27: 1 - A(t|df) = I_x(df/2, 1/2), x = df / (df + t^2). */
double fs_t_p(double t, double df)
{
	const double scale = df + t * t;

	assert(df > 0);
	if (df > STUDENT_NORMAL_DF)
		return erfc(fabs(t) * sqrt(0.5));
	return student_beta(df / 2, 0.5, df / scale, t * t / scale);
}

/* By bisection, down to neighbouring doubles: fs_t_p falls with t. */
double fs_t_quantile(double p, double df)
{
	double low = 0, high = 1;

	if (p <= 0)
		return INFINITY;
	if (p >= 1)
		return 0;
	while (fs_t_p(high, df) > p) {
		low = high;
		high *= 2;
	}
	for (;;) {
		const double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return high;
		if (fs_t_p(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
}
