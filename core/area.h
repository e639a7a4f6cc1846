/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * area.h - the shared area: the one place where supervisor, stages and workers meet
 *
 * One memfd per group of stages that run together (nearly always one stage). Its layout is fixed
 * and holds no pointer, so that processes that map it elsewhere, also after exec, agree on it,
 * and so that what a stage has counted outlives its crash. The supervisor makes it, writes the
 * plans, and is the only one that prints.
 *
 *   struct area         header, target of the group, the gate
 *   struct area_stage   [nstages], each followed by its slots and its histograms: area_stage(),
 *                       area_slot(), area_histogram()
 *
 * Writers: `plan` and `gate` by the supervisor alone; a slot by its worker alone; `failure` and
 * `stop` by whoever fails or stops the stage first; `times` and `workspace` by the stage's main
 * task, but for `left` and `verified`: by the worker that is the last.
 */
#ifndef CORE_AREA_H
#define CORE_AREA_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/histogram.h"
#include "core/slice.h"
#include "core/stressor.h"
#include "platform/gate.h"
#include "platform/perf.h"
#include "platform/task.h"

#define AREA_MAGIC		0x66737374u	/* "fsst" */
#define AREA_STATE_MAX		1024
#define AREA_KEY_MAX		128
#define AREA_TEXT_MAX		256
#define AREA_ERRNOS_MAX		8
#define AREA_WARNINGS_MAX	4
#define AREA_ROUNDS_MAX		16
#define AREA_HELPERS_MAX	2
#define AREA_LOADS_MAX		8
#define AREA_STAGES_MAX	128

enum area_phase {			/* of the whole group, set by the supervisor */
	AREA_PREPARE,
	AREA_WARMUP,			/* left out where the window opens at the release */
	AREA_MEASURE,
	AREA_STOP,
};

enum area_worker_phase {		/* of one worker */
	WORKER_STARTING,
	WORKER_SETUP,
	WORKER_READY,
	WORKER_FILL,
	WORKER_MEET,
	WORKER_RUN,
	WORKER_DRAIN,
	WORKER_VERIFY,
	WORKER_TEARDOWN,
	WORKER_ENDED,
};
extern const char *const fs_worker_phase_names[];

struct area_load {			/* an op beside each worker, on its file: see load.h */
	char stressor[32], variant[32], key[AREA_KEY_MAX];
	double rate;			/* ops/s, open loop */
	_Alignas(16) unsigned char state[AREA_STATE_MAX];
};

struct area_plan {			/* what a stage process is told: argv of the inside */
	char stressor[32], variant[32], key[AREA_KEY_MAX];
	uint32_t workers, share, process, verify, probing;
	uint32_t crowded;		/* more tasks than CPUs: do not spin */
	int32_t numa_node;		/* memory comes from this node; -1: as the kernel likes */
	uint32_t keep;			/* enum keep of config.h */
	uint64_t seed, ops_limit;	/* ops per worker; 0: by time */
	uint32_t latency, reference;	/* enums of config.h */
	double rate;			/* ops/s each worker starts, open loop; 0: closed loop */
	uint64_t settle_ns;		/* at most; 0: one syncfs */
	uint64_t need_bytes;		/* of one worker, for the time limit of prepare */
	uint32_t run_pid;		/* the supervisor, for names and the parent check */
	_Alignas(16) unsigned char state[AREA_STATE_MAX];	/* parsed options */
	uint32_t loads;
	struct area_load load[AREA_LOADS_MAX];
};

struct area_failure {
	uint32_t taken;			/* claimed by the first one that fails */
	uint32_t complete;		/* the rest is readable (acquire) */
	int32_t err;			/* errno, 0 where there is none (a signal) */
	int32_t worker;			/* -1: the stage itself */
	uint32_t load;			/* 1 + which one of the worker's; 0: none of them */
	int32_t signal;
	char where[16];			/* setup op verify ..., prepare helper load */
	char text[AREA_TEXT_MAX];
};

struct area_errno {
	int32_t err;
	uint32_t unused;
	uint64_t count;
};

