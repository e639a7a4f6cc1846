/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats_bench.h - two snapshots of up to three workers to reduce and judge, for unit tests
 */
#ifndef TESTS_STATS_BENCH_H
#define TESTS_STATS_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/judge.h"
#include "core/stats.h"

#define S FS_NSEC_PER_SEC
#define MS FS_NSEC_PER_MSEC

static const struct fs_counter counters[] = {
	{ "calls", "calls", FS_COUNTER_SUM },
	{ "calls_per_op", "calls", FS_COUNTER_PER_OP },
	{ "calls_per_sec", "calls/s", FS_COUNTER_PER_SEC },
	{ "extents", "extents", FS_COUNTER_LAST },
	{ .name = NULL }
};
static const char *const kinds[] = { "read", "write", "never", NULL };
static const struct fs_stressor stressor = {
	.name = "toy", .work_unit = "bytes", .counters = counters, .kinds = kinds,
};

static inline int some_fill(struct fs_worker *w, uint64_t n)
{
	(void)w;
	return (int)n;
}

static const struct fs_variant plain = { .name = "" }, refilled = { .name = "", .fill = some_fill };

struct bench {				/* a window of 10 s that starts at 100 s */
	struct stage stage;
	struct config config;
	struct stage_result r;
	struct worker_result workers[3];
	struct snapshot_worker a[3], b[3];
	struct snapshot start, end;
};

static inline void bench_init(struct bench *t, unsigned workers)
{
	memset(t, 0, sizeof(*t));
	t->stage.stressor = &stressor;
	t->stage.variant = &plain;
	t->stage.workers = workers;
	t->config.timeout_ns = 10 * S;
	fs_stage_result_init(&t->r, &t->stage);
	t->r.status = STATUS_PASSED;
	t->r.workers = t->workers;
	t->start = (struct snapshot){ 100 * S - 1000, 100 * S + 1000, 7 * S, t->a };
	t->end = (struct snapshot){ 110 * S - 3000, 110 * S + 3000, 17 * S, t->b };
}

static inline void bench_reduce(struct bench *t)
{
	fs_stats_window(&t->r, &t->start, &t->end);
	fs_judge(&t->r, &t->config);
}

static inline void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.12g is not %.12g", value, expected);
}

static inline bool warned(const struct bench *t, const char *text)
{
	for (unsigned i = 0; i < t->r.nwarnings; i++) {
		if (strstr(t->r.warnings[i], text))
			return true;
	}
	return false;
}

#endif
