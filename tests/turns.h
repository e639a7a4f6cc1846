/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.h - several instances of a variant on one CPU, of which one runs at a time
 *
 * An instance is a worker with an area, a directory and a task of its own; the task goes through the runner's own
 * life of a worker (fs_worker_main). Its variant is a copy whose run, fill and drain first wait until it is the
 * instance's turn, so an instance at rest sleeps, and neither its fills nor its helpers take part in another's time.
 * A turn ends when enough time was spent in ops, between two rounds if one comes soon, and yields a count and a time
 * of the ops alone.
 */
#ifndef TESTS_TURNS_H
#define TESTS_TURNS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/config.h"
#include "core/key.h"
#include "core/option.h"
#include "core/remove.h"
#include "core/worker.h"
#include "platform/settle.h"

struct turn {			/* in shared memory: an instance may be a process */
	uint32_t taken;		/* futex word: 1 while it is the instance's turn */
	uint64_t least_ns, most_ns;	/* in ops, until it ends: at the end of a round, at any batch */
	uint64_t until_ns;	/* or at that time */
	uint64_t ops, ns;	/* done, and the time they took */
};

struct instance {
	struct worker k;	/* first: a stressor's pointer is ours */
	struct worker helpers[AREA_HELPERS_MAX];
	struct fs_variant variant;	/* the copy */
	const struct fs_variant *real;
	struct turn *turn;
	char dir[16];		/* its name in the target */
	int area_fd, turn_fd;
	unsigned started;	/* helpers */
	uint64_t scratch[2 + FS_COUNTERS_MAX];	/* where helpers count */
	struct fs_kind_count scratch_kinds[FS_KINDS_MAX];
};

/* --- in the instance's task ------------------------------------------------------------------- */

static inline struct instance *turns_of(struct fs_worker *w)
{
	return (struct instance *)(void *)fs_worker_of(w);
}

static inline void turns_give_back(struct instance *in)
{
	fs_store_release(&in->turn->taken, 0);
	fs_futex_wake_all(&in->turn->taken);
}

/* The failure comes first: who deals out the turns looks for it when this one is over. */
static inline int turns_fail(struct instance *in, int rc)
{
	fs_worker_failed(&in->k, rc);
	turns_give_back(in);
	return rc;
}

/* False when the instance is to end instead. */
static inline bool turns_await(struct instance *in)
{
	while (!fs_load_acquire(&in->turn->taken) && !fs_worker_stopped(&in->k))
		fs_futex_wait(&in->turn->taken, 0, 0);
	return !fs_worker_stopped(&in->k);
}

static inline uint64_t turns_run(struct fs_worker *w, uint64_t n)
{
	struct instance *in = turns_of(w);
	struct turn *t = in->turn;
	uint64_t start, now, done;

	if (!turns_await(in))
		return 0;
	start = fs_now_ns();
	done = in->real->run(w, n);
	now = fs_now_ns();
	t->ops += done;
	t->ns += now - start;
	if (fs_worker_stopped(&in->k) || now >= t->until_ns ||
	    t->ns >= (in->real->fill || in->real->drain ? t->most_ns : t->least_ns))
		turns_give_back(in);
	return done;
}

/* The loop fills between rounds: here a turn ends that has had enough. */
static inline int turns_fill(struct fs_worker *w, uint64_t n)
{
	struct instance *in = turns_of(w);
	int rc;

	if (fs_load(&in->turn->taken) &&
	    (in->turn->ns >= in->turn->least_ns || fs_now_ns() >= in->turn->until_ns))
		turns_give_back(in);
	if (!turns_await(in))
		return -ECANCELED;
	rc = in->real->fill ? in->real->fill(w, n) : 0;
	return rc < 0 ? turns_fail(in, rc) : rc;
}

/* What is left at the end is drained as well; nobody else runs then. */
static inline int turns_drain(struct fs_worker *w, uint64_t n)
{
	struct instance *in = turns_of(w);
	int rc;

	turns_await(in);
	rc = in->real->drain(w, n);
	return rc < 0 ? turns_fail(in, rc) : rc;
}

/* --- by the one who deals out the turns --------------------------------------------------------- */

static inline bool turns_failed(const struct instance *in)
{
	return fs_load_acquire(&in->k.stage->failure.taken);
}

/* One turn. False when the instance has failed. */
static inline bool turns_take(struct instance *in, uint64_t least_ns, uint64_t most_ns, uint64_t limit_ns)
{
	*in->turn = (struct turn){
		.least_ns = least_ns, .most_ns = most_ns, .until_ns = fs_now_ns() + limit_ns,
	};
	fs_store_release(&in->turn->taken, 1);
	fs_futex_wake_all(&in->turn->taken);
	while (fs_load_acquire(&in->turn->taken) && !turns_failed(in))
		fs_futex_wait(&in->turn->taken, 1, FS_NSEC_PER_SEC);
	return !turns_failed(in);
}

static inline int turns_plan(struct instance *in, const struct fs_stressor *s, int cpu)
{
	struct area_plan *plan = &in->k.stage->plan;
	const size_t bytes = (s->state_size / FS_LINE + 1) * FS_LINE;
	char why[OPTION_WHY_MAX];

	in->k.pub.state = aligned_alloc(FS_LINE, bytes);
	if (!in->k.pub.state)
		return -ENOMEM;
	snprintf(plan->stressor, sizeof(plan->stressor), "%s", s->name);
	snprintf(plan->variant, sizeof(plan->variant), "%s", in->real->name);
	fs_key_of_variant(s, in->real, plan->key);
	plan->process = in->real->flags & FS_PROCESS ? 1 : 0;
	plan->seed = 1;		/* the same for all: they do the same work */
	plan->run_pid = (uint32_t)getpid();
	in->k.slot->cpu = cpu;
	for (unsigned i = 0; i < AREA_HELPERS_MAX; i++)
		in->k.slot->helper_cpu[i] = cpu;
	memset(in->k.pub.state, 0, bytes);
	return fs_option_defaults(s, in->real, in->k.pub.state, why);
}

