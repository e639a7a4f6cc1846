// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stage process: its main task makes the workspace and the workers, settles the filesystem, and
 * cleans up. It takes no part in what is measured.
 */
#include "core/stage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/config.h"
#include "core/latency.h"
#include "core/load.h"
#include "core/registry.h"
#include "core/worker.h"
#include "core/workspace.h"
#include "platform/settle.h"

#define STAGE_POLL_NS (10 * FS_NSEC_PER_MSEC)

struct stage_run {
	struct area *area;
	struct area_stage *stage;
	unsigned index;
	const struct fs_stressor *stressor;
	const struct fs_variant *variant;
	struct workspace ws;
	struct worker *workers;		/* [plan.workers], then for each its helpers and loads */
	unsigned nworkers, started;
	unsigned beside;		/* helpers and loads of one worker */
	char *states;			/* one state for each of them */
	size_t stride;			/* from one to the next */
};

static int stage_fail(struct stage_run *r, int rc, const char *text)
{
	struct area_failure f = { .err = -rc, .worker = -1, .where = "prepare" };

	snprintf(f.text, sizeof(f.text), "%s", text);
	fs_area_fail(r->stage, &f);
	fs_area_abandon(r->area, r->index);
	return rc;
}

/* --- prepare ---------------------------------------------------------------------------------- */

/* A limit on descriptors that the hard limit allows to exceed is no reason to fail. */
static void stage_raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int stage_find(struct stage_run *r)
{
	const struct fs_entry *entry = fs_registry_find(r->stage->plan.stressor);

	r->stressor = entry ? entry->stressor : NULL;
	r->variant = r->stressor ? fs_variant_find(r->stressor, r->stage->plan.variant) : NULL;
	return r->variant ? 0 : stage_fail(r, -ENOENT, "no such stressor");
}

