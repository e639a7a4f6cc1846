// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verb probe: which ops work on a target, found out by doing each of them once.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/key.h"
#include "core/message.h"
#include "core/preflight.h"
#include "core/registry.h"
#include "core/report.h"
#include "core/report_parts.h"
#include "core/run.h"
#include "core/supervise.h"
#include "platform/errno_name.h"

#define PROBE_EXIT_NONE 4
#define PROBE_EXIT_SETUP 3

struct probe {
	const struct config *config;
	struct session session;
	struct plan plan;
	struct run_result run;		/* of the place being probed */
	json_t *targets;		/* one object a target, when JSON was asked for */
	unsigned works;			/* ops that work somewhere */
};

static const char *probe_answer(const struct stage_result *r)
{
	return r->status == STATUS_PLANNED ? "ok" : fs_status_names[r->status];
}

static void probe_print(const struct probe *p)
{
	char target[2048];

	printf("%s\n", fs_report_target(&p->run, target, sizeof(target)));
	for (unsigned i = 0; i < p->run.nstages; i++) {
		const struct stage_result *r = &p->run.stages[i];

		printf("  %-28s %-8s %s\n", r->stage->key, probe_answer(r), r->reason);
	}
}

static json_t *probe_json_op(const struct stage_result *r)
{
	json_t *op = json_object();

	json_object_set_new(op, "key", json_string(r->stage->key));
	json_object_set_new(op, "ok", json_boolean(r->status == STATUS_PLANNED));
	json_object_set_new(op, "errno", r->err ? json_string(fs_errno_name(r->err)) : json_null());
	json_object_set_new(op, "reason", fs_json_text(r->reason));
	return op;
}

static json_t *probe_json(const struct probe *p)
{
	json_t *o = json_object(), *ops = json_array();

	for (unsigned i = 0; i < p->run.nstages; i++)
		json_array_append_new(ops, probe_json_op(&p->run.stages[i]));
	json_object_set_new(o, "target", fs_json_target(&p->run.target));
	json_object_set_new(o, "ops", ops);
	return o;
}

static void probe_stages(struct probe *p, const char *target)
{
	struct fs_limits limits;

	fs_limits_read(&limits);
	for (unsigned i = 0; i < p->run.nstages && !p->session.interrupted; i++) {
		struct stage_result *r = &p->run.stages[i];

		fs_stage_result_init(r, &p->plan.stages[i]);
		if (fs_preflight(&p->run.target, &limits, r, 1) && r->skip == SKIP_UNSUPPORTED)
			continue;
		/* A trial is small: what a run would need does not count. */
		fs_stage_result_init(r, &p->plan.stages[i]);
		if (fs_supervise_probe(&p->session, target, r->stage, r) == 0)
			r->status = STATUS_PLANNED;
		p->works += r->status == STATUS_PLANNED;
	}
}

static int probe_place(struct probe *p, struct place place)
{
	const int status = fs_place_open(&p->session, &place, &p->run);

	if (status)
		return status;
	probe_stages(p, place.target);
	fs_place_close(&p->session);
	if (p->targets)
		json_array_append_new(p->targets, probe_json(p));
	else
		probe_print(p);
	return p->session.interrupted ? 128 + p->session.interrupted : 0;
}

static int probe_places(struct probe *p)
{
	const struct config *c = p->config;
	const unsigned n = c->disk ? (c->nfs ? c->nfs : 1) : c->ntargets ? c->ntargets : 1;
	int status = 0;

	for (unsigned i = 0; i < n && status == 0; i++) {
		struct place place = { .disk = c->disk };

		if (c->disk)
			place.fs = c->nfs ? c->fs[i] : NULL;
		else
			place.target = c->ntargets ? c->targets[i] : ".";
		status = probe_place(p, place);
	}
	return status;
}

/* When nothing is selected: every variant of every stressor. The caller frees picks and keys. */
static int probe_select_all(struct config *all)
{
	const struct fs_variant *v;
	unsigned n = 0;

	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		for (v = e->stressor ? e->stressor->variants : NULL; v && v->run; v++)
			n++;
	}
	all->picks = calloc(n, sizeof(*all->picks));
	for (const struct fs_entry *e = fs_registry; all->picks && e->name; e++) {
		for (v = e->stressor ? e->stressor->variants : NULL; v && v->run; v++) {
			char key[AREA_KEY_MAX];

			fs_key_of_variant(e->stressor, v, key);
			all->picks[all->npicks].key = strdup(key);
			all->picks[all->npicks].origin = "probe";
			if (!all->picks[all->npicks++].key)
				return -ENOMEM;
		}
	}
	return all->picks ? 0 : -ENOMEM;
}

static int probe_all(struct probe *p)
{
	struct fs_topology topology;
	int status = fs_run_plan(p->config, &topology, &p->plan);

	if (status)
		return status;
	p->run = (struct run_result){
		.config = p->config, .plan = &p->plan, .nstages = p->plan.nstages
	};
	p->run.stages = calloc(p->run.nstages, sizeof(*p->run.stages));
	if (p->run.stages && fs_session_open(&p->session, p->config) == 0) {
		status = probe_places(p);
		fs_session_close(&p->session);
	}
	free(p->run.stages);
	fs_plan_free(&p->plan);
	fs_topology_free(&topology);
	return status;
}

int fs_probe(const struct config *config)
{
	const bool all = !config->npicks && !config->classes && !config->class_all;
	struct config every = *config;
	struct probe p = { .config = all ? &every : config };
	int status = all ? (probe_select_all(&every) < 0 ? PROBE_EXIT_SETUP : 0) : 0;

	if (config->json)
		p.targets = json_array();
	if (status == 0)
		status = probe_all(&p);
	if (status == 0 && p.targets) {
		const int rc = fs_json_write(config->json, p.targets);

		if (rc < 0) {
			fs_error("--json %s: %s", config->json, strerror(-rc));
			status = PROBE_EXIT_SETUP;
		}
	}
	json_decref(p.targets);
	for (unsigned i = 0; all && i < every.npicks; i++)
		free((char *)(uintptr_t)every.picks[i].key);
	if (all)
		free(every.picks);
	return status ? status : p.works ? 0 : PROBE_EXIT_NONE;
}
