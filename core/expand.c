// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expand.c - see expand.h
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"
#include "core/expand.h"
#include "core/load.h"
#include "core/message.h"
#include "core/option.h"
#include "core/place.h"
#include "core/units.h"

#define SWEEPS_MAX 32

struct sweep { /* one option that the user gave for the stressor, with its values */
	const struct stressor_option *given;
	const struct fs_option *option;	/* NULL: the mode */
	struct words values;
	unsigned at;
};

struct expand {
	const struct config *config;
	const struct fs_topology *topo;
	const struct selection *selection;
	const struct selected *from;
	struct plan *plan;
	const struct fs_stressor *stressor;
	struct counts counts;
	struct sweep sweeps[SWEEPS_MAX];
	unsigned nsweeps;
	uint64_t ops;
};

/* A stressor that was not built is planned as well, and reported as skipped: it needs a name. */
static const struct fs_variant expand_absent_variant = { .name = "",
							 .op = "not built",
							 .share = ~0u };

static int expand_error(const struct stressor_option *given, const char *value, const char *why)
{
	char name[96];

	snprintf(name, sizeof(name), "%s-%s", given->stressor->name, given->name);
	return fs_given_error(given->origin, name, value, "%s", why);
}

/* --- options to sweeps ------------------------------------------------------------------------ */

static int sweep_no_mode(const struct sweep *sw, const char *mode)
{
	const struct fs_stressor *s = sw->given->stressor;
	char why[OPTION_WHY_MAX];
	struct words modes = { 0 };
	const char *near;
	size_t at;

	if (!*s->variants->name)
		return expand_error(sw->given, sw->given->value,
				    "this stressor has one op and no modes");
	for (const struct fs_variant *v = s->variants; v->run; v++)
		fs_words_add(&modes, "%s", v->name);
	near = fs_nearest(mode, (const char *const *)modes.list);
	at = (size_t)snprintf(why, sizeof(why), "no mode '%s'; %s%s%smodes:", mode,
			      near ? "did you mean " : "", near ? near : "", near ? "? " : "");
	for (unsigned i = 0; i < modes.n && at < sizeof(why); i++)
		at += (size_t)snprintf(why + at, sizeof(why) - at, " %s", modes.list[i]);
	fs_words_free(&modes);
	return expand_error(sw->given, sw->given->value, why);
}

/* The whole text first: keep-size,punch-hole is one mode, spelled as in lkp's jobs. */
static int sweep_modes(struct sweep *sw)
{
	const struct fs_stressor *s = sw->given->stressor;

	if (fs_key_mode(s, sw->given->value))
		return fs_words_add(&sw->values, "%s", sw->given->value) ? 0 : -ENOMEM;
	if (fs_words_split(&sw->values, sw->given->value, ","))
		return expand_error(sw->given, sw->given->value, "an empty mode in the list");
	for (unsigned i = 0; i < sw->values.n; i++)
		if (!fs_key_mode(s, sw->values.list[i]))
			return sweep_no_mode(sw, sw->values.list[i]);
	return 0;
}

static int sweep_option(struct sweep *sw)
{
	sw->option = fs_option_find(sw->given->stressor->options, sw->given->name);
	if (sw->option->kind != FS_OPTION_ENUM)
		return fs_words_add(&sw->values, "%s", sw->given->value) ? 0 : -ENOMEM;
	if (fs_words_split(&sw->values, sw->given->value, ","))
		return expand_error(sw->given, sw->given->value, "an empty value in the list");
	return 0;
}

static int expand_options(struct expand *e)
{
	int rc = 0;

	for (unsigned i = 0; i < e->config->noptions && !rc; i++) {
		const struct stressor_option *given = &e->config->options[i];
		struct sweep *sw = &e->sweeps[e->nsweeps];

		if (given->stressor != e->stressor)
			continue;
		if (!strcmp(given->name, "ops")) {
			if (fs_scan_count(given->value, &e->ops) || !e->ops)
				return expand_error(given, given->value,
						    "not a plain number above 0");
			continue;
		}
		if (e->nsweeps == SWEEPS_MAX)
			return expand_error(given, given->value, "too many options");
		e->nsweeps++;
		*sw = (struct sweep){ .given = given };
		rc = strcmp(given->name, "mode") ? sweep_option(sw) : sweep_modes(sw);
	}
	return rc;
}

