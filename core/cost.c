// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cost.h"

/* What the kernel has rounded may come out above what its device has written at all. */
static uint64_t cost_log_bytes(const struct stage_result *r, const struct fs_mount_counter *c,
			       uint64_t n)
{
	const bool capped = c->least != c->most && r->device_io.known && n != FS_UNKNOWN &&
			    n > r->device_io.write_bytes;

	return capped ? r->device_io.write_bytes : n;
}

/* The parts of a log that are counted apart add up; without one of them there is no sum. */
static void cost_counters(struct stage_result *r, const struct fs_mount_counters *start,
			  const struct fs_mount_counters *end)
{
	bool logs = false, known = true;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < end->n; i++) {
		const struct fs_mount_field *f = end->at[i].field;
		uint64_t n = fs_mount_counters_delta(start, end, i);

		if (f->log) {
			n = cost_log_bytes(r, &end->at[i], n);
			logs = true;
			known = known && n != FS_UNKNOWN;
			bytes += n;
		}
		r->mount_counts[r->nmount_counts++] = (struct mount_count){ f->name, f->label, n };
	}
	if (logs && known)
		r->log_bytes = bytes;
}

void fs_cost(struct stage_result *r, const struct fs_target *target,
	     const struct fs_mount_counters *start, const struct fs_mount_counters *end)
{
	cost_counters(r, start, end);
	if (r->log_bytes != FS_UNKNOWN && target && target->log_bytes)
		r->log_turnover = (double)r->log_bytes / (double)target->log_bytes;
	r->regime = r->ops && target && target->in_memory ? REGIME_MEMORY : fs_regime(r);
	if (r->regime == REGIME_MIXED && fs_regime_turned(r))
		fs_warn_add(r->warnings, &r->nwarnings,
			    "two regimes: %.2g times the size of the log was logged, so it became "
			    "full in the window; the mean is of neither, use another --timeout",
			    r->log_turnover);
}
