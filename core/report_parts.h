/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_parts.h - what several writers need; private to core/report*.c
 */
#ifndef CORE_REPORT_PARTS_H
#define CORE_REPORT_PARTS_H

#include <jansson.h>

#include "core/report.h"

#define REPORT_NUMBER_MAX 64
#define REPORT_TRIMMED	"ops_per_sec_trimmed"	/* metric: mean of slices without the extremes */
#define REPORT_PATH_MAX	(4 * PATH_MAX + 1)	/* of a path, every byte as \xNN */

/* For parsers: at least two decimals and six significant digits, no exponent. Returns text. */
char *fs_report_decimal(double value, char text[REPORT_NUMBER_MAX]);
/* "PATH (ext4 on /dev/loop0)", printable. Returns text. */
char *fs_report_target(const struct run_result *run, char *text, unsigned long size);
/* Whether there was a window, so that counts mean something. */
static inline bool fs_report_measured(const struct stage_result *r)
{
	return r->workers && isfinite(r->measured_s);
}

/*
 * An end of the interval of the mean of slices, moved to ops_per_sec: that weighs workers by their
 * time on the clock, the mean of slices each slice alike, and they differ a little.
 */
static inline double fs_report_ci95(const struct stage_result *r, double end)
{
	return r->ops_per_sec * (end / r->interval.mean);
}

/* The metric that verdicts on this stage rest on. */
const char *fs_report_endpoint(const struct stage_result *r);

/* NAN where n is FS_UNKNOWN or there was no op. */
double fs_report_per_op(uint64_t n, uint64_t ops);
/* Whether what the device and the filesystem did in the window was not for these ops alone. */
bool fs_report_upper_bound(const struct stage_result *r);

/* Whether the runs are repetitions of each other: same directory, same disk and filesystem. */
bool fs_report_same_target(const struct run_result *a, const struct run_result *b);
/*
 * Target of each run, counted from 0 in order of appearance, into of[nruns]. Returns how many there
 * are. Runs of one target have the same plan, so stage i of one is stage i of another.
 */
unsigned fs_report_targets(const struct run_result *runs, unsigned nruns, unsigned of[]);
/* One stage over the repetitions of a target: means over the runs where it passed; else NAN. */
struct report_mean {
	enum status status;		/* failed when one went wrong, skipped when all were */
	double ops, ops_per_sec, duty;	/* duty: the least */
	/* NAN: unknown */
	double flushes_per_op, write_bytes_per_op, busy_us_per_op, log_bytes_per_op;
};
struct report_mean fs_report_mean(const struct run_result *runs, unsigned nruns,
				  const unsigned of[], unsigned target, unsigned stage);

/* --- JSON: what is not known is null, never a NULL pointer, which would lose the key ---------- */

json_t *fs_json_text(const char *s);		/* unprintable bytes as \xNN; NULL and "": null */
json_t *fs_json_real(double value);		/* not finite: null */
json_t *fs_json_count(uint64_t n);		/* above 2^53 a string, FS_UNKNOWN null */
json_t *fs_json_given(uint64_t n);		/* the same, 0 is null as well */
json_t *fs_json_seconds(uint64_t ns);
json_t *fs_json_int(int64_t n);			/* stamps: any sign; above 2^53 a string */
json_t *fs_json_tristate(int value);		/* 0, 1; -1: null */
/* To "-" (stdout) or a file, as fs_report_json() says. -errno. */
int fs_json_write(const char *path, const json_t *all);
/* Parts of a run. */
json_t *fs_json_host(const struct fs_host *h);
json_t *fs_json_target(const struct fs_target *t);
json_t *fs_json_params(const struct run_result *run);
json_t *fs_json_plan(const struct run_result *run);
json_t *fs_json_stage(const struct run_result *run, const struct stage_result *r);
json_t *fs_json_latency(const struct fs_latency *l);
void fs_json_latencies(json_t *o, const struct stage_result *r);
void fs_json_samples(json_t *o, const struct stage_result *r);
void fs_json_cost(json_t *o, const struct stage_result *r);
/* Into the object of a stage: working_set_bytes, pressure, background. */
void fs_json_pressure(json_t *stage, const struct stage_result *r);
json_t *fs_json_lines(char *const lines[], unsigned n);	/* up to n, or to the first NULL */

#endif
