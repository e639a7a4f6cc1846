// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cpu.h"

/*
 * Hand hwloc the source that the environment names. hwloc would read both variables itself, but
 * carry on with the real machine where it cannot use them, and whoever plans for another machine
 * must not get this one.
 */
static int cpu_set_source(hwloc_topology_t topo, const char **why)
{
	static char text[512];
	const char *synthetic = getenv("HWLOC_SYNTHETIC"), *xml = getenv("HWLOC_XMLFILE");
	const bool by_text = synthetic && *synthetic, by_file = xml && *xml;

	*why = text;
	if (by_text && by_file) {
		snprintf(text, sizeof(text),
			 "HWLOC_SYNTHETIC and HWLOC_XMLFILE are both set: unset one of them");
		return -EINVAL;
	}
	if (by_text) {
		snprintf(text, sizeof(text),
			 "HWLOC_SYNTHETIC='%.200s' is refused by hwloc: "
			 "give a topology such as 'pack:2 core:4 pu:2'", synthetic);
		return hwloc_topology_set_synthetic(topo, synthetic) ? -EINVAL : 0;
	}
	if (by_file) {
		snprintf(text, sizeof(text),
			 "HWLOC_XMLFILE='%.200s' is refused by hwloc: "
			 "give a file that lstopo wrote ('lstopo machine.xml')", xml);
		return hwloc_topology_set_xml(topo, xml) ? -EINVAL : 0;
	}
	*why = NULL;
	return 0;
}

static int cpu_load(hwloc_topology_t *topo, const char **why)
{
	int rc;

	setenv("HWLOC_HIDE_ERRORS", "2", 0);	/* what goes wrong is said by us */
	if (hwloc_topology_init(topo))
		return -ENOMEM;
	/* Its x86 backend binds the caller to every CPU in turn, also those outside its mask. */
	rc = hwloc_topology_set_components(*topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	if (!rc)
		rc = cpu_set_source(*topo, why);
	if (!rc && hwloc_topology_load(*topo))
		rc = *why ? -EINVAL : -EIO;
	if (rc)
		hwloc_topology_destroy(*topo);
	else
		*why = NULL;
	return rc;
}

/* What cgroup and affinity mask leave us. A foreign topology answers the second with all it has. */
static hwloc_bitmap_t cpu_allowed(hwloc_topology_t topo)
{
	hwloc_bitmap_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topo));
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();

	if (allowed && bound && !hwloc_get_cpubind(topo, bound, HWLOC_CPUBIND_THREAD))
		hwloc_bitmap_and(allowed, allowed, bound);
	hwloc_bitmap_free(bound);
	return allowed;
}

/* The nearest NUMA node: memory is a child of the smallest object whose CPUs it is local to. */
static hwloc_obj_t cpu_numa_node(hwloc_obj_t pu)
{
	hwloc_obj_t obj = pu;

	while (obj && !obj->memory_arity)
		obj = obj->parent;
	if (obj)
		obj = obj->memory_first_child;
	while (obj && obj->type != HWLOC_OBJ_NUMANODE)	/* below a memory-side cache */
		obj = obj->memory_first_child;
	return obj;
}

static int cpu_ancestor(hwloc_topology_t topo, hwloc_obj_t pu, hwloc_obj_type_t type, int otherwise)
{
	hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(topo, type, pu);

	return obj ? (int)obj->logical_index : otherwise;
}

/* The indices are those of the whole machine here; cpu_rank() makes ranks of them. */
static void cpu_place(hwloc_topology_t topo, hwloc_obj_t pu, unsigned nkinds, struct fs_place *p)
{
	hwloc_obj_t node = cpu_numa_node(pu);

	p->cpu = (int)pu->os_index;
	p->smt = (int)pu->logical_index;
	p->core = cpu_ancestor(topo, pu, HWLOC_OBJ_CORE, p->smt);
	p->node = node ? (int)node->logical_index : 0;
	p->node_os = node ? (int)node->os_index : 0;
	p->package = cpu_ancestor(topo, pu, HWLOC_OBJ_PACKAGE, 0);
	p->kind = nkinds > 1 ? hwloc_cpukinds_get_by_cpuset(topo, pu->cpuset, 0) : -1;
}

