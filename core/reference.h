/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - a known piece of work beside the ops, so that the machine's own speed shows
 *
 * A virtual machine's CPU may be a third slower for minutes. Every few milliseconds a worker runs a
 * short reference, off the clock and on the same CPU, and counts how fast that was.
 *   spin     a chain of dependent integer operations in user space: no kernel change can hide in it
 *   syscall  getppid(2): for comparisons on one kernel only, since across kernels it would take a
 *            change of the system call entry out of the result
 *
 *   reference rate = units / CPU time of the reference
 *   adjusted rate  = sum over workers of ops / sum over its slices of timed x (rate in it / R0)
 *
 * with R0 = 10^9 units/s (spin) or 10^7 calls/s (syscall), constants, so that adjusted rates of
 * other runs and boots compare; the exponent is 1. CPU time, because what other tasks of this
 * machine take from the reference is not its speed.
 */
#ifndef CORE_REFERENCE_H
#define CORE_REFERENCE_H

#include "core/config.h"
#include "core/slice.h"
#include "platform/host.h"

struct stage_result;
struct stage;

#define FS_REFERENCE_EVERY_NS	(10 * FS_NSEC_PER_MSEC)
#define FS_REFERENCE_NS		(150 * FS_NSEC_PER_USEC)	/* at most 2 % of the above */

extern const char *const fs_reference_names[];	/* "none", "auto", "spin", "syscall" */

/*
 * What runs beside a stage. Never with --ops or --rate, or beside ops that wait for a device: there
 * it would cost more than it tells. auto: spin beside FS_MEM variants on a virtual machine, but not
 * where somebody else counts or records what runs (--lkp, --metrics, --perf-control, --monitor).
 */
enum reference fs_reference_for(const struct config *c, const struct fs_host *h,
				const struct stage *stage);

/* One worker's, counted since its start. */
struct fs_reference {
	enum reference kind;
	uint64_t batch;			/* units at once, about FS_REFERENCE_NS; set on first use */
	uint64_t units, cpu_ns;
	uint64_t next_ns;		/* when it is due again */
};

static inline bool fs_reference_due(const struct fs_reference *r, uint64_t now)
{
	return r->kind != REFERENCE_NONE && now >= r->next_ns;
}

/* Run it once. The caller is off the clock. */
void fs_reference_run(struct fs_reference *r);

/*
 * From the slices of all workers to r->reference. After fs_sample(). `moved`: greatest over least
 * rate in tenths of the window, less 1.
 */
void fs_reference_reduce(struct stage_result *r, enum reference kind);

#endif
