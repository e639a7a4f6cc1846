// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a worker's task: start, setup, gate, loop, verify, teardown; and what the stressor
 * API does to the stage.
 */
#include "core/worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/load.h"

/* How soon a stop is seen by a worker that sleeps while others set up. */
#define WORKER_POLL_NS (FS_NSEC_PER_SEC / 10)

void fs_worker_phase(struct worker *k, enum area_worker_phase phase, const char *where)
{
	k->where = where;
	if (k->helper >= 0)
		return;
	fs_store(&k->slot->phase_since, fs_now_ns());
	fs_store(&k->slot->phase, phase);
}

/* --- failures --------------------------------------------------------------------------------- */

int fs_fail(struct fs_worker *w, int err, const char *fmt, ...)
{
	struct worker *k = fs_worker_of(w);
	struct area_failure f = {
		.err = err, .worker = (int32_t)w->id, .load = k->load,
	};
	va_list args;

	snprintf(f.where, sizeof(f.where), "%s",
		 k->load ? "load" : k->helper >= 0 ? "helper" : k->where);
	va_start(args, fmt);
	vsnprintf(f.text, sizeof(f.text), fmt, args);
	va_end(args);
	fs_area_fail(k->stage, &f);
	fs_area_abandon(k->area, k->stage_index);
	return -err;
}

bool fs_worker_failed(struct worker *k, int rc)
{
	const bool cut_short = rc == -ECANCELED || rc == -EINTR;

	if (!cut_short || !fs_worker_stopped(k))
		fs_fail(&k->pub, -rc, "%s", "");
	return false;
}

int fs_abandoned(const struct fs_worker *w)
{
	return fs_load(&fs_worker_of(w)->stage->abandoned) ? -ECANCELED : 0;
}

static bool worker_lists(const int *errnos, int err)
{
	for (; errnos && *errnos; errnos++) {
		if (*errnos == err)
			return true;
	}
	return false;
}

bool fs_op_failed(struct fs_worker *w, long err)
{
	struct worker *k = fs_worker_of(w);

	if (worker_lists(k->stressor->tolerated, (int)-err) &&
	    (k->load || fs_area_tally(k->stage, (int)-err)))
		return true;
	return fs_worker_failed(k, (int)err);
}

/* --- what fixtures made ----------------------------------------------------------------------- */

int fs_worker_keep_fd(struct fs_worker *w, int fd)
{
	struct worker *k = fs_worker_of(w);

	if (k->nfds == WORKER_FDS_MAX) {
		close(fd);
		return -EMFILE;
	}
	k->fds[k->nfds++] = fd;
	return 0;
}

int fs_worker_keep_map(struct fs_worker *w, void *map, size_t bytes)
{
	struct worker *k = fs_worker_of(w);

	if (k->nmaps == WORKER_MAPS_MAX) {
		munmap(map, bytes);
		return -EMFILE;
	}
	k->maps[k->nmaps].start = map;
	k->maps[k->nmaps++].bytes = bytes;
	return 0;
}

void fs_worker_close_files(struct worker *k)
{
	while (k->nfds)
		close(k->fds[--k->nfds]);
	if (k->dir_fd >= 0)
		close(k->dir_fd);
	k->dir_fd = -1;
}

static void worker_release(struct worker *k)
{
	if (k->wait_fd >= 0)
		close(k->wait_fd);
	fs_perf_close(&k->perf);
	fs_worker_close_files(k);
	while (k->nmaps--)
		munmap(k->maps[k->nmaps].start, k->maps[k->nmaps].bytes);
}