static int cpu_first_difference(const int differences[5])
{
	for (int i = 0; i < 5; i++)
		if (differences[i])
			return differences[i];
	return 0;
}

static int cpu_by_compact(const void *pa, const void *pb)
{
	const struct fs_place *a = pa, *b = pb;

	return cpu_first_difference((int[]){ a->package - b->package, a->node - b->node,
				    a->core - b->core, a->smt - b->smt, a->cpu - b->cpu });
}

static int cpu_by_spread(const void *pa, const void *pb)
{
	const struct fs_place *a = pa, *b = pb;

	return cpu_first_difference((int[]){ a->smt - b->smt, a->core - b->core, a->node - b->node,
				    a->package - b->package, a->cpu - b->cpu });
}

void fs_topology_order(struct fs_topology *t, enum fs_order order)
{
	qsort(t->places, t->nplaces, sizeof(*t->places),
	      order == FS_ORDER_SPREAD ? cpu_by_spread : cpu_by_compact);
}

/*
 * Number packages, nodes, cores and threads from 0 without gaps among the places that are left.
 * Ranks in the whole machine would not do: where a core's first thread is not ours, its second one
 * must still come before any other core's second.
 */
static void cpu_rank(struct fs_topology *t)
{
	struct fs_place last = { 0 }, rank = { 0 };

	fs_topology_order(t, FS_ORDER_COMPACT);
	for (unsigned i = 0; i < t->nplaces; i++) {
		struct fs_place *p = &t->places[i];
		const struct fs_place here = *p;

		if (i == 0)
			rank = (struct fs_place){ 0 };
		else if (here.package != last.package)
			rank = (struct fs_place){ .package = rank.package + 1 };
		else if (here.node != last.node)
			rank = (struct fs_place){ .package = rank.package, .node = rank.node + 1 };
		else if (here.core == last.core)
			rank.smt++;
		else
			rank = (struct fs_place){ .package = rank.package, .node = rank.node,
						  .core = rank.core + 1 };
		p->package = rank.package;
		p->node = rank.node;
		p->core = rank.core;
		p->smt = rank.smt;
		last = here;
	}
}

static int cpu_fill(struct fs_topology *t, hwloc_topology_t topo)
{
	const int npus = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU);
	const int nnodes = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_NUMANODE);
	const int nkinds = hwloc_cpukinds_get_nr(topo, 0);
	hwloc_bitmap_t allowed = cpu_allowed(topo);
	hwloc_obj_t pu = NULL;

	t->foreign = !hwloc_topology_is_thissystem(topo);
	t->nnodes = nnodes > 0 ? (unsigned)nnodes : 1;
	t->nkinds = nkinds > 0 ? (unsigned)nkinds : 0;
	t->places = calloc(npus > 0 ? (size_t)npus : 1, sizeof(*t->places));
	if (!t->places || !allowed) {
		hwloc_bitmap_free(allowed);
		return -ENOMEM;
	}
	/* The topology has no objects for CPUs that are offline. */
	while ((pu = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PU, pu)))
		if (hwloc_bitmap_isset(allowed, pu->os_index))
			cpu_place(topo, pu, t->nkinds, &t->places[t->nplaces++]);
	hwloc_bitmap_free(allowed);
	cpu_rank(t);
	return t->nplaces ? 0 : -ENODEV;
}

int fs_topology_load(struct fs_topology *t, const char **why)
{
	hwloc_topology_t topo;
	int rc;

	*t = (struct fs_topology){ 0 };
	*why = NULL;
	rc = cpu_load(&topo, why);
	if (rc)
		return rc;
	rc = cpu_fill(t, topo);
	hwloc_topology_destroy(topo);
	if (rc)
		fs_topology_free(t);
	return rc;
}

void fs_topology_free(struct fs_topology *t)
{
	free(t->places);
	*t = (struct fs_topology){ 0 };
}

