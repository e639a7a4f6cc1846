/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result.h - what came out: plain data between measuring and reporting
 *
 * Filled by the supervisor and by stats, only read by reports. Numbers that were not measured are
 * NAN (double) or FS_UNKNOWN (uint64_t); reports print null for both. All strings are owned by the
 * result or static.
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/area.h"
#include "core/histogram.h"
#include "core/interval.h"
#include "core/plan.h"
#include "core/regime.h"
#include "core/steady.h"
#include "platform/fs_counters.h"
#include "platform/host.h"
#include "platform/target.h"

#define FS_UNKNOWN UINT64_MAX
#define FS_WARNINGS_MAX 16

enum status {				/* frozen, with their names */
	STATUS_PLANNED,			/* only in plans: printed as null */
	STATUS_PASSED,
	STATUS_SKIPPED,
	STATUS_FAILED,
	STATUS_NO_PROGRESS,
	STATUS_INCOMPLETE,
};
extern const char *const fs_status_names[];	/* "passed", "skipped", ... by enum status */

enum skip_kind {			/* why skipped: decides between exit 3 and 4 when all are */
	SKIP_NONE,
	SKIP_UNSUPPORTED,		/* the mount, kernel, build or privilege cannot do it */
	SKIP_NEED,			/* needs X, has Y */
	SKIP_INTERRUPTED,
};

struct worker_result {
	uint64_t ops, work, off_ns;	/* within the window */
	uint64_t counters[FS_COUNTERS_MAX];
	struct fs_kind_count kinds[FS_KINDS_MAX];
	uint64_t batch;
	int cpu, cpu_start, cpu_end;	/* planned, and where it was; -1: not pinned, unknown */
	unsigned tid;
	bool pin_lost;
	bool usage_known;
	struct fs_usage usage;	/* within the window */
	uint64_t perf[FS_PERF_EVENTS];	/* within the window, or FS_UNKNOWN; see fs_perf_events */
	uint64_t wait_ns;		/* runnable without a CPU, within the window */
	uint64_t longest_ns;		/* of its slices, on the clock; 0: there are none */
	struct fs_record *slices;	/* [nslices], end to end of the window; owned */
	unsigned nslices;
	unsigned nrounds;
	/* The last ones; the stamps are int64_t, relative to the start of the window. */
	struct area_round rounds[AREA_ROUNDS_MAX];
};

struct device_io {			/* differences over the window of /sys/dev/block/M:N/stat */
	bool known;
	uint64_t reads, read_bytes, writes, write_bytes, flushes, discards;
	/*
	 * busy_s: a request was in flight, flushes apart; in ticks, of which before Linux 6.10 the
	 * shortest request is worth one. queue_s: what all requests took; several at once count
	 * several times. flush_s: the part of it that flushes took, or NAN.
	 */
	double busy_s, queue_s, flush_s;
};

struct mount_count {			/* difference of a struct fs_mount_counter */
	const char *name, *label;
	uint64_t n;			/* or FS_UNKNOWN */
};

/*
 * What the machine did beside the stage, over the window. NAN, FS_UNKNOWN, -1 and "": unknown, or
 * there is nothing of the kind.
 */
struct environment {
	double steal_s;			/* of all CPUs */
	/* in which some, or all, of the machine's tasks were stalled for it */
	double cpu_some_s, io_some_s, io_full_s, memory_some_s, memory_full_s;
	uint64_t dirty_bytes[2], writeback_bytes[2];	/* of the machine, at start and end */
	int lazyinit;			/* an ext4 was being initialised; 1, 0 */
	char sync_action[16];		/* of the md array below the target */
	unsigned cpus;			/* online */
};

struct load_result {			/* one of the stage's loads, all workers together */
	uint64_t ops;
	double achieved_per_sec;
	bool missed;			/* clearly less than asked */
	uint64_t late_ns;		/* how late an op started at worst */
	struct fs_histogram *service, *response;	/* NULL: not timed; owned */
};

struct metric {				/* a side metric of a stage, already reduced */
	const char *name, *unit;
	double value;
};