static inline void turns_worker(struct instance *in, const struct fs_stressor *s, int dir)
{
	struct worker *k = &in->k;

	k->stressor = s;
	k->dirs = (struct worker_dirs){ .target_fd = -1, .workspace_fd = dir, .marker_fd = -1 };
	k->dir_fd = k->wait_fd = k->helper = -1;
	k->where = "start";
	k->pub.ops = &k->slot->ops;
	k->pub.work = &k->slot->work;
	k->pub.kinds = k->slot->kinds;
	k->pub.counters = k->slot->counters;
	k->pub.variant = &in->variant;
	k->pub.workers = 1;
	fs_barrier_init(&k->stage->barrier, 1);
	fs_barrier_init(&k->stage->finish, 1);
	fs_barrier_init(&k->slot->meet, 1 + in->real->helpers);
	k->area->gate.phase = AREA_WARMUP;
	k->area->gate.start_ns = fs_now_ns();
	k->area->gate.go = 1;
}

static inline int turns_start_helpers(struct instance *in)
{
	int rc = 0;

	for (unsigned i = 0; i < in->real->helpers && rc == 0; i++) {
		struct worker *h = &in->helpers[i];

		*h = in->k;
		h->helper = (int)i;
		h->pub.ops = &in->scratch[0];
		h->pub.work = &in->scratch[1];
		h->pub.counters = &in->scratch[2];
		h->pub.kinds = in->scratch_kinds;
		rc = fs_task_start(&h->task, in->k.stage->plan.process, fs_helper_main, h);
		in->started += rc == 0;
	}
	return rc;
}

/* Set up by its task, then its helpers, then what both have written: as a stage does. */
static inline int turns_start(struct instance *in, int target)
{
	struct area_stage *stage = in->k.stage;
	bool settled;
	int rc = fs_task_start(&in->k.task, stage->plan.process, fs_worker_main, &in->k);

	if (rc < 0)
		return rc;
	while (!fs_load_acquire(&stage->setup_done) && !turns_failed(in))
		fs_futex_wait(&stage->setup_done, 0, FS_NSEC_PER_SEC / 100);
	rc = turns_failed(in) ? -ECANCELED : turns_start_helpers(in);
	return rc < 0 ? rc : fs_settle(target, FS_NSEC_PER_SEC, true, &settled);
}

/*
 * Make instance `number` of a variant in a directory of its own in `target`, and bring it to its first op. On failure
 * -errno, or what k.stage->failure says. turns_end() in either case.
 */
static inline int turns_make(struct instance **made, const struct fs_stressor *s, const struct fs_variant *v,
			     int target, unsigned number, int cpu)
{
	const struct area_size one = { 1, 1 };
	struct instance *in = aligned_alloc(FS_LINE, sizeof(*in));
	int dir, rc;

	*made = in;
	if (!in)
		return -ENOMEM;
	memset(in, 0, sizeof(*in));
	in->real = v;
	in->variant = *v;
	in->variant.run = turns_run;
	in->variant.fill = v->fill || v->drain ? turns_fill : NULL;
	in->variant.drain = v->drain ? turns_drain : NULL;
	rc = fs_area_create(1, &one, &in->k.area, &in->area_fd);
	in->turn = fs_shared_create("turn", sizeof(*in->turn), &in->turn_fd);
	if (rc < 0 || !in->turn)
		abort();		/* out of memory before anything was begun */
	in->k.stage = area_stage(in->k.area, 0);
	in->k.slot = area_slot(in->k.area, 0, 0);
	snprintf(in->dir, sizeof(in->dir), "i%u", number);
	if (mkdirat(target, in->dir, 0700))
		return -errno;
	dir = openat(target, in->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	turns_worker(in, s, dir);
	rc = turns_plan(in, s, cpu);
	return rc < 0 ? rc : turns_start(in, target);
}

/* After its start the batch stays as it is: as when the window opens. */
static inline void turns_open_window(struct instance *in)
{
	fs_store_release(&in->k.area->gate.phase, AREA_MEASURE);
}

static inline void turns_end(struct instance *in, int target)
{
	char what[NAME_MAX + 1];

	if (!in)
		return;
	fs_area_stop(in->k.area, 0);
	fs_store_release(&in->turn->taken, 2);	/* who was about to sleep does not */
	fs_futex_wake_all(&in->turn->taken);
	if (in->k.task.pid || in->k.task.thread)
		fs_task_join(&in->k.task);
	for (unsigned i = 0; i < in->started; i++)
		fs_task_join(&in->helpers[i].task);
	if (in->k.dirs.workspace_fd > 0) {
		fs_remove_contents(in->k.dirs.workspace_fd, NULL, what);
		close(in->k.dirs.workspace_fd);
		fs_remove_directory(target, in->dir);
	}
	munmap(in->turn, sizeof(*in->turn));
	close(in->turn_fd);
	fs_area_close(in->k.area, in->area_fd);
	free(in->k.pub.state);
	free(in);
}

#endif
