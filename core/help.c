// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help.c - see help.h
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/cli.h"
#include "core/help.h"
#include "core/key.h"
#include "core/message.h"
#include "core/option.h"

#define HELP_OK		0
#define HELP_FAILED	1
#define HELP_USAGE	2
#define HELP_COLUMN	34

/* One option, with its text in a column of its own. */
static void usage_line(FILE *out, const char *name, const char *arg, const char *text)
{
	const int n = fprintf(out, "  --%s%s%s", name, *arg ? " " : "", arg);

	if (n >= HELP_COLUMN)
		fprintf(out, "\n%*s%s\n", HELP_COLUMN, "", text);
	else
		fprintf(out, "%*s%s\n", HELP_COLUMN - n, "", text);
}

static void usage_options(FILE *out, unsigned verbs)
{
	const struct cli_option *heading = NULL;

	for (const struct cli_option *o = fs_cli_options; o->name || o->help; o++) {
		const struct cli_option *real = o->same ? fs_cli_option_find(o->same) : o;

		if (o->kind == CLI_HEADING)
			heading = o;
		if (o->kind == CLI_HEADING || !(real->verbs & verbs))
			continue;
		if (heading)
			fprintf(out, "\n%s:\n", heading->help);
		heading = NULL;
		usage_line(out, o->name, o->arg ? o->arg : "", o->help);
	}
}

const char *fs_option_form(const struct fs_option *o, char *text, size_t size)
{
	switch (o->kind) {
	case FS_OPTION_SIZE:
		return "SIZE";
	case FS_OPTION_COUNT:
		return "N";
	case FS_OPTION_ENUM:
		return fs_option_names(o->names, "|", text, size);
	case FS_OPTION_FLAGS:
		return fs_option_names(o->names, "+", text, size);
	case FS_OPTION_WEIGHTS:
		return "KIND=W,...";
	case FS_OPTION_RATES:
		return "KIND@RATE,...";
	}
	return "";
}

static void usage_stressor(FILE *out, const struct fs_stressor *s)
{
	char name[96], text[512];

	usage_line(out, s->name, "N|P%", s->summary);
	snprintf(name, sizeof(name), "%s-ops", s->name);
	usage_line(out, name, "N", "no window: N ops of each worker");
	if (*s->variants->name) {
		size_t at = 0;

		for (const struct fs_variant *v = s->variants; v->run && at < sizeof(text); v++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? "|" : "",
					       v->name);
		snprintf(name, sizeof(name), "%s-mode", s->name);
		usage_line(out, name, "MODE[,MODE]", text);
		snprintf(name, sizeof(name), "%s-method", s->name);
		usage_line(out, name, "MODE", "the same in stress-ng's spelling");
	}
	for (const struct fs_option *o = s->options; o && o->name; o++) {
		snprintf(name, sizeof(name), "%s-%s", s->name, o->name);
		usage_line(out, name, fs_option_form(o, text, sizeof(text)), o->help);
	}
}

void fs_help_usage(FILE *out)
{
	fputs("Usage: fsstress [VERB] [OPTIONS]\n"
	      "Measures filesystem operations: one named op, one clean window, pinned "
	      "workers.\n\nVerbs:\n",
	      out);
	for (const struct cli_verb *v = fs_cli_verbs; v->name; v++)
		if (v->help)
			fprintf(out, "  %-9s%-16s%s\n", v->name, v->arg, v->help);
	usage_options(out, ~0u);
	fputs("\nStressors (N: workers; 0: all allowed CPUs; "
	      "a comma list of modes or named values: a stage each):\n", out);
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		if (e->stressor)
			usage_stressor(out, e->stressor);
		else
			fprintf(out, "  --%s: not built, %s is missing\n", e->name, e->missing);
	}
}

static int help_verb(const char *name)
{
	const struct cli_verb *v = fs_cli_verb_find(name);

	printf("Usage: fsstress %s%s%s [OPTIONS]\n%s.\n", v->name, *v->arg ? " " : "", v->arg,
	       v->help);
	usage_options(stdout, 1u << v->verb);
	return HELP_OK;
}

/* In stress-ng's words. */
static int help_class(unsigned bits)
{
	const char *name = "all";

	for (unsigned i = 0; fs_class_names[i]; i++)
		if (bits == 1u << i)
			name = fs_class_names[i];
	printf("class '%s' stressors:", name);
	for (const struct fs_entry *e = fs_registry; e->name; e++)
		if (e->stressor && e->stressor->classes & bits)
			printf(" %s", e->name);
	putchar('\n');
	return HELP_OK;
}

/* Print and release a document. */
static int help_json(json_t *json, const char *path)
{
	const size_t flags = JSON_INDENT(2) | JSON_PRESERVE_ORDER;
	int rc = -1;

	if (json && !strcmp(path, "-"))
		rc = json_dumpf(json, stdout, flags) || putchar('\n') == EOF;
	else if (json)
		rc = json_dump_file(json, path, flags);
	json_decref(json);
	if (rc)
		fs_error("--json %s: cannot write", path);
	return rc ? HELP_FAILED : HELP_OK;
}

static void list_line(const struct fs_entry *e)
{
	char classes[64] = "-";
	size_t at = 0;

	if (!e->stressor) {
		printf("%-12s %-16s %7s  not built: %s is missing\n", e->name, classes, "-",
		       e->missing);
		return;
	}
	for (unsigned i = 0; fs_class_names[i] && at < sizeof(classes); i++)
		if (e->stressor->classes & 1u << i)
			at += (size_t)snprintf(classes + at, sizeof(classes) - at, "%s%s",
					       at ? "," : "", fs_class_names[i]);
	printf("%-12s %-16s %7u  %s\n", e->name, classes, e->stressor->version,
	       e->stressor->summary);
	if (!*e->stressor->variants->name)
		return;
	printf("%38s", "");
	for (const struct fs_variant *v = e->stressor->variants; v->run; v++)
		printf(" %s", v->name);
	putchar('\n');
}

static int help_list(const struct config *c)
{
	const char *glob = c->verb_arg ? c->verb_arg : "*";
	json_t *json = c->json ? json_array() : NULL;
	unsigned n = 0;

	for (const struct fs_entry *e = fs_registry; e->name; e++)
		n += !fnmatch(glob, e->name, 0);
	if (!n) {
		json_decref(json);
		fs_error("list %s: no such stressor; see fsstress list", glob);
		return HELP_USAGE;
	}
	if (!json)
		printf("%-12s %-16s %7s  %s\n", "NAME", "CLASSES", "VERSION",
		       "OP, AND ITS VARIANTS");
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		if (fnmatch(glob, e->name, 0))
			continue;
		if (json)
			json_array_append_new(json, fs_describe_json(e, NULL));
		else
			list_line(e);
	}
	return json ? help_json(json, c->json) : HELP_OK;
}

static int help_describe(const struct config *c)
{
	struct key key;

	if (fs_key_parse(c->verb_arg, "describe", &key))
		return HELP_USAGE;
	if (c->json)
		return help_json(fs_describe_json(key.entry, key.variant), c->json);
	fs_describe(stdout, key.entry, key.variant);
	return HELP_OK;
}

int fs_help(const struct config *c)
{
	if (c->class_query)
		return help_class(c->class_query);
	switch (c->verb) {
	case VERB_LIST:
		return help_list(c);
	case VERB_DESCRIBE:
		return help_describe(c);
	case VERB_VERSION:
		puts("fsstress " FS_VERSION);
		return HELP_OK;
	default:
		break;
	}
	if (c->verb_arg)
		return help_verb(c->verb_arg);
	fs_help_usage(stdout);
	return HELP_OK;
}