/* The own directory, made on first use, or the one made for all; then the working directory. */
int fs_worker_open_dir(struct worker *k)
{
	char name[16] = "shared";
	int fd;

	if (k->pub.share == FS_SHARE_NONE)
		snprintf(name, sizeof(name), "w%u", k->pub.id);
	if (mkdirat(k->dirs.workspace_fd, name, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(k->dirs.workspace_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	k->dir_fd = fd;
	return fchdir(fd) ? -errno : 0;
}

int fs_worker_dir(const struct fs_worker *w)
{
	return fs_worker_of(w)->dir_fd;
}

uint64_t fs_worker_seed(const struct fs_worker *w)
{
	return fs_worker_of(w)->stage->plan.seed;
}

/* --- helpers ---------------------------------------------------------------------------------- */

bool fs_helping(const struct fs_worker *w)
{
	return !fs_barrier_aborted(&fs_worker_of(w)->slot->meet);
}

bool fs_meet(struct fs_worker *w)
{
	return fs_barrier_wait(&fs_worker_of(w)->slot->meet, 0);
}

void fs_helper_main(void *worker)
{
	struct worker *k = worker;
	char name[16];
	int rc = k->stage->plan.process ? 0 : fs_task_isolate();

	snprintf(name, sizeof(name), "fsl:%.11s", k->stressor->name);
	fs_task_name(name);
	if (k->slot->helper_cpu[k->helper] >= 0)
		(void)fs_task_pin(k->slot->helper_cpu[k->helper]);
	if (rc == 0)
		rc = fs_worker_open_dir(k);
	if (rc == 0)
		rc = k->load ? fs_load_task(k) :
			       k->stressor->help(&k->pub, (unsigned)k->helper);
	if (rc < 0)
		fs_worker_failed(k, rc);
	if (!k->load)
		fs_barrier_abort(&k->slot->meet);
	worker_release(k);
}

/* --- the worker ------------------------------------------------------------------------------- */

static void worker_names(struct worker *k)
{
	snprintf(k->run_name, sizeof(k->run_name), "fss:%.11s", k->stressor->name);
	snprintf(k->off_name, sizeof(k->off_name), "fso:%.11s", k->stressor->name);
	fs_task_name(k->off_name);
}

/* An affinity that the kernel refuses (a shrunk cpuset) costs the pin, not the run: pin_lost. */
static int worker_start(struct worker *k)
{
	int rc;

	fs_store(&k->slot->tid, fs_task_tid());
	fs_store(&k->slot->pid, (uint32_t)getpid());
	fs_worker_phase(k, WORKER_SETUP, "start");
	rc = k->stage->plan.process ? 0 : fs_task_isolate();
	if (rc < 0)
		return rc;
	k->wait_fd = fs_task_wait_open();
	fs_perf_open(&k->perf, fs_perf_events);
	worker_names(k);
	if (k->slot->cpu >= 0 && fs_task_pin(k->slot->cpu))
		k->slot->pin_lost = 1;
	k->slot->cpu_start = fs_task_cpu();
	fs_rng_seed(&k->pub.rng, k->stage->plan.seed, k->stage->plan.key, k->pub.id);
	fs_rng_seed(&k->batch_rng, ~k->stage->plan.seed, k->stage->plan.key, k->pub.id);
	return fs_worker_open_dir(k);
}

/* A leader that fails stops the stage; the stop may come just before the sleep. */
static bool worker_await_leader(struct worker *k)
{
	uint32_t *done = &k->stage->leader_done;

	if (fs_leader(&k->pub))
		return true;
	while (!fs_load_acquire(done) && !fs_worker_stopped(k))
		fs_futex_wait(done, 0, WORKER_POLL_NS);
	return fs_load_acquire(done);
}

/* With a shared file the leader makes it; the others open it when it is there. */
static bool worker_setup(struct worker *k)
{
	int rc;

	if (!worker_await_leader(k))
		return false;
	fs_worker_phase(k, WORKER_SETUP, "setup");
	rc = k->stressor->setup ? k->stressor->setup(&k->pub) : 0;
	if (rc < 0)
		return fs_worker_failed(k, rc);
	if (k->pub.id == 0) {
		fs_store_release(&k->stage->leader_done, 1);
		fs_futex_wake_all(&k->stage->leader_done);
	}
	return true;
}

/*
 * All sleep to one absolute time instead of waking each other at the start: the first ones awake
 * would take the CPUs from those still asleep.
 */
void fs_worker_gate(struct worker *k)
{
	struct area_gate *gate = &k->area->gate;

	fs_worker_phase(k, WORKER_READY, "ready");
	fs_add(&k->stage->setup_done, 1);
	fs_futex_wake_all(&k->stage->setup_done);
	while (!fs_load_acquire(&gate->go))
		fs_futex_wait(&gate->go, 0, 0);
	if (!fs_load(&k->stage->stop))
		fs_sleep_until(gate->start_ns);
}

/* One more has come to this point; the last one stamps it. */
static void worker_passed(struct worker *k, uint32_t *count, uint64_t *stamp)
{
	if (fs_add(count, 1) + 1 == k->stage->plan.workers)
		fs_store(stamp, fs_now_ns());
}

static bool worker_healthy(const struct worker *k)
{
	return !fs_load_acquire(&k->stage->failure.complete) && !fs_load(&k->stage->abandoned);
}

/*
 * After the window, untimed, when everybody has left the loop. With nothing to look at nobody waits
 * for that, unless others may still be timed: with --ops each leaves when its own are done.
 */
static void worker_finish(struct worker *k)
{
	const bool verify = k->stage->plan.verify && k->stressor->verify,
		   measure = k->stressor->measure && !k->stage->plan.probing;

	worker_passed(k, &k->stage->loop_done, &k->stage->times.left);
	if (!verify && !measure && !k->stage->plan.ops_limit)
		return;
	if (!fs_barrier_wait(&k->stage->finish, 0) || !worker_healthy(k))
		return;
	if (k->dir_fd < 0)
		return;			/* stopped in a remount: nothing is open to look at */
	fs_worker_phase(k, WORKER_VERIFY, "verify");
	if (verify) {
		const int rc = k->stressor->verify(&k->pub);

		if (rc < 0)
			fs_worker_failed(k, rc);
	}
	if (measure) {
		const int rc = k->stressor->measure(&k->pub);

		if (rc < 0)
			fs_area_warn(k->stage, "side metrics of worker %u: %s", k->pub.id,
				     strerror(-rc));
	}
}

/* Returns whether the worker came to the end of the loop with everybody else. */
static bool worker_measure(struct worker *k)
{
	if (!worker_setup(k))
		return false;
	fs_worker_gate(k);
	fs_loop(k);
	fs_barrier_abort(&k->slot->meet);
	k->slot->cpu_end = fs_task_cpu();
	if (k->slot->cpu >= 0 && !fs_task_pinned(k->slot->cpu))
		k->slot->pin_lost = 1;
	worker_finish(k);
	worker_passed(k, &k->stage->verified, &k->stage->times.verified);
	return true;
}

void fs_worker_main(void *worker)
{
	struct worker *k = worker;
	const int rc = worker_start(k);

	if (rc < 0)
		fs_worker_failed(k, rc);
	if (rc < 0 || !worker_measure(k))
		fs_barrier_leave(&k->stage->finish);
	fs_worker_phase(k, WORKER_TEARDOWN, "teardown");
	if (k->stressor->teardown)
		k->stressor->teardown(&k->pub);
	worker_release(k);
	fs_worker_phase(k, WORKER_ENDED, "ended");
	fs_add(&k->stage->ended, 1);
}