struct stage_result {
	const struct stage *stage;	/* the planned one */
	enum status status;
	enum skip_kind skip;
	char reason[640];		/* "" when passed */
	int err;			/* errno behind it; 0: none */
	/* rates: NAN unless passed */
	uint64_t ops;			/* counted in the window, also when not passed */
	double ops_per_sec, ops_per_cpu_sec;
	double measured_s, duty, fairness;
	double off_s;			/* sum over workers */
	double prepare_s, settle_s, warmup_s, verify_s, teardown_s, wall_s;
	bool settled;
	double user_s, system_s, machine_busy_s;
	struct fs_usage usage;	/* sums over workers, see usage_known */
	bool usage_known;
	/* of the window, or FS_UNKNOWN */
	uint64_t start_monotonic_ns, end_monotonic_ns, start_realtime_ns, end_realtime_ns;
	uint64_t rss_max_kib;
	uint64_t perf[FS_PERF_EVENTS];	/* sums over workers, or FS_UNKNOWN */
	struct fs_histogram *service, *response;	/* in the window; NULL: not timed; owned */
	uint64_t late_ns;		/* open loop: how late an op started at worst */
	struct load_result loads[AREA_LOADS_MAX];	/* [stage->nloads] */
	const char *granularity;	/* "op", "pass" or NULL */
	/* of the series of slices, all workers together; interval.mean NAN: there is none */
	double *series;			/* [nseries], ops/s, each series_step_s long; owned */
	unsigned nseries;
	double series_step_s;
	struct fs_interval interval;
	struct fs_steady steady;
	bool warmup_short;
	double wait_s;			/* sum over workers of run-queue wait */
	struct {			/* see reference.h */
		enum reference kind;	/* REFERENCE_NONE: there was none, and no more is known */
		double ops_per_sec, adjusted_ops_per_sec, moved;
	} reference;
	struct device_io device_io;
	struct mount_count mount_counts[FS_MOUNT_COUNTERS_MAX];
	unsigned nmount_counts;
	uint64_t log_bytes;		/* written to the filesystem's log in the window */
	double log_turnover;		/* by its size */
	enum regime regime;
	struct environment environment;
	struct area_errno tolerated[AREA_ERRNOS_MAX];
	struct metric metrics[FS_COUNTERS_MAX + 2];
	unsigned nmetrics;
	struct {
		const char *name;
		uint64_t ops;
		double share, mean_ns, time_share;	/* of ops; of one op; of time */
		struct fs_latency latency;
	} kinds[FS_KINDS_MAX];
	unsigned nkinds;
	struct worker_result *workers;	/* [stage->workers]; NULL when it never ran */
	char warnings[FS_WARNINGS_MAX][256];
	unsigned nwarnings;
};

struct run_result {			/* one target, one repetition: one object of the JSON */
	const struct config *config;
	const struct plan *plan;
	const struct fs_topology *topo;	/* to say which node and kind CPUs are of; NULL: unknown */
	struct fs_target target;
	struct fs_host host;
	uint64_t seed;
	uint64_t started_realtime_ns;
	bool dry;			/* --plan: nothing ran */
	int interrupted;		/* signal number, 0: none */
	const char *disk, *fs;		/* of this run, for params; or NULL */
	struct stage_result *stages;	/* [nstages] */
	unsigned nstages;
	char warnings[FS_WARNINGS_MAX][256];
	unsigned nwarnings;
};

/* A stage of which nothing is known yet: planned, numbers NAN or FS_UNKNOWN. */
void fs_stage_result_init(struct stage_result *r, const struct stage *stage);

/* Free what the result owns, its workers included. */
void fs_stage_result_free(struct stage_result *r);

/* How many stages have each status: counts[STATUS_PASSED] ... Added up over the runs. */
#define FS_STATUSES (STATUS_INCOMPLETE + 1)
void fs_status_count(const struct run_result *runs, unsigned nruns, unsigned counts[FS_STATUSES]);

/* printf into the next free warning of a list; dropped when it is full. */
void fs_warn_add(char (*list)[256], unsigned *n, const char *fmt, ...) FS_PRINTF(3, 4);

/*
 * The exit status of everything that ran, a frozen table: 128+n > 1 > 5 > 4 > 0; all skipped: 4
 * when every reason is missing support, else 3. strict: a skip or a warning makes 5.
 */
int fs_exit_status(const struct run_result *runs, unsigned nruns, bool strict);

#endif
