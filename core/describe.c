// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * describe.c - what a stressor is, from its descriptor, for people and as JSON
 */
#include <inttypes.h>
#include <string.h>

#include "core/help.h"
#include "core/key.h"
#include "core/option.h"
#include "core/plan.h"
#include "core/units.h"

const char *const fs_variant_flag_names[] = { "process", "root",    "mem",	     "io",
					      "cold",	 "remount", "nonstationary", "load", NULL };

static const char *const describe_counter_kinds[] = { "sum", "per-op", "per-second", "last" };
static const char *const describe_option_kinds[] = {
	"", "size", "count", "enum", "flags", "weights", "rates"
};

bool fs_describe_need(const struct fs_stressor *s, const struct fs_variant *v, struct fs_need *need)
{
	_Alignas(16) unsigned char state[AREA_STATE_MAX];
	char why[OPTION_WHY_MAX];

	*need = (struct fs_need){ 0 };
	if (fs_option_defaults(s, v, state, why))
		return false;
	return !s->need || !s->need(v, state, need);
}

/* --- text ------------------------------------------------------------------------------------- */

static void describe_calls(FILE *out, const struct fs_variant *v)
{
	const uint64_t batch = v->batch_multiple ? v->batch_multiple : 1;

	if (!v->calls || !v->calls->name)
		return;
	fprintf(out, "      calls");
	for (const struct fs_calls *c = v->calls; c->name; c++)
		fprintf(out, "%s %s%s%s%s x %u", c == v->calls ? "" : ",", c->name,
			c->args ? "(" : "", c->args ? c->args : "", c->args ? ")" : "", c->n);
	if (batch > 1)
		fprintf(out, " in %" PRIu64 " ops", batch);
	fputc('\n', out);
}

static void describe_needs(FILE *out, const struct fs_stressor *s, const struct fs_variant *v)
{
	struct fs_need need;
	char size[32];

	if (!fs_describe_need(s, v, &need))
		return;
	fprintf(out, "      needs %s, %" PRIu64 " inodes, %" PRIu64 " descriptors",
		fs_print_size(need.bytes, size, sizeof(size)), need.inodes, need.descriptors);
	if (need.aio_slots)
		fprintf(out, ", %" PRIu64 " aio slots", need.aio_slots);
	fprintf(out, " a worker\n");
}

static void describe_variant(FILE *out, const struct fs_stressor *s, const struct fs_variant *v)
{
	char key[AREA_KEY_MAX];

	fprintf(out, "  %s%s\n      %s\n", fs_key_of_variant(s, v, key),
		v == s->variants ? "  (default)" : "", v->op);
	describe_calls(out, v);
	describe_needs(out, s, v);
	if (v->share) {
		fprintf(out, "      share none");
		for (unsigned i = 1; fs_share_names[i]; i++)
			if (v->share & 1u << (i - 1))
				fprintf(out, " %s", fs_share_names[i]);
		fputc('\n', out);
	}
	if (v->helpers)
		fprintf(out, "      helpers %u a worker\n", v->helpers);
	if (v->defaults)
		fprintf(out, "      defaults %s\n", v->defaults);
	for (unsigned i = 0; fs_variant_flag_names[i]; i++)
		if (v->flags & 1u << i)
			fprintf(out, "      %s\n", fs_variant_flag_names[i]);
}

static void describe_options(FILE *out, const struct fs_stressor *s)
{
	char text[512];

	for (const struct fs_option *o = s->options; o && o->name; o++) {
		fprintf(out, "%s  --%s-%s %s\n      %s; default %s",
			o == s->options ? "Options\n" : "", s->name, o->name,
			fs_option_form(o, text, sizeof(text)), o->help, *o->def ? o->def : "none");
		if (o->kind == FS_OPTION_SIZE || o->kind == FS_OPTION_COUNT)
			fprintf(out, ", %" PRIu64 " to %" PRIu64, o->min, o->max);
		if (o->only)
			fprintf(out, "; of %s.%s alone", s->name, o->only);
		if (o->kind == FS_OPTION_WEIGHTS || o->kind == FS_OPTION_RATES)
			fprintf(out, "\n      kinds: %s",
				fs_option_names(o->names, " ", text, sizeof(text)));
		fputc('\n', out);
	}
	for (const struct fs_mode_alias *a = s->mode_aliases; a && a->text; a++)
		fprintf(out, "  --%s-mode %s is %s\n", s->name, a->text, a->variant);
}

static void describe_rest(FILE *out, const struct fs_stressor *s)
{
	for (const struct fs_counter *c = s->counters; c && c->name; c++)
		fprintf(out, "%s  %s (%s, %s)\n", c == s->counters ? "Side metrics\n" : "", c->name,
			c->unit, describe_counter_kinds[c->kind]);
	if (s->kinds) {
		fprintf(out, "Kinds of op\n ");
		for (const char *const *k = s->kinds; *k; k++)
			fprintf(out, " %s", *k);
		fputc('\n', out);
	}
	if (s->notes)
		fprintf(out, "Notes\n  ");
	for (const char *p = s->notes; p && *p; p++) {
		fputc(*p, out);
		if (*p == '\n' && p[1])
			fputs("  ", out);
	}
	if (s->notes)
		fputc('\n', out);
}