struct area_times {			/* stamps, 0 while not reached */
	uint64_t started, prepared;	/* stage's main task entered; all workers set up */
	uint64_t settled, settle_ns;	/* settle ended; how long it took */
	uint64_t left, verified;	/* last worker out of the loop; past verify */
	uint64_t stopped;		/* all tasks joined (release) */
	uint32_t settle_ok;		/* the last syncfs took less than 20 ms */
	uint32_t kept;			/* workspace left in place on purpose */
};

struct area_warning {
	char text[160];
};

struct area_stage {
	struct area_plan plan;
	struct area_times times;
	struct area_failure failure;
	struct area_errno tolerated[AREA_ERRNOS_MAX];	/* claimed by compare-and-swap on err */
	uint32_t warnings;		/* claimed by fetch-and-add; beyond the maximum: dropped */
	struct area_warning warning[AREA_WARNINGS_MAX];
	char workspace[NAME_MAX + 1];	/* name of the work directory in the target, "" when gone */
	uint32_t setup_done;		/* workers, then loads, whose setup has ended well */
	uint32_t leader_done;		/* futex word: the leader's setup is over (shared files) */
	uint32_t loop_done;		/* workers that have left the loop */
	uint32_t verified;		/* workers past verify and side metrics */
	uint32_t ended;			/* workers whose task is over */
	FS_LINE_ALIGNED uint32_t stop;	/* polled between batches */
	uint32_t abandoned;		/* what is being made, or removed, is of no use any more */
	FS_LINE_ALIGNED uint64_t round_over;	/* the last round that somebody ended */
	uint32_t counted;		/* where all stay in step: workers that did their --ops */
	uint64_t round_told;		/* the last moment of a round that was told: tracing.c */
	FS_LINE_ALIGNED struct fs_barrier barrier;	/* rounds: all workers meet */
	FS_LINE_ALIGNED struct fs_barrier finish;	/* all workers have left the loop */
};

struct area_round {			/* when a round filled, was timed, drained: stamps */
	uint64_t fill, run, run_end, drain_end;
};

struct area_load_count {		/* written by the load alone */
	uint64_t ops;
	uint64_t late_ns;		/* how late an op started at worst, in the window */
};

struct area_slot {			/* one worker; but for `load` nobody else writes here */
	/* read by the supervisor at both ends of the window */
	FS_LINE_ALIGNED uint64_t ops;
	uint64_t work;
	/*
	 * Time off the clock, in one word so that it is never seen half-changed: on the clock it is
	 * the sum of all finished off periods; off the clock FS_OFF_FLAG is set and the rest is
	 * (start of this period - that sum). off(now) = flag ? now - rest : value.
	 * Set by the supervisor at the release, when nobody else writes it: 0 for a variant without
	 * rounds, which is on the clock at once; off since the release for one with rounds.
	 */
	uint64_t off;
	uint64_t batch;			/* ops in a batch */
	uint64_t batches;		/* done so far */
	uint64_t end_ns;		/* when --ops N was reached */
	uint32_t batch_fixed, phase;
	uint64_t late_ns;		/* open loop: how late an op started at worst */
	uint64_t phase_since;
	struct fs_kind_count kinds[FS_KINDS_MAX];
	uint64_t counters[FS_COUNTERS_MAX];
	/* side of the task */
	FS_LINE_ALIGNED int32_t cpu;	/* planned, by the supervisor, before the start; -1: none */
	int32_t helper_cpu[AREA_HELPERS_MAX + AREA_LOADS_MAX];
	char file[FS_NAME_STRIDE];	/* the first one that it opened; "": none yet */
	uint32_t tid, pid;
	int32_t cpu_start, cpu_end;	/* where it really was */
	uint32_t pin_lost;
	uint32_t usage_marks;		/* how many of the two below are there */
	struct fs_usage usage[2];	/* first batch inside the window; first batch after it */
	uint64_t perf[2][FS_PERF_EVENTS];	/* the same; UINT64_MAX: not counted */
	uint64_t rounds;		/* finished; round r is kept at r % AREA_ROUNDS_MAX */
	struct area_round round[AREA_ROUNDS_MAX];
	FS_LINE_ALIGNED struct fs_barrier meet;	/* with the helpers */
	FS_LINE_ALIGNED struct area_load_count load[AREA_LOADS_MAX];
	/* Left empty by runs of --ops, whose workers make no call but those of their ops. */
	FS_LINE_ALIGNED struct fs_slices slices;
};

