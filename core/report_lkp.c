// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `KEY: VALUE` lines for lkp-tests: every key once, plain decimals, nothing that is zero (its
 * matrix takes zero for absent)
 */
#include <stdlib.h>

#include "core/report_parts.h"

/* Below this duty a count moves with the untimed part, and lkp would judge it like a rate. */
#define LKP_DUTY_FOR_OPS 0.99

static void lkp_number(FILE *out, const char *key, const char *name, double value)
{
	char number[REPORT_NUMBER_MAX];

	if (value > 0 && isfinite(value))
		fprintf(out, "%s.%s: %s\n", key, name, fs_report_decimal(value, number));
}

static void lkp_stage(FILE *out, const char *key, const struct report_mean *m)
{
	if (m->status == STATUS_SKIPPED) {
		fprintf(out, "%s.skip: 1\n", key);
		return;
	}
	if (m->status != STATUS_PASSED) {
		fprintf(out, "%s.fail: 1\n", key);
		return;
	}
	fprintf(out, "%s.pass: 1\n", key);
	lkp_number(out, key, "ops_per_sec", m->ops_per_sec);
	if (m->duty >= LKP_DUTY_FOR_OPS && m->ops >= 1)
		fprintf(out, "%s.ops: %.0f\n", key, m->ops);
	lkp_number(out, key, "flushes_per_op", m->flushes_per_op);
	lkp_number(out, key, "write_bytes_per_op", m->write_bytes_per_op);
	lkp_number(out, key, "busy_us_per_op", m->busy_us_per_op);
	lkp_number(out, key, "log_bytes_per_op", m->log_bytes_per_op);
}

/* All ops together: what lkp-tests divides system-wide counters by. */
static void lkp_workload(FILE *out, const struct run_result *runs, unsigned nruns)
{
	uint64_t ops = 0;

	for (unsigned i = 0; i < nruns; i++) {
		for (unsigned j = 0; j < runs[i].nstages; j++) {
			if (runs[i].stages[j].status == STATUS_PASSED)
				ops += runs[i].stages[j].ops;
		}
	}
	if (ops)
		fprintf(out, "workload: %llu\n", (unsigned long long)ops);
}

/* Repetitions are averaged; where there are several targets their keys get .t1, .t2, ... */
void fs_report_lkp(FILE *out, const struct run_result *runs, unsigned nruns)
{
	unsigned *const of = malloc((nruns + 1) * sizeof(*of));
	unsigned ntargets = of ? fs_report_targets(runs, nruns, of) : 0, next = 0;

	for (unsigned i = 0; i < nruns && next < ntargets; i++) {
		if (of[i] != next)
			continue;
		next++;
		for (unsigned j = 0; j < runs[i].nstages; j++) {
			const struct report_mean m = fs_report_mean(runs, nruns, of, of[i], j);
			char key[REPORT_KEY_MAX], suffixed[REPORT_KEY_MAX + 16];

			fs_report_key(runs[i].stages[j].stage, key);
			snprintf(suffixed, sizeof(suffixed), ntargets > 1 ? "%s.t%u" : "%s", key,
				 next);
			lkp_stage(out, suffixed, &m);
		}
	}
	free(of);
	lkp_workload(out, runs, nruns);
}
