// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/environment.h"

#include <stdio.h>
#include <string.h>

#include "core/message.h"

#define ENVIRONMENT_STEAL_MAX 0.02 /* of the time of all CPUs */
#define ENVIRONMENT_MEMORY_MAX 0.01 /* of the window */

/* --- of the window ---------------------------------------------------------------------------- */

/* A counter of a hypervisor may have been set back, as when the machine was moved. */
static double environment_s(uint64_t from, uint64_t to, double per_s)
{
	if (from == FS_UNKNOWN || to == FS_UNKNOWN || to < from)
		return NAN;
	return (double)(to - from) / per_s;
}

/* The state that disturbs, if it was in one at either end. */
static const char *environment_sync_action(const struct fs_pressure *start,
					   const struct fs_pressure *end)
{
	return strcmp(start->sync_action, "idle") ? start->sync_action : end->sync_action;
}

void fs_environment_window(struct stage_result *r, const struct fs_pressure *start,
			   const struct fs_pressure *end)
{
	const struct fs_pressure *a = start, *b = end;

	r->machine_busy_s = environment_s(a->busy_ns, b->busy_ns, 1e9);
	r->environment = (struct environment){
		.cpus = a->cpus,
		.steal_s = environment_s(a->steal_ns, b->steal_ns, 1e9),
		.cpu_some_s = environment_s(a->cpu_some_us, b->cpu_some_us, 1e6),
		.io_some_s = environment_s(a->io_some_us, b->io_some_us, 1e6),
		.io_full_s = environment_s(a->io_full_us, b->io_full_us, 1e6),
		.memory_some_s = environment_s(a->memory_some_us, b->memory_some_us, 1e6),
		.memory_full_s = environment_s(a->memory_full_us, b->memory_full_us, 1e6),
		.dirty_bytes = { a->dirty_bytes, b->dirty_bytes },
		.writeback_bytes = { a->writeback_bytes, b->writeback_bytes },
		.lazyinit = a->lazyinit > b->lazyinit ? a->lazyinit : b->lazyinit,
	};
	snprintf(r->environment.sync_action, sizeof(r->environment.sync_action), "%s",
		 environment_sync_action(a, b));
}

void fs_environment_judge(struct stage_result *r)
{
	const struct environment *e = &r->environment;
	const double steal = e->steal_s / (r->measured_s * e->cpus),
		     memory = e->memory_full_s / r->measured_s;

	if (steal > ENVIRONMENT_STEAL_MAX)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "the hypervisor gave %.1f %% of the CPUs' time to others (steal): "
			    "repeat when its machine is quiet", 100 * steal);
	if (memory > ENVIRONMENT_MEMORY_MAX)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "tasks were stalled for want of memory in %.1f %% of the window: "
			    "free some, or use smaller files", 100 * memory);
	if (e->lazyinit > 0)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "ext4lazyinit is initialising this or another ext4: wait until "
			    "that thread is gone");
	if (*e->sync_action && strcmp(e->sync_action, "idle"))
		fs_warn_add(r->warnings, &r->nwarnings,
			    "the md array below the target was in %s: wait until it is idle",
			    e->sync_action);
}

/* --- of the run ------------------------------------------------------------------------------- */

void fs_environment_warn(struct run_result *run)
{
	const struct fs_host *h = &run->host;

	if (*h->distorting)
		fs_warn_add(run->warnings, &run->nwarnings,
			    "the kernel debugs itself, which slows all down: use one "
			    "without %.180s",
			    h->distorting);
	if (h->autogroup == 1 && h->terminal == 0)
		fs_warn_add(run->warnings, &run->nwarnings,
			    "autogroup scheduling is on and there is no terminal: CPUs are dealt "
			    "out by session, set kernel.sched_autogroup_enabled=0");
}

void fs_environment_note(const struct fs_host *h)
{
	if (*h->governor && strcmp(h->governor, "performance"))
		fs_note("the CPU frequency governor is %s: clocks may follow the load, "
			"`performance` keeps them up", h->governor);
}
