/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many seeded series with what goes wrong in a run: the error of the mean before and after MSER-5,
 * and how often drift is seen, where it is and where it is not.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/interval.h"
#include "core/steady.h"
#include "platform/compiler.h"
#include "tests/series.h"

enum { SLICES = SERIES_SLICES, SERIES = 200 };

struct rates {				/* over many series */
	double mean_error, mser_error, cut;	/* root of mean square in %; slices */
	double drift[4];		/* % of series */
	double covered;			/* % whose slope interval holds 0 */
	double change_at, change;	/* means of those with a late step */
};

static void simulate(double (*course)(size_t), unsigned series, struct rates *out)
{
	unsigned steps = 0;
	struct fs_rng r;

	*out = (struct rates){ 0 };
	fs_rng_seed(&r, 3, "steady", 0);
	for (unsigned i = 0; i < series; i++) {
		double x[SLICES];
		struct fs_mser start;
		struct fs_steady s;

		series_make(x, course, SLICES);
		series_add_noise(&r, x, SLICES);
		start = fs_mser(x, SLICES);
		fs_steady(x, SLICES, 0.02, &s);
		out->cut += (double)start.cut / series;
		out->mean_error += pow(fs_mean(x, SLICES) - 1, 2) / series;
		out->mser_error += pow(fs_mean(x + start.cut, SLICES - start.cut) - 1, 2) / series;
		out->drift[s.drift] += 100.0 / series;
		out->covered += s.slope_low <= 0 && s.slope_high >= 0 ? 100.0 / series : 0;
		steps += s.change_at > 0;
		out->change_at += (double)s.change_at;
		out->change += s.change;
	}
	out->mean_error = 100 * sqrt(out->mean_error);
	out->mser_error = 100 * sqrt(out->mser_error);
	out->change_at /= steps ? steps : 1;
	out->change /= steps ? steps : 1;
}

/* A warm-up in front: what leaving it out by MSER-5 makes of the error of the mean. */
static void test_transients(void **state)
{
	static const struct {
		const char *name;
		double (*course)(size_t);
		double mean_error, mser_error, cut_least, cut_most;
	} cases[] = {
		{ "none", series_none, 0.38, 0.40, 3, 14 },
		{ "ramp-up", series_ramp, 1.68, 0.43, 40, 80 },
		{ "cache step", series_cache, 6.01, 0.41, 60, 80 },
		{ "slow decay", series_decay, 4.84, 1.09, 120, 190 },
	};

	(void)state;
	for (size_t i = 0; i < FS_ARRAY_SIZE(cases); i++) {
		const double before = cases[i].mean_error, after = cases[i].mser_error;
		struct rates got;

		simulate(cases[i].course, SERIES, &got);
		check_range(cases[i].name, got.mean_error, 0.88 * before, 1.12 * before);
		check_range(cases[i].name, got.mser_error, 0.88 * after, 1.12 * after);
		check_range(cases[i].name, got.cut, cases[i].cut_least, cases[i].cut_most);
	}
}

static void test_stationary(void **state)
{
	struct rates got;

	(void)state;
	simulate(series_none, 4 * SERIES, &got);
	check_range("called steady", got.drift[DRIFT_NONE], 99, 100);
	check_range("slope interval", got.covered, 92, 97);
}

static void test_line(void **state)
{
	struct rates got;

	(void)state;
	simulate(series_line, SERIES, &got);
	check_range("flagged", 100 - got.drift[DRIFT_NONE], 99, 100);
	check_range("slope", got.drift[DRIFT_SLOPE], 97, 100);
}

static void test_late_step(void **state)
{
	struct rates got;

	(void)state;
	simulate(series_late, SERIES, &got);
	check_range("flagged", 100 - got.drift[DRIFT_NONE], 99, 100);
	check_range("late step", got.drift[DRIFT_LATE_STEP], 98, 100);
	check_range("at", got.change_at, 345, 355);
	check_range("change", got.change, -0.155, -0.145);
}

/*
 * Few slices: noise alone often puts the best start behind a short warm-up, or at the border, but
 * seldom is that said.
 */
static void test_short(void **state)
{
	unsigned warmups = 0, drifts = 0;
	struct fs_rng r;

	(void)state;
	fs_rng_seed(&r, 4, "short", 0);
	for (unsigned i = 0; i < 4 * SERIES; i++) {
		struct fs_steady s;
		double x[60];

		series_noise(&r, 0.6, x, 60);
		fs_steady(x, 60, 0.02, &s);
		warmups += fs_warmup_short(x, 5, 60);
		drifts += s.drift != DRIFT_NONE;
	}
	check_range("warm-ups called short, %", 100.0 * warmups / (4 * SERIES), 0, 1.5);
	check_range("drifts, %", 100.0 * drifts / (4 * SERIES), 0, 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transients),
		cmocka_unit_test(test_stationary),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_late_step),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
