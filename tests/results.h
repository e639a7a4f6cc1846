/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand, one stage of each status, for the tests of reports. */
#ifndef TESTS_RESULTS_H
#define TESTS_RESULTS_H

#include <string.h>

#include "core/result.h"

struct toy_state {
	uint64_t extents, bytes;
	int sync;
};

static const char *const toy_syncs[] = { "none", "fsync", NULL };
static const struct fs_option toy_options[] = {
	FS_OPT_COUNT(struct toy_state, extents, "512", 1, 1000000, "extents of the file"),
	FS_OPT_SIZE(struct toy_state, bytes, "64K", 1, UINT64_MAX, "size of a call"),
	FS_OPT_ENUM(struct toy_state, sync, "none", toy_syncs, "what follows"),
	FS_OPT_END
};
static const struct fs_calls toy_calls[] = {
	{ "fallocate", 1, "FALLOC_FL_KEEP_SIZE" }, { "fsync", 1, NULL }, { .name = NULL }
};
static const struct fs_variant toy_variant = {
	.name = "alloc", .op = "allocate the next piece of a file", .calls = toy_calls,
	.flags = FS_MEM,
};
static const char *const toy_kinds[] = { "pread", "pwrite", NULL };
static const struct fs_stressor toy = {
	.name = "toy",
	.work_unit = "bytes",
	.classes = FS_CLASS_FILESYSTEM | FS_CLASS_OS,
	.version = 3,
	.options = toy_options,
	.kinds = toy_kinds,
	.state_size = sizeof(struct toy_state),
};

enum { TOY_PASSED, TOY_MIX, TOY_SKIPPED, TOY_FAILED, TOY_STUCK, TOY_INCOMPLETE, TOY_ABSENT, TOYS };

struct toy_run {
	struct stage stages[TOYS];
	struct plan plan;
	struct stage_result results[TOYS];
	struct worker_result workers[TOYS][2];
	struct fs_record slices[2][3];
	double series[2];
	struct fs_histogram service;
	int cpus[TOYS][2];
};

static char *toy_argv[] = { (char *)"fsstress", (char *)"--class", (char *)"filesystem", NULL };
static struct pick toy_picks[] = { { .key = "toy.alloc" }, { .key = "mix" } };
static const char *toy_labels[] = { "commit=abc=1" };
static const struct config toy_config = {
	.timeout_ns = 10 * FS_NSEC_PER_SEC,
	.settle_ns = 5 * FS_NSEC_PER_SEC,
	.repeat = 1,
	.timeout = { "10", "--timeout" },
	.picks = toy_picks,
	.npicks = 2,
	.nr_threads = { "1,100%", "--nr-threads" },
	.labels = toy_labels,
	.nlabels = 1,
	.argv = toy_argv,
	.argc = 3,
};

static inline void toy_stage(struct toy_run *t, unsigned i, const char *key, unsigned workers)
{
	struct stage *s = &t->stages[i];
	const struct toy_state state = { .extents = 20000, .bytes = 65536, .sync = 1 };

	*s = (struct stage){
		.stressor = &toy, .variant = &toy_variant, .workers = workers, .cpus = t->cpus[i]
	};
	snprintf(s->key, sizeof(s->key), "%s", key);
	snprintf(s->asked, sizeof(s->asked), "%s", workers > 1 ? "100%" : "1");
	memcpy(s->state, &state, sizeof(state));
	s->need = (struct fs_need){ .bytes = 64 << 20, .inodes = 2 };
	t->cpus[i][0] = 0;
	t->cpus[i][1] = 2;
	fs_stage_result_init(&t->results[i], s);
}

static inline void toy_ran(struct toy_run *t, unsigned i, enum status status, uint64_t ops)
{
	struct stage_result *r = &t->results[i];

	r->status = status;
	r->workers = t->workers[i];
	r->ops = ops;
	r->measured_s = 10;
	r->duty = 1;
	r->off_s = 0;
	r->prepare_s = 0.25;
	r->settle_s = 0.5;
	r->settled = true;
	r->warmup_s = 1;
	r->teardown_s = 0.125;
	r->wall_s = 12;
	r->start_monotonic_ns = 100 * FS_NSEC_PER_SEC;
	r->end_monotonic_ns = 110 * FS_NSEC_PER_SEC;
	r->start_realtime_ns = 1700000000000000001;	/* a double would lose the 1 */
	r->end_realtime_ns = 1700000010000000001;
	r->usage_known = true;
	r->user_s = 1;
	r->system_s = 8;
	r->machine_busy_s = 9.5;
	r->usage = (struct fs_usage){ 1000000, 8000000, 11, 22, 33, 44 };
	r->rss_max_kib = 2564;
	for (unsigned w = 0; w < t->stages[i].workers; w++)
		t->workers[i][w] = (struct worker_result){
			.ops = ops / t->stages[i].workers,
			.cpu = t->cpus[i][w],
			.cpu_start = t->cpus[i][w],
			.cpu_end = t->cpus[i][w],
			.tid = 1234 + w,
			.batch = 64,
		};
}

