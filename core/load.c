// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads in the plan, and in the result; load_task.c is what they do in between.
 */
#include "core/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/expand.h"
#include "core/key.h"
#include "core/latency.h"
#include "core/option.h"
#include "core/units.h"
#include "core/words.h"

#define LOAD_ORIGIN	"--load"
#define LOAD_RATE_MAX	1e6
#define LOAD_DONE_MIN	0.95		/* of the ops asked for; else it has missed its rate */

/* --- the plan --------------------------------------------------------------------------------- */

static int load_error(const char *text, const char *why)
{
	return fs_given_error(LOAD_ORIGIN, "load", text, "%s", why);
}

static int load_impossible(const char *text)
{
	char why[512] = "cannot be a load, which has no refill; these can:", key[AREA_KEY_MAX];

	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		for (const struct fs_variant *v = e->stressor ? e->stressor->variants : NULL;
		     v && v->run; v++) {
			const size_t n = strlen(why);

			if (v->flags & FS_LOAD)
				snprintf(why + n, sizeof(why) - n, " %s",
					 fs_key_of_variant(e->stressor, v, key));
		}
	}
	return load_error(text, why);
}

/* Those given for its stressor. The mode and the count of ops are the stage's. */
static int load_given(const struct config *c, const struct fs_stressor *s,
		      const struct fs_variant *v, void *state)
{
	char why[OPTION_WHY_MAX], name[96];

	for (unsigned i = 0; i < c->noptions; i++) {
		const struct stressor_option *given = &c->options[i];
		const struct fs_option *o = given->stressor == s ?
					    fs_option_find(s->options, given->name) : NULL;

		if (!o || !fs_option_applies(o, v) || !fs_option_parse(o, given->value, state, why))
			continue;
		snprintf(name, sizeof(name), "%s-%s", s->name, given->name);
		return fs_given_error(given->origin, name, given->value, "%s", why);
	}
	return 0;
}

static int load_state(const struct config *c, const struct stage *s, const struct key *key,
		      const struct fs_variant *v, struct area_load *load)
{
	enum fs_share share = FS_SHARE_NONE;
	uint64_t touched = 0;
	char why[OPTION_WHY_MAX] = "";
	int rc = fs_option_defaults(key->entry->stressor, v, load->state, why);

	if (rc)
		return load_error(key->text, why);
	if (key->entry->stressor == s->stressor)
		memcpy(load->state, s->state, sizeof(load->state));
	else
		rc = load_given(c, key->entry->stressor, v, load->state);
	if (rc)
		return rc;
	fs_key_apply(key, load->state, &share, &touched);
	if (share)
		return load_error(key->text, "what is shared is the stage's: --share");
	if (fs_key_print(key->entry->stressor, v, load->state, FS_SHARE_NONE, load->key))
		return load_error(key->text, "the key is too long");
	if (key->entry->stressor->check &&
	    key->entry->stressor->check(v, s->share, load->state, why))
		return load_error(key->text, why);
	return 0;
}

/* One KEY@RATE. */
static int load_add(const struct config *c, struct stage *s, const char *text)
{
	struct area_load *load = &s->loads[s->nloads];
	const char *at = strrchr(text, '@');
	const struct fs_variant *v;
	struct key key;
	char *name;
	int rc;

	if (s->nloads == AREA_LOADS_MAX)
		return load_error(text, "more than 8 loads for a stage");
	*load = (struct area_load){ .rate = 0 };
	if (!at || at == text || fs_scan_rate(at + 1, LOAD_RATE_MAX, &load->rate))
		return load_error(text, "not KEY@RATE with 0.001 to 1000000 ops/s, such as "
					"lease.cycle@1000");
	name = strndup(text, (size_t)(at - text));
	rc = name ? fs_key_parse(name, LOAD_ORIGIN, &key) : -ENOMEM;
	free(name);
	if (rc)
		return rc;
	if (!key.entry->stressor)
		return load_error(text, "not built");
	v = key.variant ? key.variant : key.entry->stressor->variants;
	if (!(v->flags & FS_LOAD))
		return load_impossible(text);
	snprintf(load->stressor, sizeof(load->stressor), "%s", key.entry->name);
	snprintf(load->variant, sizeof(load->variant), "%s", v->name);
	rc = load_state(c, s, &key, v, load);
	s->nloads += !rc;
	return rc;
}

static int load_remounts(const struct config *c, struct stage *s)
{
	static const char why[] = "it is remounted, which open files prevent";

	if (s->named)
		return fs_given_error(LOAD_ORIGIN, "load", c->loads[0], "not beside %s: %s", s->key,
				      why);
	fs_plan_note(s->notes, FS_ARRAY_SIZE(s->notes), "without --load: %s", why);
	return 0;
}

int fs_load_plan(const struct config *c, struct stage *s)
{
	char text[AREA_KEY_MAX];
	int rc = 0;

	if (c->nloads && s->variant->flags & FS_REMOUNT)
		return load_remounts(c, s);
	for (unsigned i = 0; !rc && s->stressor->load; i++) {
		if (!s->stressor->load(s->variant, s->state, i, text))
			break;
		rc = load_add(c, s, text);
	}
	for (unsigned i = 0; i < c->nloads && !rc; i++)
		rc = load_add(c, s, c->loads[i]);
	return rc;
}

/* --- the result ------------------------------------------------------------------------------- */

static void load_one(struct stage_result *r, struct area *a, unsigned stage, unsigned i)
{
	const struct area_load *load = &r->stage->loads[i];
	struct load_result *l = &r->loads[i];
	const double asked = fs_load_asked(r->stage, i), done = (double)l->ops;

	for (unsigned w = 0; w < r->stage->workers; w++) {
		const uint64_t late = fs_load(&area_slot(a, stage, w)->load[i].late_ns);

		l->late_ns = late > l->late_ns ? late : l->late_ns;
	}
	l->achieved_per_sec = r->measured_s > 0 ? done / r->measured_s : NAN;
	/* Each worker may have one op under way at the end. */
	l->missed = done + r->stage->workers < LOAD_DONE_MIN * asked * r->measured_s;
	fs_latency_load_collect(r, a, stage, i);
	if (l->missed)
		fs_warn_add(r->warnings, &r->nwarnings,
			    "load_missed: %s reached %.1f of the %.1f ops/s asked for", load->key,
			    l->achieved_per_sec, asked);
}

void fs_load_collect(struct stage_result *r, struct area *a, unsigned stage,
		     const struct snapshot *start, const struct snapshot *end)
{
	for (unsigned i = 0; i < r->stage->nloads; i++) {
		for (unsigned w = 0; w < r->stage->workers; w++)
			r->loads[i].ops += end->workers[w].load_ops[i] -
					   start->workers[w].load_ops[i];
		load_one(r, a, stage, i);
	}
}
