/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - from what was asked for to the list of stages
 *
 * A stage is one variant of one stressor with one set of options, on one target, with one worker
 * count. The same configuration and topology give the same plan.
 */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "core/area.h"
#include "core/config.h"
#include "platform/cpu.h"

struct stage {				/* pointers: the registry's, or owned by the plan */
	const struct fs_stressor *stressor;
	const struct fs_variant *variant;
	char key[AREA_KEY_MAX];		/* NAME.VARIANT.modifiers */
	bool key_repeats;		/* at several worker counts: two of the reports add .wN */
	_Alignas(16) unsigned char state[AREA_STATE_MAX];	/* options parsed over defaults */
	enum fs_share share;
	bool named;			/* by the user, not by a class: must fit, or no run */
	bool process;
	uint64_t ops;			/* of each worker; 0: by time */
	unsigned workers;
	uint64_t histograms;		/* in the shared area */
	char asked[24];			/* "10%", "4" */
	bool oversubscribed;		/* more workers than places */
	bool together;			/* --all: runs with its neighbours marked so */
	const char *absent;		/* built without this library: "liburing"; or NULL */
	int *cpus;			/* [workers] OS index of worker i, -1: not pinned */
	struct area_load loads[AREA_LOADS_MAX];
	unsigned nloads;
	int *helper_cpus;		/* [workers * fs_stage_helpers()]; NULL: none */
	struct fs_need need;		/* of one worker */
	char *notes[4];			/* "rounded up from 0.2"; NULL ends */
};

/* Tasks beside each worker: its helpers, then its loads. */
static inline unsigned fs_stage_helpers(const struct stage *s)
{
	return (s->variant ? s->variant->helpers : 0) + s->nloads;
}

/* Ops per second of a load, all workers together. */
static inline double fs_load_asked(const struct stage *s, unsigned i)
{
	return s->loads[i].rate * s->workers;
}

struct plan {
	struct stage *stages;
	unsigned nstages;
	uint64_t seconds_ns;		/* estimate of the whole run, set-up and warm-up included */
	char *notes[8];			/* of the plan as a whole */
};

/*
 * 0; -EINVAL after one line on stderr for a value that does not fit (exit 2); -ENODEV after one
 * line when the placement is impossible here, such as no allowed CPU of that kind (exit 3). The
 * plan is freed by fs_plan_free().
 */
int fs_plan_make(const struct config *config, const struct fs_topology *topo, struct plan *plan);
void fs_plan_free(struct plan *plan);

/*
 * The fixed warm-up of a stage: a tenth of the window, at least 0.2 and at most 5 s, unless
 * --warmup says it. 0: the window opens at the release (--ops, variants that are cold once).
 */
uint64_t fs_plan_warmup_ns(const struct config *config, const struct stage *stage);

/* An option of a stage as it could be typed, sizes in exact bytes; for plan, JSON and describe. */
int fs_option_print(const struct fs_option *o, const void *state, char *text, unsigned long size);

#endif