/* A CPU number at *text, which moves behind it; false: there is none. */
static bool cpu_list_number(const char **text, int *n)
{
	const char *const first = *text;

	for (*n = 0; **text >= '0' && **text <= '9'; ++*text) {
		if (*n > (INT_MAX - 9) / 10)
			return false;
		*n = *n * 10 + (**text - '0');
	}
	return *text != first;
}

/*
 * 1: cpu is in the list, 0: it is not, -EINVAL: not a list. hwloc's own parser would not do: it
 * takes "1,,2" and "3-1".
 */
static int cpu_list_has(const char *list, int cpu)
{
	int first, last, found = 0;

	for (;; list++) {
		if (!cpu_list_number(&list, &first))
			return -EINVAL;
		last = first;
		if (*list == '-') {
			list++;
			if (!cpu_list_number(&list, &last))
				return -EINVAL;
		}
		if (last < first)
			return -EINVAL;
		if (cpu >= first && cpu <= last)
			found = 1;
		if (!*list)
			return found;
		if (*list != ',')
			return -EINVAL;
	}
}

struct cpu_filter {			/* what a place must match; NULL and -1: anything */
	const char *list;
	int node, kind;
};

static bool cpu_matches(const struct fs_place *p, const struct cpu_filter *f)
{
	return (!f->list || cpu_list_has(f->list, p->cpu) > 0) &&
	       (f->node < 0 || f->node == p->node_os) && (f->kind < 0 || f->kind == p->kind);
}

static int cpu_keep(struct fs_topology *t, const struct cpu_filter *f)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < t->nplaces; i++)
		if (cpu_matches(&t->places[i], f))
			t->places[kept++] = t->places[i];
	t->nplaces = kept;
	cpu_rank(t);
	return kept ? 0 : -ENODEV;
}

int fs_topology_cpus(struct fs_topology *t, const char *list)
{
	if (cpu_list_has(list, 0) < 0)
		return -EINVAL;
	return cpu_keep(t, &(struct cpu_filter){ .list = list, .node = -1, .kind = -1 });
}

int fs_topology_node(struct fs_topology *t, int node)
{
	if (node < 0)
		return -ENODEV;
	return cpu_keep(t, &(struct cpu_filter){ .node = node, .kind = -1 });
}

int fs_topology_kind(struct fs_topology *t, int kind)
{
	if (kind < 0)
		return -ENODEV;
	return cpu_keep(t, &(struct cpu_filter){ .node = -1, .kind = kind });
}

static bool cpu_same_core(const struct fs_place *a, const struct fs_place *b)
{
	return a->package == b->package && a->node == b->node && a->core == b->core;
}

/*
 * Package counts before node, node before core, core before thread. Cores and threads are taken in
 * a circle from a's on, so that the helpers of neighbours do not all land on the first core.
 */
static uint64_t cpu_distance(const struct fs_place *a, const struct fs_place *b)
{
	const uint64_t package = a->package != b->package, node = a->node != b->node;
	const uint64_t core = (b->core - a->core) & 0xffffff, smt = (b->smt - a->smt) & 0xffffff;

	return package << 49 | node << 48 | core << 24 | smt;
}

int fs_topology_near(const struct fs_topology *t, int cpu, const char *how)
{
	const bool other_core = !strcmp(how, "core"), same_cpu = !strcmp(how, "same-cpu");
	const struct fs_place *self = NULL, *best = NULL;

	for (unsigned i = 0; i < t->nplaces && !self; i++)
		if (t->places[i].cpu == cpu)
			self = &t->places[i];
	if (!self || same_cpu)
		return self ? cpu : -1;
	if (!other_core && strcmp(how, "sibling"))
		return -1;
	for (unsigned i = 0; i < t->nplaces; i++) {
		const struct fs_place *p = &t->places[i];

		if (p == self || cpu_same_core(p, self) == other_core)
			continue;
		if (!best || cpu_distance(self, p) < cpu_distance(self, best))
			best = p;
	}
	return best ? best->cpu : -1;
}