/* -ESTALE: it is no longer mounted. */
static int stage_open_target(const struct stage_run *r)
{
	const int target = open(r->area->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (target < 0)
		return -errno;
	if (!fs_area_moved(r->area, target))
		return target;
	close(target);
	return -ESTALE;
}

static int stage_workspace(struct stage_run *r)
{
	const int target = stage_open_target(r);
	int rc;

	if (target < 0)
		return stage_fail(r, target, target == -ESTALE ? "the target is no longer mounted" :
								 "open the target");
	rc = fs_workspace_create(target, r->stage->plan.run_pid, &r->ws);
	close(target);
	if (rc < 0)
		return stage_fail(r, rc, "make the work directory");
	memcpy(r->stage->workspace, r->ws.name, sizeof(r->ws.name));
	return 0;
}

/* Zeroed, on lines that nothing else is on. */
static void *stage_lines(size_t bytes)
{
	void *p = aligned_alloc(FS_LINE, bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

/* The largest, and no two on a line: ops write to them. */
static size_t stage_stride(const struct stage_run *r)
{
	size_t bytes = r->stressor->state_size;

	for (unsigned i = 0; i < r->stage->plan.loads; i++) {
		const size_t of_load = fs_load_stressor(&r->stage->plan.load[i])->state_size;

		bytes = of_load > bytes ? of_load : bytes;
	}
	return (bytes / FS_LINE + 1) * FS_LINE;
}

/* Helpers, and loads, count where nobody looks, but for the ops of a load. */
static void stage_init_helper(struct stage_run *r, struct worker *k, unsigned i)
{
	k->helper = (int)i;
	k->pub.ops = &k->spare.ops;
	k->pub.work = &k->spare.work;
	k->pub.counters = k->spare.counters;
	k->pub.kinds = k->spare.kinds;
	if (i >= r->variant->helpers)
		fs_load_init(k, i - r->variant->helpers);
}

static void stage_init_worker(struct stage_run *r, unsigned i)
{
	const unsigned id = i < r->nworkers ? i : (i - r->nworkers) / r->beside;
	struct worker *k = &r->workers[i];
	struct area_slot *slot = area_slot(r->area, r->index, id);

	*k = (struct worker){
		.pub = {
			.state = r->states + i * r->stride, .variant = r->variant,
			.id = id, .workers = r->nworkers, .loads = r->stage->plan.loads,
			.probing = r->stage->plan.probing, .share = r->stage->plan.share,
			.ops = &slot->ops, .work = &slot->work,
			.kinds = slot->kinds, .counters = slot->counters,
		},
		.area = r->area, .stage = r->stage, .slot = slot,
		.stage_index = r->index, .stressor = r->stressor,
		.dirs = { r->ws.target_fd, r->ws.dir_fd, r->ws.marker_fd, r->ws.name },
		.dir_fd = -1, .wait_fd = -1, .helper = -1, .where = "start",
	};
	memcpy(k->pub.state, r->stage->plan.state, r->stressor->state_size);
	if (i < r->nworkers) {
		const struct fs_latency_places p =
			fs_latency_places(r->area, r->index, r->stressor, r->variant, id);

		k->reference.kind = (enum reference)r->stage->plan.reference;
		k->service = p.service;
		k->response = p.response;
	} else {
		stage_init_helper(r, k, (i - r->nworkers) % r->beside);
	}
}

static int stage_init_workers(struct stage_run *r)
{
	const unsigned n = r->nworkers * (1 + r->beside);

	r->workers = stage_lines(n * sizeof(*r->workers));
	r->stride = stage_stride(r);
	r->states = stage_lines(n * r->stride);
	if (!r->workers || !r->states)
		return stage_fail(r, -ENOMEM, "memory for the workers");
	for (unsigned i = 0; i < n; i++)
		stage_init_worker(r, i);
	fs_barrier_init(&r->stage->barrier, r->nworkers);
	fs_barrier_init(&r->stage->finish, r->nworkers);
	for (unsigned i = 0; i < r->nworkers; i++)
		fs_barrier_init(&r->workers[i].slot->meet, 1 + r->variant->helpers);
	return 0;
}

/* Those that do not start are missed at the barriers: leave in their stead. */
static int stage_start(struct stage_run *r, unsigned end, void (*body)(void *))
{
	for (; r->started < end; r->started++) {
		struct worker *k = &r->workers[r->started];
		const int rc = fs_task_start(&k->task, r->stage->plan.process, body, k);

		if (rc == 0)
			continue;
		for (unsigned i = r->started; i < r->nworkers; i++)
			fs_barrier_leave(&r->stage->finish);
		return stage_fail(r, rc, "start a worker");
	}
	return 0;
}

/* --- workers that end before their time ------------------------------------------------------- */

static void stage_task_ended(struct stage_run *r, struct worker *k, int status)
{
	struct area_failure f = { .worker = (int32_t)k->pub.id, .load = k->load };

	if (status == 0)
		return;
	if (WIFSIGNALED(status))
		f.signal = WTERMSIG(status);
	else
		f.err = ECHILD;		/* it has left by exit(3), as a sanitizer makes it */
	snprintf(f.where, sizeof(f.where), "%s",
		 k->load ? "load" : fs_worker_phase_names[fs_load(&k->slot->phase)]);
	fs_area_fail(r->stage, &f);
	fs_area_abandon(r->area, r->index);
	fs_barrier_abort(&r->stage->finish);
	fs_barrier_abort(&k->slot->meet);
}

/* Processes that have ended, or that a signal has killed, while others are still waited for. */
static void stage_reap(struct stage_run *r)
{
	int status;
	pid_t pid;

	while (r->stage->plan.process && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned i = 0; i < r->started; i++) {
			if (r->workers[i].task.pid != pid)
				continue;
			r->workers[i].task.pid = 0;
			stage_task_ended(r, &r->workers[i], status);
		}
	}
}

/* Until n tasks are set up; false: the stage was stopped. */
static bool stage_await_setup(struct stage_run *r, unsigned n)
{
	uint32_t done;

	while ((done = fs_load_acquire(&r->stage->setup_done)) < n) {
		if (fs_load(&r->stage->stop))
			return false;
		fs_futex_wait(&r->stage->setup_done, done, STAGE_POLL_NS);
		stage_reap(r);
	}
	return true;
}

static void stage_settle(struct stage_run *r)
{
	const uint64_t begin = fs_now_ns();
	bool settled = false;
	int rc;

	r->stage->times.prepared = begin;
	if (!r->stage->plan.probing) {
		rc = fs_settle(r->ws.target_fd, r->stage->plan.settle_ns,
			       r->area->mount_source[0] != 0, &settled);
		if (rc < 0)
			fs_area_warn(r->stage, "syncfs before the window: %s", strerror(-rc));
	}
	r->stage->times.settle_ok = settled;
	r->stage->times.settle_ns = fs_now_ns() - begin;
	if (r->variant->flags & FS_REMOUNT)
		fs_workspace_release(&r->ws);
	fs_store_release(&r->stage->times.settled, fs_now_ns());
}

static void stage_join(struct stage_run *r)
{
	for (unsigned i = 0; i < r->started; i++) {
		struct worker *k = &r->workers[i];

		if (!k->task.process) {
			fs_task_join(&k->task);
			continue;
		}
		while (k->task.pid) {
			const uint32_t ended = fs_load_acquire(&r->stage->ended);

			stage_reap(r);
			if (k->task.pid)
				fs_futex_wait(&r->stage->ended, ended, STAGE_POLL_NS);
		}
	}
	fs_store_release(&r->stage->times.stopped, fs_now_ns());
}

/* --- the end ---------------------------------------------------------------------------------- */

/* After remounts our descriptors are gone. */
static int stage_sweep(struct stage_run *r, char what[NAME_MAX + 1])
{
	const int target = stage_open_target(r);
	int rc;

	if (target < 0)
		return target;
	rc = fs_workspace_sweep(target, r->ws.name, what);
	close(target);
	return rc;
}

/* Some filesystems free blocks only with the next commit, and the next stage needs them. */
static void stage_commit(const struct stage_run *r)
{
	const int target = r->stage->plan.probing ? -1 : stage_open_target(r);

	if (target < 0)
		return;
	(void)syncfs(target);
	close(target);
}

static void stage_remove(struct stage_run *r)
{
	const bool failed = fs_load(&r->stage->failure.taken);
	const enum keep keep = r->stage->plan.keep;
	char what[NAME_MAX + 1];
	int rc;

	rc = r->ws.dir_fd < 0 ? 0 : fs_workspace_lost(&r->ws);
	if (rc < 0)
		stage_fail(r, rc, rc == -ENOENT ? "the work directory was removed during the run" :
						  "the work directory cannot be reached any more");
	if (keep == KEEP_ALWAYS || (keep == KEEP_ON_FAIL && failed)) {
		r->stage->times.kept = 1;
		fs_workspace_release(&r->ws);
		return;
	}
	rc = r->ws.dir_fd < 0 ? stage_sweep(r, what) : fs_workspace_remove(&r->ws, what);
	if (rc == 0 || rc == -ENOENT)
		r->stage->workspace[0] = '\0';
	else
		fs_area_warn(r->stage, "not removed: %.80s: %s", what, strerror(-rc));
	stage_commit(r);
}

static void stage_run(struct stage_run *r)
{
	if (stage_init_workers(r) == 0 && stage_start(r, r->nworkers, fs_worker_main) == 0 &&
	    stage_await_setup(r, r->nworkers) &&
	    stage_start(r, r->nworkers * (1 + r->beside), fs_helper_main) == 0 &&
	    stage_await_setup(r, r->nworkers * (1 + r->stage->plan.loads)))
		stage_settle(r);
	stage_join(r);
	free(r->workers);
	free(r->states);
}

/* A terminal, or a killall, means the supervisor, which stops its stages in good order. */
static void stage_ignore_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };

	for (unsigned i = 0; i < FS_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

int fs_stage_main(int area_fd, unsigned index)
{
	struct stage_run r = { .index = index };
	int rc;

	if (fs_area_open(area_fd, &r.area) < 0 || index >= r.area->nstages)
		return 2;
	r.stage = area_stage(r.area, index);
	r.stage->times.started = fs_now_ns();
	if (fs_task_die_with((pid_t)r.stage->plan.run_pid) < 0)
		return 1;
	stage_ignore_signals();
	fs_task_name("fsstress");
	fs_task_one_arena();
	stage_raise_descriptors();
	rc = r.stage->plan.numa_node >= 0 ? fs_task_bind_memory(r.stage->plan.numa_node) : 0;
	if (rc < 0)
		fs_area_warn(r.stage, "memory is not bound to node %d: %s",
			     r.stage->plan.numa_node, strerror(-rc));
	r.nworkers = r.stage->plan.workers;
	if (stage_find(&r) == 0 && stage_workspace(&r) == 0) {
		r.beside = r.variant->helpers + r.stage->plan.loads;
		stage_run(&r);
		stage_remove(&r);
	}
	fs_area_close(r.area, area_fd);
	return 0;
}
