// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/preflight.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/units.h"

/* What a worker has open beside its own: streams, area, target, workspace, marker, directory. */
#define PREFLIGHT_OWN_DESCRIPTORS 16
/* Directories and the marker that the runner makes itself. */
#define PREFLIGHT_OWN_INODES 4

static void FS_PRINTF(4, 5) preflight_skip(struct stage_result *r, enum skip_kind kind, int err,
					   const char *fmt, ...)
{
	va_list args;

	r->status = STATUS_SKIPPED;
	r->skip = kind;
	r->err = err;
	va_start(args, fmt);
	vsnprintf(r->reason, sizeof(r->reason), fmt, args);
	va_end(args);
}

static uint64_t preflight_usable(uint64_t free_now)
{
	return free_now - free_now / 10;
}

static void preflight_possible(const struct fs_target *t, struct stage_result *r)
{
	const struct stage *s = r->stage;

	if (s->absent)
		preflight_skip(r, SKIP_UNSUPPORTED, ENOSYS,
			       "not built: %s was not found by configure", s->absent);
	else if (s->variant->flags & FS_ROOT && geteuid() != 0)
		preflight_skip(r, SKIP_UNSUPPORTED, EPERM, "needs root");
	else if (s->variant->flags & FS_REMOUNT && !t->ours)
		preflight_skip(r, SKIP_UNSUPPORTED, EOPNOTSUPP,
			       "needs a disk that can be remounted: --disk");
}

/* Limits of one worker. */
static void preflight_worker(const struct fs_limits *l, struct stage_result *r)
{
	const struct fs_need *n = &r->stage->need;
	const uint64_t descriptors = n->descriptors + PREFLIGHT_OWN_DESCRIPTORS;
	char a[32], b[32];

	if (n->file_bytes > l->file_bytes)
		preflight_skip(r, SKIP_NEED, EFBIG,
			       "needs a file of %s, has a limit of %s (RLIMIT_FSIZE, ulimit -f)",
			       fs_print_size(n->file_bytes, a, sizeof(a)),
			       fs_print_size(l->file_bytes, b, sizeof(b)));
	else if (descriptors > l->descriptors_hard)
		preflight_skip(r, SKIP_NEED, EMFILE,
			       "needs %" PRIu64 " descriptors, has %" PRIu64
			       " (RLIMIT_NOFILE, soft %" PRIu64 ", hard %" PRIu64 ")", descriptors,
			       l->descriptors_hard, l->descriptors_soft, l->descriptors_hard);
}

struct preflight_total {
	uint64_t bytes, inodes, tasks, aio_slots, workers;
	struct area_size area;
	unsigned stages;
};

/* sum + each * n, or the largest number: needs that no machine has must not wrap around and fit. */
static uint64_t preflight_sum(uint64_t sum, uint64_t each, uint64_t n)
{
	uint64_t all;

	if (__builtin_mul_overflow(each, n, &all) || __builtin_add_overflow(sum, all, &all))
		return UINT64_MAX;
	return all;
}

static void preflight_add(struct preflight_total *t, const struct stage *s)
{
	t->stages++;
	t->workers += s->workers;
	t->area.workers += s->workers;
	t->area.histograms += s->histograms;
	t->bytes = preflight_sum(t->bytes, s->need.bytes, s->workers);
	t->inodes += (s->need.inodes + 1) * s->workers + PREFLIGHT_OWN_INODES;
	t->tasks += (1 + fs_stage_helpers(s)) * (uint64_t)s->workers;
	t->aio_slots += s->need.aio_slots * s->workers;
}

/* Limits of all workers together. */
static void preflight_all(const struct fs_target *t, const struct fs_limits *l,
			  const struct preflight_total *all, struct stage_result *r)
{
	const uint64_t area = fs_area_bytes(all->stages, &all->area);
	char a[32], b[32];

	if (area > l->file_bytes)
		preflight_skip(r, SKIP_NEED, EFBIG,
			       "needs %s of shared memory, has a limit of %s (RLIMIT_FSIZE, "
			       "ulimit -f)", fs_print_size(area, a, sizeof(a)),
			       fs_print_size(l->file_bytes, b, sizeof(b)));
	else if (all->bytes > preflight_usable(t->free_bytes))
		preflight_skip(r, SKIP_NEED, ENOSPC,
			       "needs %s for %" PRIu64 " worker(s), "
			       "has %s (90 %% of the free space)",
			       fs_print_size(all->bytes, a, sizeof(a)), all->workers,
			       fs_print_size(preflight_usable(t->free_bytes), b, sizeof(b)));
	else if (t->inodes && all->inodes > preflight_usable(t->free_inodes))
		preflight_skip(r, SKIP_NEED, ENOSPC,
			       "needs %" PRIu64 " inodes, has %" PRIu64 " (90 %% of the free ones)",
			       all->inodes, preflight_usable(t->free_inodes));
	else if (all->tasks > l->tasks)
		preflight_skip(r, SKIP_NEED, EAGAIN, "needs %" PRIu64 " tasks, has %" PRIu64
			       " (RLIMIT_NPROC, threads-max, pids.max)", all->tasks, l->tasks);
	else if (all->aio_slots > l->aio_slots)
		preflight_skip(r, SKIP_NEED, EAGAIN, "needs %" PRIu64 " aio slots, has %" PRIu64
			       " (fs.aio-max-nr less aio-nr)", all->aio_slots, l->aio_slots);
}

unsigned fs_preflight(const struct fs_target *target, const struct fs_limits *limits,
		      struct stage_result *results, unsigned n)
{
	struct preflight_total all = { 0 };
	unsigned skipped = 0;

	for (unsigned i = 0; i < n; i++) {
		if (results[i].status == STATUS_PLANNED)
			preflight_possible(target, &results[i]);
		if (results[i].status == STATUS_PLANNED)
			preflight_worker(limits, &results[i]);
		if (results[i].status == STATUS_PLANNED)
			preflight_add(&all, results[i].stage);
	}
	for (unsigned i = 0; i < n; i++) {
		if (results[i].status == STATUS_PLANNED)
			preflight_all(target, limits, &all, &results[i]);
		skipped += results[i].status == STATUS_SKIPPED;
	}
	return skipped;
}
