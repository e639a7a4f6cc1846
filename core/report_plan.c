// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plan for people: where, for how long, then a line for each stage
 */
#include <stdlib.h>
#include <string.h>

#include "core/option.h"
#include "core/report_parts.h"
#include "core/table.h"
#include "core/units.h"

#define PLAN_TEXT_MAX 256

static int plan_compare_ints(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Sorted and without duplicates; returns how many are left. */
static unsigned plan_sort_cpus(int *cpus, unsigned n)
{
	unsigned kept = 0;

	qsort(cpus, n, sizeof(*cpus), plan_compare_ints);
	for (unsigned i = 0; i < n; i++) {
		if (!kept || cpus[kept - 1] != cpus[i])
			cpus[kept++] = cpus[i];
	}
	return kept;
}

/* "0,2,4-8" */
static void plan_print_list(FILE *out, const int *cpus, unsigned n)
{
	for (unsigned i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && cpus[end] == cpus[end - 1] + 1; end++)
			;
		fprintf(out, "%s%d", i ? "," : "", cpus[i]);
		if (end - i > 1)
			fprintf(out, "%c%d", end - i > 2 ? '-' : ',', cpus[end - 1]);
	}
}

static int plan_node(const struct fs_place *place)
{
	return place->node_os;
}

static int plan_kind(const struct fs_place *place)
{
	return place->kind;
}

/* " (node 0: 5, node 1: 4)": how many of the CPUs are of each group. */
static void plan_print_groups(FILE *out, const struct fs_topology *topo, const int *cpus,
			      unsigned n, int (*group)(const struct fs_place *))
{
	const char *name = group == plan_node ? "node" : "kind", *between = " (";
	int *of = malloc((topo->nplaces + 1) * sizeof(*of));
	unsigned found = 0;

	for (unsigned i = 0; of && i < topo->nplaces; i++) {
		if (bsearch(&topo->places[i].cpu, cpus, n, sizeof(*cpus), plan_compare_ints))
			of[found++] = group(&topo->places[i]);
	}
	if (found)
		qsort(of, found, sizeof(*of), plan_compare_ints);
	for (unsigned i = 0, end; i < found; i = end) {
		for (end = i; end < found && of[end] == of[i]; end++)
			;
		fprintf(out, "%s%s %d: %u", between, name, of[i], end - i);
		between = ", ";
	}
	if (found)
		fputc(')', out);
	free(of);
}

static void plan_print_cpus(FILE *out, const struct fs_topology *topo, const int *list, unsigned n)
{
	int *cpus = list ? malloc((n + 1) * sizeof(*cpus)) : NULL;

	if (!cpus || !n || list[0] < 0) {
		fputs("any", out);
		free(cpus);
		return;
	}
	memcpy(cpus, list, n * sizeof(*cpus));
	n = plan_sort_cpus(cpus, n);
	plan_print_list(out, cpus, n);
	if (topo && topo->nnodes > 1)
		plan_print_groups(out, topo, cpus, n, plan_node);
	if (topo && topo->nkinds > 1)
		plan_print_groups(out, topo, cpus, n, plan_kind);
	free(cpus);
}

static void plan_cell_cpus(struct table *t, const struct run_result *run, const struct stage *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		plan_print_cpus(out, run->topo, s->cpus, s->workers);
		if (s->helper_cpus) {
			fputs(", helpers ", out);
			plan_print_cpus(out, NULL, s->helper_cpus,
					s->workers * fs_stage_helpers(s));
		}
		fclose(out);
	}
	fs_table_cell(t, "%s", text ? text : "");
	free(text);
}

static uint64_t plan_in_all(uint64_t each, unsigned workers)
{
	uint64_t all;

	return __builtin_mul_overflow(each, workers, &all) ? UINT64_MAX : all;
}

static void plan_cell_need(struct table *t, const struct fs_need *need, unsigned workers)
{
	const struct {
		uint64_t n;
		const char *name;
	} counts[] = {
		{ need->inodes, need->inodes * workers == 1 ? "inode" : "inodes" },
		{ need->aio_slots, "aio slots" },
	};
	char text[PLAN_TEXT_MAX] = "", size[32];
	size_t used = 0;

	if (need->bytes)
		used = (size_t)snprintf(text, sizeof(text), "%s",
					fs_print_size(plan_in_all(need->bytes, workers), size,
						      sizeof(size)));
	for (unsigned i = 0; i < FS_ARRAY_SIZE(counts); i++) {
		const unsigned long long all = plan_in_all(counts[i].n, workers);

		if (all)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu %s",
						 used ? ", " : "", all, counts[i].name);
	}
	fs_table_cell(t, "%s", used ? text : "-");
}

