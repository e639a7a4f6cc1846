/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stressor.h - the contract between a stressor and the runner; all that a stressor includes of ours
 *
 * A stressor is one file: it says what one op is, what state the op needs and how that state is
 * made again, and hands both over in a const descriptor named fs_stressor_NAME. The runner owns
 * everything else: tasks, pinning, warm-up, the clock, batches, rounds, counting, failure handling,
 * cleaning up.
 *
 * Conventions, unless a comment says otherwise
 *   errors   functions return >= 0, or -errno
 *   time     nanoseconds, CLOCK_MONOTONIC
 *   threads  a struct fs_worker belongs to the one task that runs it; a stressor keeps no mutable
 *            statics, so that two instances of it can live in one worker
 *   files    each worker has a descriptor table, a working directory and credentials of its own.
 *            What a fixture opened, mapped or created is closed, unmapped and removed by the
 *            runner, also when setup fails half-way
 */
#ifndef CORE_STRESSOR_H
#define CORE_STRESSOR_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "core/rng.h"
#include "platform/clock.h"
#include "platform/compiler.h"
#include "platform/syscall.h"

#define FS_KINDS_MAX	16
#define FS_COUNTERS_MAX	8
#define FS_NAME_STRIDE	32

/* Who shares what. Bits: a variant lists those that make sense for it; none always does. */
enum fs_share {
	FS_SHARE_NONE = 0,		/* an own file in an own directory */
	FS_SHARE_DIR = 1,		/* own files in one directory */
	FS_SHARE_FILE = 2,		/* own ranges of one file */
	FS_SHARE_RANGE = 4,		/* the same range of one file */
};

/* --- options ---------------------------------------------------------------------------------- */

enum fs_option_kind {
	FS_OPTION_SIZE = 1,		/* uint64_t, bytes: 4096 64K 1GiB */
	FS_OPTION_COUNT,		/* uint64_t, a plain number */
	FS_OPTION_ENUM,			/* int, index into names */
	FS_OPTION_FLAGS,		/* unsigned, bit i is names[i]; joined by + */
	FS_OPTION_WEIGHTS,		/* uint8_t[n], KIND=WEIGHT,...: a weight of each name */
	FS_OPTION_RATES,		/* uint32_t[n], KIND@RATE,...: ops/s of each name */
};

/*
 * One option of a stressor: --STRESSOR-NAME VALUE. The value is parsed into the prototype state at
 * offset, before anything runs, and copied to each worker. A value of an enum or flags option that
 * is not the default is appended to the result key (fallocate.alloc.fsync), so no two options that
 * go with one variant may share a value name.
 */
struct fs_option {
	const char *name;		/* "extents"; NULL ends the table */
	const char *def, *help;		/* default as it would be typed; one line */
	enum fs_option_kind kind;
	size_t offset, width;		/* of the field */
	uint64_t min, max;		/* numbers: inclusive */
	const char *const *names;	/* enum, flags, weights, rates; ends with NULL */
	const char *only;		/* the one variant that it means something to; NULL: all */
};

/* Behind help: further members, such as .only = "mix". */
#define FS_OPTION_(k, T, f, n, d, lo, hi, values, h, ...) \
	{ .name = (n), .def = (d), .help = (h), .kind = (k), .offset = offsetof(T, f), \
	  .width = sizeof(((T *)0)->f), .min = (lo), .max = (hi), .names = (values), __VA_ARGS__ }
