// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * key.c - see key.h
 */
#include <stdio.h>
#include <string.h>

#include "core/key.h"
#include "core/option.h"
#include "core/units.h"
#include "core/words.h"

const char *const fs_share_names[] = { "none", "dir", "file", "range", NULL };

const char *fs_share_name(enum fs_share share)
{
	switch (share) {
	case FS_SHARE_DIR:
		return "dir";
	case FS_SHARE_FILE:
		return "file";
	case FS_SHARE_RANGE:
		return "range";
	case FS_SHARE_NONE:
		break;
	}
	return "none";
}

char *fs_key_of_variant(const struct fs_stressor *s, const struct fs_variant *v,
			char text[AREA_KEY_MAX])
{
	snprintf(text, AREA_KEY_MAX, "%s%s%s", s->name, *v->name ? "." : "", v->name);
	return text;
}

const struct fs_variant *fs_key_mode(const struct fs_stressor *s, const char *mode)
{
	for (const struct fs_mode_alias *a = s->mode_aliases; a && a->text; a++)
		if (!strcmp(a->text, mode))
			return fs_variant_find(s, a->variant);
	return *mode ? fs_variant_find(s, mode) : NULL;
}

static bool key_is_choice(const struct fs_option *o)
{
	return o->kind == FS_OPTION_ENUM || o->kind == FS_OPTION_FLAGS;
}

static bool key_has_choice(const struct fs_option *o, const struct fs_variant *v)
{
	return key_is_choice(o) && fs_option_applies(o, v);
}

static bool key_has_value(const struct fs_option *o, const char *word, unsigned *value)
{
	for (*value = 0; key_is_choice(o) && o->names[*value]; ++*value)
		if (!strcmp(o->names[*value], word))
			return true;
	return false;
}

/* The variant's option with a value of this name: index in the table, and value; false: none. */
static bool key_find_value(const struct key *key, const char *word, unsigned *option,
			   unsigned *value)
{
	const struct fs_stressor *s = key->entry->stressor;
	const struct fs_variant *v = key->variant ? key->variant : s->variants;

	for (unsigned i = 0; s->options && s->options[i].name; i++) {
		*option = i;
		if (fs_option_applies(&s->options[i], v) &&
		    key_has_value(&s->options[i], word, value))
			return true;
	}
	return false;
}

static enum fs_share key_share(const char *word)
{
	for (unsigned i = 1; fs_share_names[i]; i++)
		if (!strcmp(fs_share_names[i], word))
			return (enum fs_share)(1u << (i - 1));
	return FS_SHARE_NONE;
}

/* Cut the next word off a dotted list; NULL at its end. */
static const char *key_word(const char **list, char word[AREA_KEY_MAX])
{
	const size_t n = strcspn(*list, ".");

	if (!n)
		return NULL;
	snprintf(word, AREA_KEY_MAX, "%.*s", (int)n, *list);
	*list += n + ((*list)[n] == '.');
	return word;
}

static void key_candidates(const struct fs_stressor *s, const struct fs_variant *v,
			   struct words *all)
{
	unsigned char defaults[AREA_STATE_MAX] = { 0 };
	char key[AREA_KEY_MAX], why[OPTION_WHY_MAX];

	fs_key_of_variant(s, v, key);
	fs_words_add(all, "%s", key);
	fs_option_defaults(s, v, defaults, why);
	for (const struct fs_option *o = s->options; o && o->name; o++)
		for (unsigned i = 0; key_has_choice(o, v) && o->names[i]; i++)
			if (o->kind != FS_OPTION_ENUM || i != fs_option_value(o, defaults))
				fs_words_add(all, "%s.%s", key, o->names[i]);
	for (unsigned i = 1; fs_share_names[i]; i++)
		if (v->share & 1u << (i - 1))
			fs_words_add(all, "%s.%s", key, fs_share_names[i]);
}

static int key_unknown(const struct fs_stressor *s, const char *text, const char *origin)
{
	struct words all = { 0 };
	const char *near;

	for (const struct fs_variant *v = s->variants; v->run; v++)
		key_candidates(s, v, &all);
	near = fs_nearest(text, (const char *const *)all.list);
	if (near)
		fs_given_error(origin, "test", text, "no such key; did you mean %s?", near);
	else
		fs_given_error(origin, "test", text, "no such key; see fsstress describe %s",
			       s->name);
	fs_words_free(&all);
	return -EINVAL;
}

