/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * student.h - Student's t distribution; pure functions
 */
#ifndef CORE_STUDENT_H
#define CORE_STUDENT_H

/*
 * The probability that |T| is above |t|, two-sided, with df degrees of freedom; any df > 0, also a
 * fraction. 1 at t = 0, 0 at +-INFINITY.
 */
double fs_t_p(double t, double df);
/*
 * The t >= 0 with fs_t_p(t, df) = p: half an interval of confidence 1 - p. The one-sided quantile
 * of 1 - b is fs_t_quantile(2 * b, df). INFINITY for p <= 0, 0 for p >= 1.
 */
double fs_t_quantile(double p, double df);

#endif
