/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - how many workers, and on which CPUs
 */
#ifndef CORE_PLACE_H
#define CORE_PLACE_H

#include "core/plan.h"

#define COUNTS_MAX 64

struct counts {
	struct {
		unsigned workers;
		char asked[24];		/* as written */
		char note[96];		/* "" none */
	} list[COUNTS_MAX];
	unsigned n;
};

/*
 * The topology that a configuration allows: --cpus, --numa-node, --cpukind, sorted as --pin says. A
 * copy, freed by fs_topology_free(). -EINVAL (form) or -ENODEV (none left) after one line.
 */
int fs_place_topology(const struct config *c, const struct fs_topology *from,
		      struct fs_topology *t);

/*
 * --nr-threads: N, P% of the places, or a comma list; each distinct count once. P% is rounded down,
 * to at least 1. -EINVAL after one line.
 */
int fs_place_counts(const struct given *given, unsigned places, struct counts *counts);
/* stress-ng's --fiemap N|P%: 0 and negative mean all places. name: of the option, "fiemap". */
int fs_place_count(const struct given *given, const char *name, unsigned places,
		   struct counts *counts);

/*
 * Fill stage->cpus and helper_cpus: worker i on place i mod N; helpers and loads after all workers,
 * helpers where an option named `place` of the stressor wants them. place_given: the user chose it,
 * so that a place that does not exist is -ENODEV after one line.
 */
int fs_place_stage(const struct fs_topology *t, bool pin, bool place_given, struct stage *stage);

#endif
