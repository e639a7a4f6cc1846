/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - which CPUs there are, which we may use, and in what order workers take them (hwloc)
 */
#ifndef PLATFORM_CPU_H
#define PLATFORM_CPU_H

#include <stdbool.h>

struct fs_place {			/* one allowed CPU */
	int cpu;			/* OS index */
	int smt, core, node, package;	/* ranks, each in the next: thread, core, node, package */
	int node_os;			/* OS index of the NUMA node */
	int kind;			/* hwloc's, 0 = most efficient; -1: there is but one */
};

struct fs_topology {
	struct fs_place *places;	/* allowed ones; sorted by fs_topology_order() */
	unsigned nplaces;
	unsigned nnodes, nkinds;	/* of the whole topology; nkinds 0: unknown */
	bool foreign;			/* synthetic or from XML: fit to plan with, not to run on */
};

enum fs_order { FS_ORDER_SPREAD, FS_ORDER_COMPACT };

/*
 * Allowed CPUs = hwloc's allowed set, the inherited affinity (asked through hwloc, so that a
 * foreign topology answers for itself) and those online. -EINVAL: HWLOC_SYNTHETIC or HWLOC_XMLFILE
 * is set but hwloc did not take it (it ignores a bogus one silently); *why then names the variable
 * and its value (static buffer). -ENODEV: no CPU is left.
 */
int fs_topology_load(struct fs_topology *t, const char **why);
void fs_topology_free(struct fs_topology *t);

/*
 * Keep only places inside a list such as 0-3,8 (-EINVAL: not a list), on a NUMA node, of a CPU
 * kind; -ENODEV: none left. Load and these leave ranks among the places that are left, and compact
 * order: call fs_topology_order() last.
 */
int fs_topology_cpus(struct fs_topology *t, const char *list);
int fs_topology_node(struct fs_topology *t, int node);
int fs_topology_kind(struct fs_topology *t, int kind);

/*
 * spread: by SMT rank in core, core rank in node, node rank in package, package: no two on a core
 * before every core has one, packages in turn. compact: package, node, core, SMT. Stable; ties by
 * OS index.
 */
void fs_topology_order(struct fs_topology *t, enum fs_order order);

/* A place for a helper of the worker on `cpu`: how is "same-cpu", "sibling" or "core". -1: none. */
int fs_topology_near(const struct fs_topology *t, int cpu, const char *how);

#endif