void fs_describe(FILE *out, const struct fs_entry *e, const struct fs_variant *only)
{
	const struct fs_stressor *s = e->stressor;
	char classes[64] = "";
	size_t at = 0;

	if (!s) {
		fprintf(out, "%s: not built, %s is missing\n", e->name, e->missing);
		return;
	}
	for (unsigned i = 0; fs_class_names[i] && at < sizeof(classes); i++)
		if (s->classes & 1u << i)
			at += (size_t)snprintf(classes + at, sizeof(classes) - at, " %s",
					       fs_class_names[i]);
	fprintf(out, "%s - %s\n  classes%s; workload version %u", s->name, s->summary, classes,
		s->version);
	if (s->work_unit)
		fprintf(out, "; work in %s", s->work_unit);
	fprintf(out, "\n  a class run measures %s\n",
		s->in_class ? s->in_class : *s->variants->name ? s->variants->name : s->name);
	fprintf(out, "Variants\n");
	for (const struct fs_variant *v = s->variants; v->run; v++)
		if (!only || v == only)
			describe_variant(out, s, v);
	describe_options(out, s);
	describe_rest(out, s);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *json_names(const char *const *names, unsigned bits)
{
	json_t *list = json_array();

	for (unsigned i = 0; names && names[i]; i++)
		if (bits & 1u << i)
			json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *json_calls(const struct fs_variant *v)
{
	json_t *list = json_array();

	for (const struct fs_calls *c = v->calls; c && c->name; c++)
		json_array_append_new(list, json_pack("{s:s, s:i, s:s?}", "name", c->name, "n",
						      (int)c->n, "args", c->args));
	return list;
}

static json_t *json_variant(const struct fs_stressor *s, const struct fs_variant *v)
{
	json_t *share = json_names(fs_share_names + 1, v->share), *needs = json_null();
	char key[AREA_KEY_MAX];
	struct fs_need need;

	json_array_insert_new(share, 0, json_string("none"));
	if (fs_describe_need(s, v, &need))
		needs = json_pack("{s:I, s:I, s:I, s:I, s:I}", "bytes", (json_int_t)need.bytes,
				  "inodes", (json_int_t)need.inodes, "file_bytes",
				  (json_int_t)need.file_bytes, "descriptors",
				  (json_int_t)need.descriptors, "aio_slots",
				  (json_int_t)need.aio_slots);
	return json_pack("{s:s, s:s, s:s, s:o, s:I, s:o, s:o, s:i, s:s?, s:o}", "name", v->name,
			 "key", fs_key_of_variant(s, v, key), "op", v->op, "calls", json_calls(v),
			 "batch_multiple", (json_int_t)(v->batch_multiple ? v->batch_multiple : 1),
			 "share", share, "flags", json_names(fs_variant_flag_names, v->flags),
			 "helpers", (int)v->helpers, "defaults", v->defaults, "need", needs);
}

static json_t *json_option(const struct fs_option *o)
{
	const bool number = o->kind == FS_OPTION_SIZE || o->kind == FS_OPTION_COUNT;

	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", o->name, "kind",
			 describe_option_kinds[o->kind], "default", o->def, "help", o->help, "min",
			 number ? json_integer((json_int_t)o->min) : json_null(), "max",
			 number ? json_integer((json_int_t)o->max) : json_null(), "values",
			 o->names ? json_names(o->names, ~0u) : json_null());
}

static json_t *json_class_keys(const struct fs_stressor *s)
{
	const char *text = s->in_class ? s->in_class : s->variants->name;
	json_t *list = json_array();

	while (*text) {
		const size_t n = strcspn(text, " ");

		json_array_append_new(list, json_sprintf("%s.%.*s", s->name, (int)n, text));
		text += n + strspn(text + n, " ");
	}
	if (!json_array_size(list))
		json_array_append_new(list, json_string(s->name));
	return list;
}

static json_t *json_counters(const struct fs_stressor *s)
{
	json_t *list = json_array();

	for (const struct fs_counter *c = s->counters; c && c->name; c++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s}", "name", c->name, "unit", c->unit,
						"kind", describe_counter_kinds[c->kind]));
	return list;
}

json_t *fs_describe_json(const struct fs_entry *e, const struct fs_variant *only)
{
	const struct fs_stressor *s = e->stressor;
	json_t *variants = json_array(), *options = json_array();

	for (const struct fs_variant *v = s ? s->variants : NULL; v && v->run; v++)
		if (!only || v == only)
			json_array_append_new(variants, json_variant(s, v));
	for (const struct fs_option *o = s ? s->options : NULL; o && o->name; o++)
		json_array_append_new(options, json_option(o));
	return json_pack("{s:s, s:b, s:s?, s:s?, s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:s?}",
			 "name", e->name, "built", s != NULL, "missing", e->missing, "summary",
			 s ? s->summary : NULL, "workload_version",
			 s ? json_integer(s->version) : json_null(), "classes",
			 json_names(fs_class_names, s ? s->classes : 0), "work_unit",
			 s ? s->work_unit : NULL, "class_keys",
			 s ? json_class_keys(s) : json_array(), "variants", variants, "options",
			 options, "counters", s ? json_counters(s) : json_array(), "kinds",
			 json_names(s ? s->kinds : NULL, ~0u), "notes", s ? s->notes : NULL);
}