#define FS_OPT_SIZE(T, f, def, min, max, ...) \
	FS_OPTION_(FS_OPTION_SIZE, T, f, #f, def, min, max, NULL, __VA_ARGS__)
#define FS_OPT_COUNT(T, f, def, min, max, ...) \
	FS_OPTION_(FS_OPTION_COUNT, T, f, #f, def, min, max, NULL, __VA_ARGS__)
#define FS_OPT_ENUM(T, f, def, names, ...) \
	FS_OPTION_(FS_OPTION_ENUM, T, f, #f, def, 0, 0, names, __VA_ARGS__)
#define FS_OPT_FLAGS(T, f, def, names, ...) \
	FS_OPTION_(FS_OPTION_FLAGS, T, f, #f, def, 0, 0, names, __VA_ARGS__)
#define FS_OPT_WEIGHTS(T, f, def, names, ...) \
	FS_OPTION_(FS_OPTION_WEIGHTS, T, f, #f, def, 0, 0, names, __VA_ARGS__)
#define FS_OPT_RATES(T, f, def, names, ...) \
	FS_OPTION_(FS_OPTION_RATES, T, f, #f, def, 0, 0, names, __VA_ARGS__)
#define FS_OPT_END	{ .name = NULL }

/* --- the descriptor --------------------------------------------------------------------------- */

struct fs_worker;

/*
 * A system call that batch_multiple ops (one, if that is 0) make exactly `n` times with the default
 * options, proved by the contract test under strace. args is a string that each such call's line
 * contains ("F_SETLEASE, F_RDLCK"); NULL: any. The same name may stand in several entries with
 * different args.
 */
struct fs_calls {
	const char *name;		/* as strace prints it; NULL ends the table */
	unsigned n;
	const char *args;
};

enum fs_variant_flags {
	FS_PROCESS = 1 << 0,		/* own mm, rlimits or signals: workers are processes */
	FS_ROOT = 1 << 1,		/* skipped, EPERM, when not root */
	FS_MEM = 1 << 2,		/* endpoint: CPU-bound on in-memory metadata */
	FS_IO = 1 << 3,			/* endpoint: waits for the device */
	FS_COLD = 1 << 4,		/* no warm-up: the first pass is what is measured */
	FS_REMOUNT = 1 << 5,		/* remounted between rounds; needs a disk we made */
	FS_NONSTATIONARY = 1 << 6,	/* cost depends on time; stays out of class runs */
	FS_LOAD = 1 << 7,		/* can be a --load: without refills, on the file it finds */
};

struct fs_variant {			/* one named op: --NAME-mode VARIANT, key NAME.VARIANT */
	const char *name;		/* "" where the stressor has but one op */
	const char *op;			/* the sentence that describe prints */
	const struct fs_calls *calls;
	const char *defaults;		/* its own: "state=unwritten order=next"; or NULL */
	/* Up to n ops; returns successes. FS_RUN_LOOP makes it. */
	uint64_t (*run)(struct fs_worker *w, uint64_t n);
	/*
	 * Make the state for n ops, or undo n ops; or NULL. With either a stage goes in rounds.
	 * n is at most round_ops, less when --ops ends, 0 for who only keeps step with others.
	 */
	int (*fill)(struct fs_worker *w, uint64_t n);
	int (*drain)(struct fs_worker *w, uint64_t n);
	uint64_t max_batch;		/* 0: no limit but the state */
	uint64_t batch_multiple;	/* batches are multiples of it; 0: 1 */
	unsigned helpers;		/* helper tasks per worker */
	unsigned flags;			/* enum fs_variant_flags */
	unsigned share;			/* enum fs_share bits allowed beside none */
	int64_t arg;			/* for the stressor: mode bits and the like */
};

enum fs_class {
	FS_CLASS_FILESYSTEM = 1 << 0,
	FS_CLASS_IO = 1 << 1,
	FS_CLASS_OS = 1 << 2,
	FS_CLASS_VFS = 1 << 3,
	FS_CLASS_WORKLOAD = 1 << 4,
};

enum fs_counter_kind {
	FS_COUNTER_SUM,			/* total over the window */
	FS_COUNTER_PER_OP,		/* total over the window / ops */
	FS_COUNTER_PER_SEC,		/* sum over workers of total / timed seconds */
	FS_COUNTER_LAST,		/* mean of the last fs_set() that are not 0; none: absent */
};

struct fs_counter {			/* a side metric */
	const char *name;		/* metric key [a-z0-9][a-z0-9_.-]*; NULL ends the table */
	const char *unit;
	enum fs_counter_kind kind;
};

struct fs_mode_alias {			/* another spelling of --NAME-mode VARIANT */
	const char *text, *variant;	/* text NULL ends the table */
};

/* What one worker needs; the runner multiplies and compares before anything is made. 0: nothing. */
struct fs_need {
	uint64_t bytes;			/* on the target; of a shared file, one worker's part */
	uint64_t inodes;
	uint64_t file_bytes;		/* size of the largest file, against RLIMIT_FSIZE */
	uint64_t descriptors;		/* in the worker's own table */
	uint64_t aio_slots;
};

struct fs_stressor {
	const char *name, *summary;
	const char *work_unit;		/* of what an op returns, "bytes"; NULL: nothing */
	const char *notes;		/* for describe: layout, kernel path; or NULL */
	unsigned classes;		/* enum fs_class bits */
	unsigned version;		/* workload version: bumped when what an op does changes */
	const char *in_class;		/* keys of class runs: "alloc alloc.fsync"; NULL: default */
	const struct fs_option *options;
	const struct fs_variant *variants;	/* first = default; ends with run == NULL */
	const struct fs_mode_alias *mode_aliases;	/* or NULL */
	const struct fs_counter *counters;	/* or NULL */
	const char *const *kinds;	/* of a mix: their names, ends with NULL; else NULL */
	const int *tolerated;		/* errnos tallied as not ops; ends with 0; or NULL */
	const int *unsupported;		/* errnos that, met in the trial, mean skipped; the same */
	size_t state_size;		/* options first; zeroed behind them */
	/* Refuse option values that do not fit together: -EINVAL and one line in why; or NULL. */
	int (*check)(const struct fs_variant *v, enum fs_share share, const void *state,
		     char why[256]);
	int (*need)(const struct fs_variant *v, const void *state, struct fs_need *per_worker);
	int (*setup)(struct fs_worker *w);
	int (*verify)(struct fs_worker *w);	/* after the window; a mismatch: fs_fail(w, EIO) */
	/*
	 * Undo what the fixtures below did not make. Also called when setup failed, half-way or
	 * before it began: the state is then as the options left it.
	 */
	void (*teardown)(struct fs_worker *w);
	int (*measure)(struct fs_worker *w);	/* once, after the window: side metrics; or NULL */
	int (*help)(struct fs_worker *w, unsigned i);	/* body of helper i, while fs_helping(w) */
	/* Load i that comes with a variant, as in --load, into text; false: no more. Or NULL. */
	bool (*load)(const struct fs_variant *v, const void *state, unsigned i, char text[128]);
};

/* --- the worker, as a stressor sees it -------------------------------------------------------- */

struct fs_kind_count {			/* in the shared area; written by the worker alone */
	uint64_t ops;
	uint64_t timed;			/* ops of this kind that were timed */
	uint64_t timed_ns;		/* their time */
};

struct fs_worker {
	void *state;			/* use fs_state() */
	uint64_t *ops, *work;		/* published counts (shared area) */
	uint64_t *counters;		/* [FS_COUNTERS_MAX], shared area */
	struct fs_kind_count *kinds;	/* [FS_KINDS_MAX], shared area */
	const struct fs_variant *variant;
	const char *names;		/* name table, see fs_name() */
	unsigned id, workers;		/* worker id of workers */
	unsigned kind;			/* a mixed op sets the kind it is about to run */
	bool stamp;			/* this batch times every op */
	uint64_t timed;			/* the op of this batch that is timed, from 1; 0: none */
	bool probing;			/* the one-op trial before the run: make a small state */
	bool load;			/* beside another's worker, on its file: make nothing */
	unsigned loads;			/* that work on this worker's file meanwhile */
	enum fs_share share;
	struct fs_rng rng;		/* the stream for offsets */
	uint64_t round_ops;		/* set by setup: most ops of one fill; 0: no limit */
};

static inline void *fs_state(struct fs_worker *w)
{
	return w->state;
}

/* 0 or more as it is, -1 as -errno: wraps a libc call. */
static inline long fs_sys(long rc)
{
	return rc < 0 ? -(long)errno : rc;
}

/* Add to, or set, side metric id. One relaxed store, allowed inside an op. */
static inline void fs_count(struct fs_worker *w, unsigned id, uint64_t k)
{
	fs_store(&w->counters[id], w->counters[id] + k);
}

static inline void fs_set(struct fs_worker *w, unsigned id, uint64_t value)
{
	fs_store(&w->counters[id], value);
}

/* Decide about a failed op: true to go on (tolerated and tallied), false to stop. */
bool fs_op_failed(struct fs_worker *w, long err) FS_SLOWPATH;
/* An op that began at `before` has returned rc. When the next one begins; 0: it is not timed. */
uint64_t fs_op_timed(struct fs_worker *w, uint64_t before, long rc) FS_SLOWPATH;

/*
 * Record the first failure of the stage and return -err. err > 0. The text says what was being
 * done ("punch at 65536"); the runner prints it with the errno, the stressor and the worker.
 * May be called by any task at any time.
 */
int fs_fail(struct fs_worker *w, int err, const char *fmt, ...) FS_SLOWPATH FS_PRINTF(3, 4);

/* --- the loop --------------------------------------------------------------------------------- */

static FS_ALWAYS_INLINE uint64_t fs_run_ops(struct fs_worker *w, uint64_t n,
					    long (*op)(struct fs_worker *), bool kinds)
{
	uint64_t *const published = w->ops, *const published_work = w->work;
	const uint64_t first = *published, timed = w->timed;
	uint64_t ops = first, work = *published_work;
	uint64_t before = w->stamp ? fs_now_ns() : 0;

	for (uint64_t i = 1; i <= n; i++) {
		long rc;

		if (fs_unlikely(i == timed))
			before = fs_now_ns();
		rc = op(w);
		if (fs_unlikely(before))
			before = fs_op_timed(w, before, rc);
		if (fs_unlikely(rc < 0)) {
			if (!fs_op_failed(w, rc))
				break;
			continue;
		}
		fs_store(published_work, work += (uint64_t)rc);
		fs_store(published, ++ops);
		if (kinds)
			fs_store(&w->kinds[w->kind].ops, w->kinds[w->kind].ops + 1);
	}
	return ops - first;
}

/* Instantiate the loop around `static inline long op(struct fs_worker *)`: work done or -errno. */
#define FS_RUN_LOOP(run, op) \
	static uint64_t run(struct fs_worker *w, uint64_t n) { return fs_run_ops(w, n, op, false); }

/*
 * The same for a mix: the op sets w->kind, and successes and time go to it. Batches chosen by the
 * runner (one in eight) stamp every op, so that a kind's mean time and share of time rest on all
 * kinds alike.
 */
#define FS_RUN_LOOP_KINDS(run, op) \
	static uint64_t run(struct fs_worker *w, uint64_t n) { return fs_run_ops(w, n, op, true); }

/*
 * For run functions written by hand: publish k more successes, at least every 100 us. They pass
 * `stamp` and `timed` by unless they call fs_op_timed() as the loop above does.
 */
static inline void fs_done(struct fs_worker *w, uint64_t k)
{
	fs_store(w->ops, *w->ops + k);
}

/* --- helpers ---------------------------------------------------------------------------------- */

/* In a helper: false once its worker has left the loop. */
bool fs_helping(const struct fs_worker *w);
/* Meet the worker and its helpers: true when all are here; false, for all, when one has ended. */
bool fs_meet(struct fs_worker *w);

/* --- fixtures: setup, fill, drain and verify only, never inside an op ------------------------- */

/*
 * The file of this worker: in its own directory, or the one that all share (w->share). Opened
 * O_NOFOLLOW | O_CLOEXEC with mode 0600; closed by the runner. With a shared file the leader's
 * setup ends before any other worker's begins. The first file that a load opens is the first one
 * that its worker has opened, if it has any; those after it are the load's own.
 */
int fs_file_open(struct fs_worker *w, const char *name, int flags);
/* The directory that fs_file_open works in. The runner's; do not close. */
int fs_dir(const struct fs_worker *w);
/* Whether this worker makes and refills the file: always, unless it is shared, or a load's. */
bool fs_leader(const struct fs_worker *w);
/* Where this worker's range of `bytes` starts in its file, and how long the whole file is. */
uint64_t fs_range_start(const struct fs_worker *w, uint64_t bytes);
uint64_t fs_range_total(const struct fs_worker *w, uint64_t bytes);

/* A page-aligned buffer full of this worker's seeded bytes; the runner's. NULL: out of memory. */
void *fs_buffer(struct fs_worker *w, size_t bytes);
/* Map file bytes shared, read-write, all pages touched; *map is the runner's. */
int fs_map(struct fs_worker *w, int fd, size_t bytes, void **map);

/* The file becomes one hole: ftruncate(0), ftruncate(bytes). A punch makes xfs write back first. */
int fs_make_hole(int fd, uint64_t bytes);
/* [start, start + bytes) written with the worker's bytes and synced (fsync); pages stay cached. */
int fs_make_written(struct fs_worker *w, int fd, uint64_t start, uint64_t bytes);
/* The same without the fsync: dirty pages. */
int fs_make_dirty(struct fs_worker *w, int fd, uint64_t start, uint64_t bytes);
/* count blocks (fs_block_size) of the worker's bytes, every stride-th from offset 0; not synced. */
int fs_make_blocks(struct fs_worker *w, int fd, uint64_t count, uint64_t stride);
/* fsync, then drop the file's cached data pages (fadvise DONTNEED). */
int fs_drop_pages(int fd);

/*
 * For verify: compare file bytes from `start` on with a buffer; with what fs_make_written() or
 * fs_make_dirty() put at `from`; with zero. The first difference is reported by fs_fail(w, EIO).
 */
int fs_check_bytes(struct fs_worker *w, int fd, uint64_t start, const void *want, uint64_t bytes);
int fs_check_written(struct fs_worker *w, int fd, uint64_t start, uint64_t from, uint64_t bytes);
int fs_check_zero(struct fs_worker *w, int fd, uint64_t start, uint64_t bytes);

/* Layouts of a file of extents. */
enum fs_layout {
	FS_LAYOUT_PUNCHED,		/* fallocated, every other block punched: exact */
	FS_LAYOUT_SPARSE,		/* every other block written: exact if holes are kept */
	FS_LAYOUT_CONTIGUOUS,		/* allocated in one piece: what the filesystem gave */
};
/*
 * Make a file of exactly k extents (contiguous: of 2k blocks), get its full size first (writing
 * past EOF lets xfs preallocate), sync it, and count. *extents is what there is; punched and sparse
 * fail with -ENOTUNIQ if that is not k.
 */
int fs_make_extents(struct fs_worker *w, int fd, enum fs_layout layout, uint64_t k,
		    uint64_t *extents);
/* Count extents by FS_IOC_FIEMAP; -EOPNOTSUPP where there is none. Does not sync. */
int fs_count_extents(int fd, uint64_t *extents);
/* The same for a range of it: extents that reach into [start, start + bytes). */
int fs_count_extents_in(int fd, uint64_t start, uint64_t bytes, uint64_t *extents);
/* The block that extents are made of: the filesystem's (statfs), which nothing can split. */
uint64_t fs_block_size(int fd);

/* Names of this worker for n entries, made once: fs_name(w, i), i < n, then formats nothing. */
int fs_make_names(struct fs_worker *w, uint64_t n);
static inline const char *fs_name(const struct fs_worker *w, uint64_t i)
{
	return w->names + i * FS_NAME_STRIDE;
}
/* Create, or remove, the first n names as empty files in a directory. */
int fs_make_files(struct fs_worker *w, int dir, uint64_t n);
int fs_remove_files(struct fs_worker *w, int dir, uint64_t n);

/* Remount the disk under test (FS_REMOUNT): closes all workers' files; fill opens them again. */
int fs_remount(struct fs_worker *w);

#endif