static inline void toy_passed(struct toy_run *t, unsigned i, uint64_t ops)
{
	toy_ran(t, i, STATUS_PASSED, ops);
	t->results[i].ops_per_sec = (double)ops / 10;
	t->results[i].ops_per_cpu_sec = (double)ops / 9;
}

static inline void toy_mix(struct stage_result *r)
{
	r->duty = 0.25;
	r->ops_per_sec *= 4;
	r->device_io = (struct device_io){
		.known = true, .writes = 10, .write_bytes = 40960, .busy_s = 0.5, .queue_s = 0.5,
		.flushes = FS_UNKNOWN, .discards = FS_UNKNOWN, .flush_s = NAN,
	};
	r->fairness = 0.875;
	r->nkinds = 2;
	r->kinds[0].name = "pread";
	r->kinds[0].ops = 75;
	r->kinds[0].share = 0.75;
	r->kinds[0].mean_ns = 812.5;
	r->kinds[0].time_share = 0.4;
	r->kinds[1].name = "pwrite";
	r->kinds[1].ops = 25;
	r->kinds[1].share = 0.25;
	r->kinds[1].mean_ns = 1523000;
	r->kinds[1].time_share = NAN;
	fs_warn_add(r->warnings, &r->nwarnings, "unequal workers");
}

static inline void toy_device(struct stage_result *r)
{
	r->environment = (struct environment){
		.steal_s = 0.25,
		.cpu_some_s = 1.5,
		.io_some_s = 2.5,
		.io_full_s = 0.75,
		.memory_some_s = 0,
		.memory_full_s = NAN,
		.dirty_bytes = { 8192, 4096 },
		.writeback_bytes = { 0, 12288 },
		.lazyinit = 1,
		.sync_action = "idle",
	};
	r->device_io = (struct device_io){
		.known = true,
		.reads = 3,
		.read_bytes = 12288,
		.writes = 4000,
		.write_bytes = 49152000,
		.flushes = 12000,
		.discards = 0,
		.busy_s = 6.5,
		.queue_s = 8.25,
		.flush_s = 1.75,
	};
	r->mount_counts[0] = (struct mount_count){ "jbd2_transactions", "jbd2 transactions", 12000 };
	r->mount_counts[1] = (struct mount_count){ "jbd2_handles", NULL, FS_UNKNOWN };
	r->nmount_counts = 2;
	r->log_bytes = 36864000;
	r->log_turnover = 2.25;
	r->regime = REGIME_LOG;
	r->metrics[r->nmetrics++] = (struct metric){ "bytes_per_sec", "bytes/s", 78643200 };
	r->metrics[r->nmetrics++] = (struct metric){ "mean_extent_bytes", "bytes", 4096.5 };
	r->tolerated[0] = (struct area_errno){ EINTR, 0, 3 };
	r->workers[0].nrounds = 1;
	r->workers[0].rounds[0] = (struct area_round){ (uint64_t)-2000, (uint64_t)-1000, 500, 600 };
}

/* Two slices of each worker, and as many latencies as p99 needs; not owned, so never freed. */
static inline void toy_sampled(struct toy_run *t, unsigned i)
{
	struct stage_result *r = &t->results[i];
	const uint64_t start = r->start_monotonic_ns, s = FS_NSEC_PER_SEC;

	for (unsigned w = 0; w < t->stages[i].workers; w++) {
		t->slices[w][0] = (struct fs_record){
			.t_ns = start, .ops = 7, .off_ns = 3, .cpu_ns = 1000, .wait_ns = 100,
		};
		t->slices[w][1] = (struct fs_record){
			.t_ns = start + 4 * s, .ops = 207, .off_ns = 4, .cpu_ns = 3 * s, .wait_ns = 200,
		};
		t->slices[w][2] = (struct fs_record){
			.t_ns = start + 10 * s, .ops = 507, .off_ns = 4, .cpu_ns = 9 * s, .wait_ns = 300,
		};
		r->workers[w].slices = t->slices[w];
		r->workers[w].nslices = 3;
		r->workers[w].wait_ns = 200;
	}
	t->series[0] = r->ops_per_sec * 0.875;
	t->series[1] = r->ops_per_sec * 1.125;
	r->series = t->series;
	r->nseries = 2;
	r->series_step_s = 5;
	r->interval = (struct fs_interval){
		.mean = r->ops_per_sec, .trimmed = r->ops_per_sec * 0.96875,
		.low = r->ops_per_sec * 0.9921875, .high = r->ops_per_sec * 1.0078125,
		.batches = 20, .lag1 = 0.125, .ess = 87.5, .reliable = true,
	};
	r->steady = (struct fs_steady){
		.judged = true, .drift = DRIFT_LATE_STEP, .change_at = 1, .change = 0.25,
		.slope = 1.5, .slope_low = -0.5, .slope_high = 3.5,
	};
	r->wait_s = 4e-7;
	for (unsigned n = 0; n < 1000; n++)
		fs_histogram_add(&t->service, 1000u << n % 4);
	r->service = &t->service;
	fs_histogram_summary(&r->kinds[0].latency, &t->service);
}

