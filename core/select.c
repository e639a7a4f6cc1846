// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * select.c - see select.h
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/option.h"
#include "core/select.h"

const struct stressor_option *fs_select_option(const struct config *c, const struct fs_stressor *s,
					       const char *name)
{
	for (unsigned i = 0; i < c->noptions; i++)
		if (c->options[i].stressor == s && !strcmp(c->options[i].name, name))
			return &c->options[i];
	return NULL;
}

static struct selected *select_add(struct selection *s)
{
	struct selected *list = realloc(s->list, (s->n + 1) * sizeof(*list));

	if (!list)
		return NULL;
	s->list = list;
	list[s->n] = (struct selected){ .named = false };
	return &list[s->n++];
}

static int select_picks(const struct config *c, struct selection *s)
{
	for (unsigned i = 0; i < c->npicks; i++) {
		const struct pick *p = &c->picks[i];
		struct selected *new = select_add(s);
		int rc;

		if (!new)
			return -ENOMEM;
		rc = fs_key_parse(p->key, p->origin, &new->key);
		if (rc)
			return rc;
		new->named = true;
		new->origin = p->origin;
		new->count = (struct given){ p->workers, p->origin };
	}
	return 0;
}

static int select_key(struct selection *s, const char *name, const char *key)
{
	char text[AREA_KEY_MAX];
	struct selected *new = select_add(s);

	if (!new)
		return -ENOMEM;
	snprintf(text, sizeof(text), "%s%s%s", name, *key ? "." : "", key);
	return fs_key_parse(text, name, &new->key);
}

/* What a class run measures of one stressor: its in_class keys, or what --NAME-mode says. */
static int select_stressor(const struct config *c, const struct fs_stressor *f, struct selection *s)
{
	struct words keys = { 0 };
	int rc;

	if (!f->in_class || fs_select_option(c, f, "mode"))
		return select_key(s, f->name, "");
	rc = fs_words_split(&keys, f->in_class, " ");
	for (unsigned i = 0; i < keys.n && !rc; i++) {
		const struct fs_variant *v;

		rc = select_key(s, f->name, keys.list[i]);
		v = s->list[s->n - 1].key.variant;
		if (!rc && v && v->flags & FS_NONSTATIONARY)
			s->n--;
	}
	fs_words_free(&keys);
	return rc;
}

static int select_class(const struct config *c, unsigned classes, bool all, struct selection *s)
{
	int rc = 0;

	for (const struct fs_entry *e = fs_registry; e->name && !rc; e++) {
		if (!e->stressor && all)
			rc = select_key(s, e->name, "");
		else if (e->stressor && (all || e->stressor->classes & classes))
			rc = select_stressor(c, e->stressor, s);
	}
	return rc;
}

/* Every variant there is: what a bare `probe` tries. */
static int select_every_variant(struct selection *s)
{
	int rc = 0;

	for (const struct fs_entry *e = fs_registry; e->name && !rc; e++) {
		if (!e->stressor)
			rc = select_key(s, e->name, "");
		for (const struct fs_variant *v = e->stressor ? e->stressor->variants : NULL;
		     v && v->run && !rc; v++)
			rc = select_key(s, e->name, v->name);
	}
	return rc;
}

/* One name of --exclude or --with: a stressor's, or a key, made canonical. */
static int select_filter(const char *text, const char *option, struct words *out)
{
	_Alignas(16) unsigned char state[AREA_STATE_MAX];
	char canonical[AREA_KEY_MAX], why[OPTION_WHY_MAX];
	enum fs_share share = FS_SHARE_NONE;
	const struct fs_variant *v;
	uint64_t touched = 0;
	struct key key;

	if (fs_registry_find(text))
		return fs_words_add(out, "%s", text) ? 0 : -ENOMEM;
	if (fs_stress_ng_has(text) && !strcmp(option, "--exclude"))
		return 0;
	if (fs_key_parse(text, option, &key))
		return -EINVAL;
	if (!key.entry->stressor)
		return 0;
	v = key.variant ? key.variant : key.entry->stressor->variants;
	if (fs_option_defaults(key.entry->stressor, v, state, why))
		return -EINVAL;
	fs_key_apply(&key, state, &share, &touched);
	if (fs_key_print(key.entry->stressor, v, state, share, canonical))
		return -EINVAL;
	return fs_words_add(out, "%s", canonical) ? 0 : -ENOMEM;
}

static int select_filters(const struct config *c, struct selection *s)
{
	int rc = 0;

	for (unsigned i = 0; i < c->nexclude && !rc; i++)
		rc = select_filter(c->exclude[i], "--exclude", &s->exclude);
	for (unsigned i = 0; i < c->nwith && !rc; i++)
		rc = select_filter(c->with[i], "--with", &s->with);
	s->only_with = c->nwith > 0;
	return rc;
}

int fs_select(const struct config *c, struct selection *s)
{
	const bool counted = c->nwith || c->sequential.text || c->all.text;
	int rc;

	*s = (struct selection){ 0 };
	rc = select_filters(c, s);
	if (!rc)
		rc = select_picks(c, s);
	if (rc)
		return rc;
	if (c->classes || counted)
		return select_class(c, c->classes, c->class_all || !c->classes, s);
	if (c->npicks)
		return 0;
	if (c->verb == VERB_PROBE)
		return select_every_variant(s);
	return select_class(c, FS_CLASS_FILESYSTEM, false, s);
}

bool fs_selection_keeps(const struct selection *s, const struct selected *from, const char *key)
{
	const char *name = from->key.entry->name;

	if (fs_words_have(&s->exclude, name) || fs_words_have(&s->exclude, key))
		return false;
	return from->named || !s->only_with || fs_words_have(&s->with, name) ||
	       fs_words_have(&s->with, key);
}

void fs_selection_free(struct selection *s)
{
	free(s->list);
	fs_words_free(&s->exclude);
	fs_words_free(&s->with);
}
