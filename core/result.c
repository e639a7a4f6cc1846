// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frozen vocabulary of results: names of statuses and what the program exits with
 */
#include "core/result.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"

const char *const fs_status_names[FS_STATUSES] = {
	[STATUS_PASSED] = "passed",
	[STATUS_SKIPPED] = "skipped",
	[STATUS_FAILED] = "failed",
	[STATUS_NO_PROGRESS] = "no-progress",
	[STATUS_INCOMPLETE] = "incomplete",
};

void fs_stage_result_init(struct stage_result *r, const struct stage *stage)
{
	*r = (struct stage_result){
		.stage = stage,
		.ops_per_sec = NAN,
		.ops_per_cpu_sec = NAN,
		.measured_s = NAN,
		.duty = NAN,
		.fairness = NAN,
		.off_s = NAN,
		.prepare_s = NAN,
		.settle_s = NAN,
		.warmup_s = NAN,
		.verify_s = NAN,
		.wait_s = NAN,
		.interval = { .mean = NAN, .trimmed = NAN, .low = NAN, .high = NAN },
		.teardown_s = NAN,
		.wall_s = NAN,
		.user_s = NAN,
		.system_s = NAN,
		.machine_busy_s = NAN,
		.start_monotonic_ns = FS_UNKNOWN,
		.end_monotonic_ns = FS_UNKNOWN,
		.start_realtime_ns = FS_UNKNOWN,
		.end_realtime_ns = FS_UNKNOWN,
		.rss_max_kib = FS_UNKNOWN,
		.log_bytes = FS_UNKNOWN,
		.log_turnover = NAN,
		.environment = {
			.steal_s = NAN,
			.cpu_some_s = NAN,
			.io_some_s = NAN,
			.io_full_s = NAN,
			.memory_some_s = NAN,
			.memory_full_s = NAN,
			.dirty_bytes = { FS_UNKNOWN, FS_UNKNOWN },
			.writeback_bytes = { FS_UNKNOWN, FS_UNKNOWN },
			.lazyinit = -1,
		},
	};
	for (unsigned i = 0; i < FS_PERF_EVENTS; i++)
		r->perf[i] = FS_UNKNOWN;
}

void fs_warn_add(char (*list)[256], unsigned *n, const char *fmt, ...)
{
	va_list args;

	if (*n >= FS_WARNINGS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(list[(*n)++], sizeof(*list), fmt, args);
	va_end(args);
}

void fs_stage_result_free(struct stage_result *r)
{
	for (unsigned i = 0; r->workers && i < r->stage->workers; i++)
		free(r->workers[i].slices);
	free(r->workers);
	free(r->series);
	free(r->service);
	free(r->response);
	for (unsigned i = 0; i < AREA_LOADS_MAX; i++) {
		free(r->loads[i].service);
		free(r->loads[i].response);
	}
}

void fs_status_count(const struct run_result *runs, unsigned nruns, unsigned counts[FS_STATUSES])
{
	memset(counts, 0, FS_STATUSES * sizeof(counts[0]));
	for (unsigned i = 0; i < nruns; i++) {
		for (unsigned j = 0; j < runs[i].nstages; j++)
			counts[runs[i].stages[j].status]++;
		assert(runs[i].dry || counts[STATUS_PLANNED] == 0);
	}
}

/*
 * A window that ended late although every worker had a CPU: something held the supervisor up. The
 * second term keeps the scheduler's noise from condemning very short windows.
 */
static bool result_overrun(const struct stage_result *r, const struct config *config)
{
	const double asked = (double)config->timeout_ns / FS_NSEC_PER_SEC;

	return !r->stage->ops && !r->stage->oversubscribed && r->measured_s > 1.05 * asked &&
	       r->measured_s > asked + 0.1;
}

static bool result_untrusted(const struct stage_result *r, const struct config *config)
{
	if (r->status == STATUS_INCOMPLETE)
		return true;
	if (r->status != STATUS_PASSED)
		return false;
	for (unsigned i = 0; r->workers && i < r->stage->workers; i++) {
		if (r->workers[i].pin_lost)
			return true;
	}
	return result_overrun(r, config);
}

static bool result_blemished(const struct stage_result *r)
{
	return r->status == STATUS_SKIPPED || r->nwarnings;
}

/* When nothing but skips is left. */
static int result_skip_status(const struct run_result *runs, unsigned nruns)
{
	for (unsigned i = 0; i < nruns; i++) {
		for (unsigned j = 0; j < runs[i].nstages; j++) {
			if (runs[i].stages[j].skip != SKIP_UNSUPPORTED)
				return 3;
		}
	}
	return 4;
}

int fs_exit_status(const struct run_result *runs, unsigned nruns, bool strict)
{
	bool untrusted = false, blemished = false;
	unsigned counts[FS_STATUSES];

	for (unsigned i = 0; i < nruns; i++) {
		if (runs[i].interrupted)
			return 128 + runs[i].interrupted;
	}
	fs_status_count(runs, nruns, counts);
	if (counts[STATUS_FAILED] || counts[STATUS_NO_PROGRESS])
		return 1;
	for (unsigned i = 0; i < nruns; i++) {
		blemished |= runs[i].nwarnings != 0;
		for (unsigned j = 0; j < runs[i].nstages; j++) {
			untrusted |= result_untrusted(&runs[i].stages[j], runs[i].config);
			blemished |= result_blemished(&runs[i].stages[j]);
		}
	}
	if (untrusted || (strict && blemished))
		return 5;
	if (counts[STATUS_SKIPPED] && !counts[STATUS_PASSED])
		return result_skip_status(runs, nruns);
	return 0;
}
