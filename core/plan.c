// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - see plan.h
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/expand.h"
#include "core/message.h"
#include "core/option.h"
#include "core/place.h"

#define WARMUP_MIN_NS (FS_NSEC_PER_SEC / 5)
#define WARMUP_MAX_NS (5 * FS_NSEC_PER_SEC)
#define SETUP_NS FS_NSEC_PER_SEC /* allowed for preparing and removing a stage, in the estimate */

void fs_plan_note(char **notes, unsigned room, const char *fmt, ...)
{
	va_list args;
	unsigned i = 0;

	while (i < room - 1 && notes[i])
		i++;
	if (i == room - 1)
		return;
	va_start(args, fmt);
	if (vasprintf(&notes[i], fmt, args) < 0)
		notes[i] = NULL;
	va_end(args);
}

static bool plan_applies(const struct stressor_option *given, const struct fs_variant *v)
{
	const struct fs_option *o = fs_option_find(given->stressor->options, given->name);

	return !o || fs_option_applies(o, v);
}

static bool plan_loads(const struct stage *s, const struct stressor_option *given)
{
	for (unsigned i = 0; i < s->nloads; i++) {
		const struct area_load *load = &s->loads[i];

		if (!strcmp(load->stressor, given->stressor->name) &&
		    plan_applies(given, fs_variant_find(given->stressor, load->variant)))
			return true;
	}
	return false;
}

/* *part: its stressor is part of the run, if only by variants that it means nothing to. */
static bool plan_uses(const struct plan *p, const struct stressor_option *given, bool *part)
{
	for (unsigned i = 0; i < p->nstages; i++) {
		const struct stage *s = &p->stages[i];
		const bool of_stage = s->stressor == given->stressor;

		*part |= of_stage;
		if (plan_loads(s, given) || (of_stage && plan_applies(given, s->variant)))
			return true;
	}
	return false;
}

/* They would be accepted and ignored. */
static int plan_unused_options(const struct config *c, const struct plan *p)
{
	for (unsigned i = 0; i < c->noptions; i++) {
		const struct stressor_option *given = &c->options[i];
		const struct fs_option *o = fs_option_find(given->stressor->options, given->name);
		bool part = false;
		char name[96];

		if (plan_uses(p, given, &part))
			continue;
		snprintf(name, sizeof(name), "%s-%s", given->stressor->name, given->name);
		return fs_given_error(given->origin, name, given->value,
				      "%s%s%s is not part of this run", given->stressor->name,
				      part ? "." : "", part ? o->only : "");
	}
	return 0;
}

static int plan_check(const struct config *c, const struct plan *p)
{
	unsigned timed = 0, together = 0, together_timed = 0;

	for (unsigned i = 0; i < p->nstages; i++) {
		timed += !p->stages[i].ops;
		together += p->stages[i].together;
		together_timed += p->stages[i].together && !p->stages[i].ops;
	}
	if (!p->nstages) {
		fs_error("nothing is left to run after --exclude and --with");
		return -EINVAL;
	}
	if (plan_unused_options(c, p))
		return -EINVAL;
	if (c->timeout.text && !timed)
		return fs_given_error(c->timeout.origin, "timeout", c->timeout.text,
				      "a count of ops has no window; give one of the two");
	if (together_timed && together_timed < together)
		return fs_given_error(c->all.origin, "all", c->all.text,
				      "stages that share a window run all by time or all by ops: "
				      "use --ops N, or no --NAME-ops");
	if (together > AREA_STAGES_MAX)
		return fs_given_error(c->all.origin, "all", c->all.text,
				      "%u stages together, at most %d; leave some out by "
				      "--exclude",
				      together, AREA_STAGES_MAX);
	return 0;
}

/* Fisher-Yates over the stages that run alone; those that run together stay side by side, last. */
static void plan_shuffle(uint64_t seed, struct plan *p)
{
	struct fs_rng rng;
	unsigned n = p->nstages;

	while (n && p->stages[n - 1].together)
		n--;
	fs_rng_seed(&rng, seed, "order", 0);
	for (; n > 1; n--) {
		const uint64_t i = fs_rng_below(&rng, n);
		struct stage swap = p->stages[i];

		p->stages[i] = p->stages[n - 1];
		p->stages[n - 1] = swap;
	}
}

static void plan_mark_repeats(struct plan *p)
{
	for (unsigned i = 0; i < p->nstages; i++)
		for (unsigned j = 0; j < i; j++)
			if (!strcmp(p->stages[i].key, p->stages[j].key))
				p->stages[i].key_repeats = p->stages[j].key_repeats = true;
}

uint64_t fs_plan_warmup_ns(const struct config *c, const struct stage *s)
{
	const uint64_t tenth = c->timeout_ns / 10;

	if (s->ops || s->variant->flags & FS_COLD)
		return 0;
	if (c->warmup_given)
		return c->warmup_ns;
	if (tenth < WARMUP_MIN_NS)
		return WARMUP_MIN_NS;
	return tenth < WARMUP_MAX_NS ? tenth : WARMUP_MAX_NS;
}

static uint64_t stage_ns(const struct config *c, const struct stage *s)
{
	const uint64_t before = SETUP_NS + c->settle_ns / 5 + fs_plan_warmup_ns(c, s);

	if (s->absent)
		return 0;
	return before + (s->ops ? 0 : c->timeout_ns);
}

static void plan_estimate(const struct config *c, struct plan *p)
{
	uint64_t group = 0;

	for (unsigned i = 0; i < p->nstages; i++) {
		const uint64_t ns = stage_ns(c, &p->stages[i]);

		if (!p->stages[i].together)
			p->seconds_ns += ns;
		else if (ns > group)
			group = ns;
	}
	p->seconds_ns += group;
}

static int plan_stages(const struct config *c, const struct fs_topology *t,
		       const struct selection *s, struct plan *p)
{
	int rc = 0;

	for (unsigned i = 0; i < s->n && !rc; i++)
		rc = fs_expand(c, t, s, &s->list[i], p);
	return rc ? rc : plan_check(c, p);
}

int fs_plan_make(const struct config *c, const struct fs_topology *topo, struct plan *p)
{
	struct selection selection;
	struct fs_topology allowed;
	int rc = fs_select(c, &selection);

	*p = (struct plan){ 0 };
	if (!rc)
		rc = fs_place_topology(c, topo, &allowed);
	if (!rc) {
		rc = plan_stages(c, &allowed, &selection, p);
		fs_topology_free(&allowed);
	}
	fs_selection_free(&selection);
	if (rc == -ENOMEM)
		fs_error("out of memory");
	if (rc) {
		fs_plan_free(p);
		return rc;
	}
	if (c->order == ORDER_RANDOM)
		plan_shuffle(c->seed, p);
	plan_mark_repeats(p);
	plan_estimate(c, p);
	return 0;
}

void fs_plan_free(struct plan *p)
{
	for (unsigned i = 0; i < p->nstages; i++) {
		struct stage *s = &p->stages[i];

		free(s->cpus);
		free(s->helper_cpus);
		for (unsigned j = 0; j < FS_ARRAY_SIZE(s->notes); j++)
			free(s->notes[j]);
		if (s->absent)
			free((void *)s->stressor);
	}
	free(p->stages);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(p->notes); i++)
		free(p->notes[i]);
	*p = (struct plan){ 0 };
}