static int expand_counts(struct expand *e)
{
	const struct config *c = e->config;
	const struct given one = { "1", "default" }, whole = { "100%", "default" };
	const unsigned places = e->topo->nplaces;

	if (e->from->count.text)
		return fs_place_count(&e->from->count, e->from->key.entry->name, places,
				      &e->counts);
	if (!e->from->named && c->sequential.text)
		return fs_place_count(&c->sequential, "sequential", places, &e->counts);
	if (!e->from->named && c->all.text)
		return fs_place_count(&c->all, "all", places, &e->counts);
	if (c->nr_threads.text)
		return fs_place_counts(&c->nr_threads, places, &e->counts);
	return fs_place_counts(c->verb == VERB_PROBE ? &one : &whole, places, &e->counts);
}

/* --- one combination of values ---------------------------------------------------------------- */

static int stage_variant(const struct expand *e, struct stage *s)
{
	const struct fs_variant *of_key = e->from->key.variant;

	s->variant = of_key ? of_key : e->stressor->variants;
	for (unsigned i = 0; i < e->nsweeps; i++) {
		const struct sweep *sw = &e->sweeps[i];
		const struct fs_variant *v =
			sw->option ? NULL : fs_key_mode(e->stressor, sw->values.list[sw->at]);

		if (v && of_key && v != of_key && e->from->named)
			return expand_error(sw->given, sw->given->value,
					    "contradicts the key that was asked for");
		if (v)
			s->variant = v;
	}
	return 0;
}

/* Defaults, then the key, then the user's options, which the user's own key must not contradict. */
static int stage_state(const struct expand *e, struct stage *s)
{
	uint64_t touched = 0;
	char why[OPTION_WHY_MAX];

	if (fs_option_defaults(e->stressor, s->variant, s->state, why)) {
		fs_error("%s: %s", e->stressor->name, why);
		return -EINVAL;
	}
	fs_key_apply(&e->from->key, s->state, &s->share, &touched);
	for (unsigned i = 0; i < e->nsweeps; i++) {
		const struct sweep *sw = &e->sweeps[i];
		const struct fs_option *o = sw->option;
		unsigned before;

		if (!o || !fs_option_applies(o, s->variant))
			continue;
		before = fs_option_value(o, s->state);
		if (fs_option_parse(o, sw->values.list[sw->at], s->state, why))
			return expand_error(sw->given, sw->values.list[sw->at], why);
		if (e->from->named && touched & 1ull << (o - e->stressor->options) &&
		    fs_option_value(o, s->state) != before)
			return expand_error(sw->given, sw->given->value,
					    "contradicts the key that was asked for");
	}
	return 0;
}

static int stage_share(const struct expand *e, struct stage *s)
{
	const enum fs_share of_key = s->share, given = e->config->share;
	char key[AREA_KEY_MAX];

	if (of_key && e->config->share_given && given != of_key && e->from->named) {
		fs_error("--share %s: contradicts the key %s", fs_share_name(given),
			 e->from->key.text);
		return -EINVAL;
	}
	if (e->config->share_given)
		s->share = given;
	if (!s->share || s->variant->share & s->share)
		return 0;
	fs_key_of_variant(e->stressor, s->variant, key);
	if (e->from->named) {
		fs_error("%s cannot share: %s; see fsstress describe %s", key,
			 fs_share_name(s->share), e->stressor->name);
		return -EINVAL;
	}
	fs_plan_note(s->notes, FS_ARRAY_SIZE(s->notes),
		     "--share %s means nothing to it: runs with none", fs_share_name(s->share));
	s->share = FS_SHARE_NONE;
	return 0;
}

static int stage_fits(const struct expand *e, struct stage *s)
{
	char why[256] = "";
	int rc;

	if (fs_key_print(e->stressor, s->variant, s->state, s->share, s->key)) {
		fs_error("%s: with these options the key is longer than %d bytes",
			 e->stressor->name, AREA_KEY_MAX - 1);
		return -EINVAL;
	}
	rc = e->stressor->check ? e->stressor->check(s->variant, s->share, s->state, why) : 0;
	if (rc) {
		fs_error("%s: %s", s->key, why);
		return -EINVAL;
	}
	rc = e->stressor->need ? e->stressor->need(s->variant, s->state, &s->need) : 0;
	if (rc) {
		fs_error("%s: what it needs cannot be told: %s", s->key, strerror(-rc));
		return -EINVAL;
	}
	return fs_load_plan(e->config, s);
}

/* --- into the plan ---------------------------------------------------------------------------- */

static bool plan_has(const struct plan *p, const char *key, unsigned workers)
{
	for (unsigned i = 0; i < p->nstages; i++)
		if (p->stages[i].workers == workers && !strcmp(p->stages[i].key, key))
			return true;
	return false;
}