static inline void toy_skipped(struct stage_result *r, enum skip_kind kind, int err,
			       const char *reason)
{
	r->status = STATUS_SKIPPED;
	r->skip = kind;
	r->err = err;
	snprintf(r->reason, sizeof(r->reason), "%s", reason);
}

static inline void toy_host(struct run_result *run)
{
	run->target = (struct fs_target){
		.path = "/mnt/x",
		.fstype = "ext4",
		.source = "/dev/loop0",
		.mount_options = "rw,relatime",
		.block_size = 4096,
		.size_bytes = 1ull << 60,
		.free_bytes = 1ull << 40,
		.inodes = 65536,
		.free_inodes = 65000,
		.log_bytes = 16384000,
		.device = "loop0",
		.rotational = 0,
		.write_cache = -1,
		.scheduler = "none",
	};
	run->host = (struct fs_host){
		.kernel = "6.12.0",
		.release = "#1 SMP",
		.machine = "x86_64",
		.cpu_model = "Toy CPU",
		.cpus_online = 4,
		.numa_nodes = 1,
		.page_size = 4096,
		.mem_total_bytes = 8ull << 30,
		.governor = "performance",
		.mem_available_bytes = 6ull << 30,
		.swap_total_bytes = 1ull << 30,
		.swap_free_bytes = UINT64_MAX,
		.dirty = { .ratio = 20, .background_ratio = 10, .expire_cs = 3000, .writeback_cs = -1 },
		.autogroup = -1,
		.turbo = 1,
		.kconfig = "0123456789abcdef",
		.cmdline = "quiet \xff",
		.load = { 0.5, 0.25, -1 },
		.mitigations = "meltdown: Not affected\nretbleed: Mitigation: IBRS\n",
		.debug_configs = "KASAN LOCKDEP",
		.debug_configs_known = true,
	};
}

static inline void toy_run_make(struct toy_run *t, struct run_result *run)
{
	memset(t, 0, sizeof(*t));
	*run = (struct run_result){
		.config = &toy_config,
		.plan = &t->plan,
		.seed = UINT64_MAX - 1,
		.stages = t->results,
		.nstages = TOYS,
		.started_realtime_ns = 1700000000000000001,
	};
	toy_host(run);
	toy_stage(t, TOY_PASSED, "toy.alloc.fsync", 1);
	toy_stage(t, TOY_MIX, "mix", 2);
	toy_stage(t, TOY_SKIPPED, "toy.unshare", 1);
	toy_stage(t, TOY_FAILED, "toy.zero", 1);
	toy_stage(t, TOY_STUCK, "lease.break", 1);
	toy_stage(t, TOY_INCOMPLETE, "hang", 1);
	toy_stage(t, TOY_ABSENT, "io-uring", 1);
	t->stages[TOY_MIX].key_repeats = true;
	t->stages[TOY_MIX].notes[0] = (char *)"rounded down from 2.5";
	t->stages[TOY_ABSENT].stressor = NULL;
	t->stages[TOY_ABSENT].variant = NULL;
	t->stages[TOY_ABSENT].absent = "liburing";
	t->plan = (struct plan){ t->stages, TOYS, 93500000000, { (char *)"a note of the plan" } };
	toy_passed(t, TOY_PASSED, 12000);
	toy_device(&t->results[TOY_PASSED]);
	toy_passed(t, TOY_MIX, 100);
	toy_mix(&t->results[TOY_MIX]);
	toy_sampled(t, TOY_MIX);
	toy_skipped(&t->results[TOY_SKIPPED], SKIP_UNSUPPORTED, EOPNOTSUPP,
		    "fallocate: Operation not supported");
	toy_ran(t, TOY_FAILED, STATUS_FAILED, 77);
	t->results[TOY_FAILED].err = ENOSPC;
	strcpy(t->results[TOY_FAILED].reason,
	       "op: punch at 65536: No space left on device (ENOSPC)");
	toy_ran(t, TOY_STUCK, STATUS_NO_PROGRESS, 0);
	strcpy(t->results[TOY_STUCK].reason, "no op succeeded in 10.0 s");
	toy_ran(t, TOY_INCOMPLETE, STATUS_INCOMPLETE, 5);
	strcpy(t->results[TOY_INCOMPLETE].reason,
	       "worker 0 (tid 1234) run D in folio_wait_bit_common");
	toy_skipped(&t->results[TOY_ABSENT], SKIP_UNSUPPORTED, 0, "not built: needs liburing");
	fs_warn_add(run->warnings, &run->nwarnings, "on the root filesystem");
}

/* A repetition on another filesystem: rates far apart, a device that counts no flushes. */
static inline void toy_second_run(struct run_result *run)
{
	strcpy(run->target.path, "/mnt/y");
	strcpy(run->target.fstype, "xfs");
	run->stages[TOY_PASSED].ops_per_sec = 0.0012345;
	run->stages[TOY_PASSED].ops = 40;
	run->stages[TOY_PASSED].device_io.flushes = FS_UNKNOWN;
}

#endif