/* Options that differ from the variant's defaults, as they would be typed, then the notes. */
static void plan_print_extras(FILE *out, const struct stage *s)
{
	unsigned char defaults[AREA_STATE_MAX];
	char why[OPTION_WHY_MAX], is[PLAN_TEXT_MAX], was[PLAN_TEXT_MAX];
	const struct fs_option *o = s->stressor ? s->stressor->options : NULL;
	const char *between = "";

	if (o && fs_option_defaults(s->stressor, s->variant, defaults, why))
		o = NULL;
	for (; o && o->name; o++) {
		fs_option_print(o, s->state, is, sizeof(is));
		fs_option_print(o, defaults, was, sizeof(was));
		if (!strcmp(is, was))
			continue;
		fprintf(out, "%s%s=%s", between, o->name, is);
		between = " ";
	}
	between = *between ? "; " : "";
	for (unsigned i = 0; i < s->nloads; i++, between = "; ")
		fprintf(out, "%sload %s@%g", between, s->loads[i].key, s->loads[i].rate);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(s->notes) && s->notes[i]; i++, between = "; ")
		fprintf(out, "%s%s", between, s->notes[i]);
	if (s->oversubscribed)
		fprintf(out, "%soversubscribed", between);
	if (s->absent)
		fprintf(out, "%snot built: needs %s", between, s->absent);
}

static void plan_cell_extras(struct table *t, const struct stage *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		plan_print_extras(out, s);
		fclose(out);
	}
	fs_table_cell(t, "%s", text ? text : "");
	free(text);
}

static void plan_row(struct table *t, const struct run_result *run, const struct stage *s)
{
	const uint64_t timeout_ns = run->config->timeout_ns;
	char duration[32];

	fs_table_row(t);
	fs_table_cell(t, "%s", s->key);
	fs_table_cell(t, "%u", s->workers);
	if (*s->asked && strtoul(s->asked, NULL, 10) == s->workers && !strchr(s->asked, '%'))
		fs_table_cell(t, "%s", "");
	else
		fs_table_cell(t, "%s", s->asked);
	plan_cell_cpus(t, run, s);
	if (s->ops)
		fs_table_cell(t, "%llu ops each", (unsigned long long)s->ops);
	else
		fs_table_cell(t, "%s", fs_print_duration(timeout_ns, duration, sizeof(duration)));
	plan_cell_need(t, &s->need, 1);
	plan_cell_need(t, &s->need, s->workers);
	plan_cell_extras(t, s);
}

static void plan_title(struct table *t)
{
	static const char *const names[] = {
		"key", "workers", "asked", "CPUs", "for", "needs each", "in all", "options",
	};

	fs_table_row(t);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(names); i++)
		fs_table_cell(t, "%s", names[i]);
}

static void plan_print_time(FILE *out, const struct config *c)
{
	char duration[32];

	if (c->ops)
		fprintf(out, "%llu ops each", (unsigned long long)c->ops);
	else
		fprintf(out, "timeout %s (%s)",
			fs_print_duration(c->timeout_ns, duration, sizeof(duration)),
			c->timeout.text ? c->timeout.origin : "default");
}

void fs_report_plan(FILE *out, const struct run_result *run)
{
	const struct plan *plan = run->plan;
	const uint64_t seconds = (plan->seconds_ns + FS_NSEC_PER_SEC / 2) / FS_NSEC_PER_SEC;
	char target[REPORT_PATH_MAX + PLAN_TEXT_MAX], duration[32];
	struct table t;

	fprintf(out, "fsstress %s: %s, ", FS_VERSION,
		fs_report_target(run, target, sizeof(target)));
	plan_print_time(out, run->config);
	fprintf(out, ", seed %llu\n", (unsigned long long)run->seed);
	fs_table_init(&t, "lrlllrrl");
	plan_title(&t);
	for (unsigned i = 0; i < plan->nstages; i++)
		plan_row(&t, run, &plan->stages[i]);
	fs_table_print(&t, out, 2);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(plan->notes) && plan->notes[i]; i++)
		fprintf(out, "note: %s\n", plan->notes[i]);
	fs_print_duration(seconds * FS_NSEC_PER_SEC, duration, sizeof(duration));
	fprintf(out, "%u %s, at least %s in all", plan->nstages,
		plan->nstages == 1 ? "stage" : "stages", duration);
	if (run->config->repeat > 1)
		fprintf(out, ", %u times", run->config->repeat);
	fputc('\n', out);
}