static bool place_given(const struct expand *e)
{
	for (unsigned i = 0; i < e->nsweeps; i++)
		if (e->sweeps[i].option && !strcmp(e->sweeps[i].option->name, "place"))
			return true;
	return false;
}

static int stage_add(const struct expand *e, const struct stage *prototype, unsigned count)
{
	struct stage *stages = realloc(e->plan->stages, (e->plan->nstages + 1) * sizeof(*stages)),
		     *s;

	if (!stages)
		return -ENOMEM;
	e->plan->stages = stages;
	s = &stages[e->plan->nstages++];
	*s = *prototype;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(s->notes); i++)
		s->notes[i] = prototype->notes[i] ? strdup(prototype->notes[i]) : NULL;
	s->workers = e->counts.list[count].workers;
	s->oversubscribed = s->workers > e->topo->nplaces;
	s->histograms = fs_latency_histograms(e->config, s);
	strcpy(s->asked, e->counts.list[count].asked);
	if (*e->counts.list[count].note)
		fs_plan_note(s->notes, FS_ARRAY_SIZE(s->notes), "%s", e->counts.list[count].note);
	return fs_place_stage(e->topo, e->config->pin != PIN_NONE, place_given(e), s);
}

static int stages_add(const struct expand *e, struct stage *s)
{
	int rc = 0;

	for (unsigned i = 0; i < e->counts.n && !rc; i++) {
		if (plan_has(e->plan, s->key, e->counts.list[i].workers))
			fs_plan_note(e->plan->notes, FS_ARRAY_SIZE(e->plan->notes),
				     "%s with %u workers: asked for twice, "
				     "runs once",
				     s->key, e->counts.list[i].workers);
		else
			rc = stage_add(e, s, i);
	}
	for (unsigned i = 0; i < FS_ARRAY_SIZE(s->notes); i++)
		free(s->notes[i]);
	return rc;
}

static void stage_init(const struct expand *e, struct stage *s)
{
	*s = (struct stage){
		.stressor = e->stressor,
		.named = e->from->named,
		.ops = e->ops ? e->ops : e->config->ops,
		.together = !e->from->named && e->config->all.text,
	};
}

static int expand_one(const struct expand *e)
{
	struct stage s;
	int rc;

	stage_init(e, &s);
	rc = stage_variant(e, &s);
	if (!rc)
		rc = stage_state(e, &s);
	if (!rc)
		rc = stage_share(e, &s);
	if (!rc)
		rc = stage_fits(e, &s);
	s.process = e->config->process || (!rc && s.variant->flags & FS_PROCESS);
	if (rc || !fs_selection_keeps(e->selection, e->from, s.key)) {
		for (unsigned i = 0; i < FS_ARRAY_SIZE(s.notes); i++)
			free(s.notes[i]);
		return rc;
	}
	return stages_add(e, &s);
}

/* Step to the next combination, the last option fastest; false: all were there. */
static bool expand_next(struct expand *e)
{
	for (unsigned i = e->nsweeps; i-- > 0; ) {
		struct sweep *sw = &e->sweeps[i];

		if (++sw->at < sw->values.n)
			return true;
		sw->at = 0;
	}
	return false;
}

static int expand_absent(struct expand *e)
{
	const struct fs_entry *entry = e->from->key.entry;
	struct fs_stressor *absent;
	unsigned before = e->plan->nstages;
	struct stage s;
	int rc;

	if (!fs_selection_keeps(e->selection, e->from, e->from->key.text))
		return 0;
	absent = calloc(1, sizeof(*absent));
	if (!absent)
		return -ENOMEM;
	absent->name = entry->name;
	absent->summary = "not built";
	stage_init(e, &s);
	s.stressor = absent;
	s.variant = &expand_absent_variant;
	s.absent = entry->missing;
	strcpy(s.key, e->from->key.text);
	e->counts.n = 1;		/* it will not run: one line says so */
	rc = stages_add(e, &s);
	if (e->plan->nstages == before)
		free(absent);
	return rc;
}

int fs_expand(const struct config *c, const struct fs_topology *topo,
	      const struct selection *selection, const struct selected *from, struct plan *plan)
{
	struct expand e = {
		.config = c, .topo = topo, .selection = selection, .from = from, .plan = plan,
		.stressor = from->key.entry->stressor,
	};
	int rc = expand_counts(&e);

	if (!rc && !e.stressor)
		return expand_absent(&e);
	if (!rc)
		rc = expand_options(&e);
	while (!rc) {
		rc = expand_one(&e);
		if (!expand_next(&e))
			break;
	}
	for (unsigned i = 0; i < e.nsweeps; i++)
		fs_words_free(&e.sweeps[i].values);
	return rc;
}