struct area_gate {
	uint32_t go;			/* futex word: 1 once start_ns is valid */
	uint32_t phase;			/* enum area_phase */
	uint64_t start_ns;		/* when all start */
};

struct area_tracing {			/* see tracing.h; all zero: nothing is lent */
	uint32_t rounds;		/* workers have something to tell at each round */
	uint32_t turn;			/* who may speak to perf */
	uint32_t failed;		/* perf has not done as it was told */
	int32_t perf_commands, perf_answers, marker;	/* descriptors of stage processes, or -1 */
};

struct area {
	uint32_t magic, nstages;
	uint64_t bytes;			/* of the whole area */
	struct {
		uint64_t offset, slots, histograms;
	} stage[AREA_STAGES_MAX];
	char target[PATH_MAX];		/* as given; relative to the supervisor's directory */
	uint64_t target_dev;		/* its st_dev when it was looked at; 0: was not */
	/* A disk that we made: how to mount it again. mount_source empty: not ours. */
	char mount_source[64], mount_point[64], mount_fstype[16], mount_data[256];
	uint64_t mount_flags, mount_below_dev;
	FS_LINE_ALIGNED struct area_gate gate;
	FS_LINE_ALIGNED struct area_tracing tracing;
};
#define FS_OFF_FLAG		(1ull << 63)

static inline struct area_stage *area_stage(struct area *a, unsigned i)
{
	return (struct area_stage *)((char *)a + a->stage[i].offset);
}

static inline struct area_slot *area_slot(struct area *a, unsigned stage, unsigned worker)
{
	return (struct area_slot *)((char *)a + a->stage[stage].slots) + worker;
}

static inline struct fs_histogram *area_histogram(struct area *a, unsigned stage, unsigned i)
{
	return (struct fs_histogram *)((char *)a + a->stage[stage].histograms) + i;
}

static inline uint64_t fs_off_ns(uint64_t word, uint64_t now)
{
	return word & FS_OFF_FLAG ? now - (word & ~FS_OFF_FLAG) : word;
}

struct area_size {			/* what a stage needs */
	uint64_t workers, histograms;
};

/* How large one is; a file to RLIMIT_FSIZE, though in memory. */
uint64_t fs_area_bytes(unsigned stages, const struct area_size *sum);
/* Make an area for n stages: a zeroed memfd, mapped; not close-on-exec. */
int fs_area_create(unsigned n, const struct area_size sizes[], struct area **area, int *fd);
/* Map the area behind an inherited descriptor; -EINVAL when it is not one. */
int fs_area_open(int fd, struct area **area);
void fs_area_close(struct area *area, int fd);

/* Keep a failure if it is the stage's first; sets taken and complete. Does not stop the stage. */
void fs_area_fail(struct area_stage *s, const struct area_failure *f);
/* Keep a warning for the result; dropped when AREA_WARNINGS_MAX are there. */
void fs_area_warn(struct area_stage *s, const char *fmt, ...) FS_PRINTF(2, 3);
/*
 * Stop a stage: sets the flag, wakes the workers that wait for a round or for the leader's set-up.
 * Ops in flight end by themselves, those with a helper as well: a worker lets its helpers go when
 * it leaves the loop. Idempotent.
 */
void fs_area_stop(struct area *a, unsigned stage);
/* The same for a stage that has failed or is interrupted: set-up and refills end early as well. */
void fs_area_abandon(struct area *a, unsigned stage);
/*
 * Whether the directory open at fd is no longer on the filesystem that was looked at: somebody has
 * unmounted it, or a remount has failed, and the files would go to what lies below the mount point.
 * A disk of ours gets a new device number from some filesystems with each mount: there it must
 * not be that of what lies below. A bind mount of what lies below it is not told apart.
 */
bool fs_area_moved(const struct area *a, int fd);
/* Tally a tolerated errno; false when AREA_ERRNOS_MAX different ones are there already. */
bool fs_area_tally(struct area_stage *s, int err);

#endif