static int key_unknown_name(const char *text, const char *name, const char *origin)
{
	struct words all = { 0 };
	const char *near;

	if (fs_stress_ng_has(name))
		return fs_given_error(origin, "test", text,
				      "stress-ng's, not in this version; see fsstress list");
	for (const struct fs_entry *e = fs_registry; e->name; e++)
		fs_words_add(&all, "%s", e->name);
	near = fs_nearest(name, (const char *const *)all.list);
	if (near)
		fs_given_error(origin, "test", text, "no stressor '%s'; did you mean %s?", name,
			       near);
	else
		fs_given_error(origin, "test", text, "no stressor '%s'; see fsstress list", name);
	fs_words_free(&all);
	return -EINVAL;
}

static int key_check_modifiers(const struct key *key, const char *origin)
{
	const char *list = key->modifiers;
	char word[AREA_KEY_MAX];
	unsigned option, value;

	while (key_word(&list, word))
		if (!key_find_value(key, word, &option, &value) &&
		    !key_share(word))
			return key_unknown(key->entry->stressor, key->text, origin);
	/* "a..b" and "a.": the list ended before its text did */
	return *list || strstr(key->text, "..") || key->text[strlen(key->text) - 1] == '.' ?
		key_unknown(key->entry->stressor, key->text, origin) : 0;
}

int fs_key_parse(const char *text, const char *origin, struct key *key)
{
	char word[AREA_KEY_MAX], name[AREA_KEY_MAX] = "";
	const char *rest = text, *behind;

	*key = (struct key){ 0 };
	if (strlen(text) >= sizeof(key->text))
		return fs_given_error(origin, "test", NULL, "a key of more than %zu bytes",
				      sizeof(key->text) - 1);
	strcpy(key->text, text);
	key_word(&rest, name);
	key->entry = fs_registry_find(name);
	if (!key->entry)
		return key_unknown_name(text, name, origin);
	if (!key->entry->stressor)
		return 0;
	behind = rest;
	if (key_word(&behind, word)) {
		key->variant = fs_variant_find(key->entry->stressor, word);
		if (key->variant)
			rest = behind;
	}
	strcpy(key->modifiers, rest);
	return key_check_modifiers(key, origin);
}

void fs_key_apply(const struct key *key, void *state, enum fs_share *share, uint64_t *touched)
{
	const struct fs_stressor *s = key->entry->stressor;
	const char *list = key->modifiers;
	char word[AREA_KEY_MAX];
	unsigned option, value;

	while (key_word(&list, word)) {
		void *field;

		if (!key_find_value(key, word, &option, &value)) {
			*share = key_share(word);
			continue;
		}
		field = (char *)state + s->options[option].offset;
		if (s->options[option].kind == FS_OPTION_FLAGS) {
			unsigned flags = *touched & 1ull << option
						 ? fs_option_value(&s->options[option], state)
						 : 0;

			flags |= 1u << value;
			value = flags;
		}
		memcpy(field, &value, sizeof(value));
		*touched |= 1ull << option;
	}
}

/* Append what an option adds to the key. */
static size_t key_print_value(const struct fs_option *o, unsigned value, char *text, size_t at)
{
	if (o->kind == FS_OPTION_ENUM)
		return at + (size_t)snprintf(text + at, AREA_KEY_MAX - at, ".%s", o->names[value]);
	if (!value)
		return at + (size_t)snprintf(text + at, AREA_KEY_MAX - at, ".none");
	for (unsigned i = 0; o->names[i] && at < AREA_KEY_MAX; i++)
		if (value & 1u << i)
			at += (size_t)snprintf(text + at, AREA_KEY_MAX - at, ".%s", o->names[i]);
	return at;
}

int fs_key_print(const struct fs_stressor *s, const struct fs_variant *v, const void *state,
		 enum fs_share share, char text[AREA_KEY_MAX])
{
	_Alignas(16) unsigned char defaults[AREA_STATE_MAX];
	char why[OPTION_WHY_MAX];
	size_t at;

	if (fs_option_defaults(s, v, defaults, why))
		return -EINVAL;
	at = strlen(fs_key_of_variant(s, v, text));
	for (const struct fs_option *o = s->options; o && o->name && at < AREA_KEY_MAX; o++)
		if (key_has_choice(o, v) &&
		    fs_option_value(o, state) != fs_option_value(o, defaults))
			at = key_print_value(o, fs_option_value(o, state), text, at);
	if (share && at < AREA_KEY_MAX)
		at += (size_t)snprintf(text + at, AREA_KEY_MAX - at, ".%s", fs_share_name(share));
	return at < AREA_KEY_MAX ? 0 : -EINVAL;
}
