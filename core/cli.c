// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli.c - argv and job files to struct config
 *
 * No abbreviations, no options that are ignored, no order: whatever is not understood to the letter
 * is refused with one line. Names are looked up in cli_match.c; what one option means is in
 * cli_table.c, what options mean together in cli_check.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cli.h"
#include "core/message.h"
#include "core/option.h"
#include "core/registry.h"
#include "core/units.h"

#define WINDOW_NS (10 * FS_NSEC_PER_SEC)
#define SETTLE_NS (5 * FS_NSEC_PER_SEC)

int fs_cli_bad(const struct cli *cli, const char *fmt, ...)
{
	char why[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return fs_given_error(cli->origin, cli->name, cli->value, "%s", why);
}

const char *fs_cli_keep(struct cli *cli, const char *text)
{
	return fs_words_add(&cli->config->owned, "%s", text);
}

/* Room for one more element in *array; false: out of memory. */
static bool cli_grow(void **array, unsigned n, size_t size)
{
	void *more = realloc(*array, (n + 1) * size);

	if (more)
		*array = more;
	return more;
}

int fs_cli_append(struct cli *cli, const char ***list, unsigned *n, const char *text)
{
	const char *copy = fs_cli_keep(cli, text);
	const char **more = copy ? realloc(*list, (*n + 1) * sizeof(*more)) : NULL;

	if (!more)
		return -ENOMEM;
	more[(*n)++] = copy;
	*list = more;
	return 0;
}

int fs_cli_pick(struct cli *cli, const char *key, const char *workers)
{
	struct config *c = cli->config;
	const char *copy = fs_cli_keep(cli, key);

	if (!copy || !cli_grow((void **)&c->picks, c->npicks, sizeof(*c->picks)))
		return -ENOMEM;
	c->picks[c->npicks++] = (struct pick){ copy, workers, cli->origin };
	return 0;
}

/* --- one option ------------------------------------------------------------------------------- */

static bool cli_takes_value(const struct cli_match *m)
{
	return m->entry || m->option->arg;
}

/* Remember it. 0: new; 1: it was given before, with this value; or -EINVAL. */
static int cli_see(struct cli *cli, const struct cli_match *m)
{
	const char *stressor = m->entry ? m->entry->name : NULL, *rest = m->rest;
	const struct cli_option *o = m->option;
	const bool repeats = o && (o->repeats || o->kind == CLI_LIST || o->kind == CLI_APPEND);

	if (!strcmp(rest, "method"))	/* stress-ng's spelling */
		rest = "mode";
	for (unsigned i = 0; i < cli->nseen && !repeats; i++) {
		const struct cli_seen *s = &cli->seen[i];

		if (s->option != o || s->stressor != stressor || strcmp(s->rest, rest))
			continue;
		if (!cli->value || !strcmp(s->value, cli->value))
			return 1;
		return fs_cli_bad(cli, "given twice: %s (%s) before", s->value, s->origin);
	}
	if (!cli_grow((void **)&cli->seen, cli->nseen, sizeof(*cli->seen)))
		return -ENOMEM;
	cli->seen[cli->nseen++] =
		(struct cli_seen){ o, stressor, rest, cli->name, cli->value, cli->origin };
	return 0;
}

static int cli_set_stressor(struct cli *cli, const struct cli_match *m)
{
	struct config *c = cli->config;

	if (!*m->rest)
		return fs_cli_pick(cli, m->entry->name, cli->value);
	if (!m->entry->stressor) /* not built: its stages are skipped, whatever their options */
		return 0;
	if (!cli_grow((void **)&c->options, c->noptions, sizeof(*c->options)))
		return -ENOMEM;
	c->options[c->noptions++] =
		(struct stressor_option){ m->entry->stressor,
					  strcmp(m->rest, "method") ? m->rest : "mode", cli->value,
					  cli->origin };
	return 0;
}

static int cli_set_list(struct cli *cli, const struct cli_option *o)
{
	const char ***list = (const char ***)((char *)cli->config + o->at);
	unsigned *n = (unsigned *)((char *)cli->config + o->count);
	struct words pieces = { 0 };
	int rc;

	if (o->kind == CLI_APPEND)
		return fs_cli_append(cli, list, n, cli->value);
	rc = fs_words_split(&pieces, cli->value, ",");
	if (rc == -EINVAL)
		rc = fs_cli_bad(cli, "an empty name in the list");
	for (unsigned i = 0; i < pieces.n && !rc; i++)
		rc = fs_cli_append(cli, list, n, pieces.list[i]);
	fs_words_free(&pieces);
	return rc;
}

static int cli_set_time(struct cli *cli, const struct cli_option *o)
{
	char *config = (char *)cli->config;

	if (fs_scan_duration(cli->value, (uint64_t *)(config + o->at)))
		return fs_cli_bad(cli, "not a duration, such as 60, 0.2, 1.5s, 500ms, 1m30s");
	if (o->count)
		*(bool *)(config + o->count) = true;
	return 0;
}

static int cli_set_noted(struct cli *cli)
{
	struct config *c = cli->config;
	const char *before = c->stress_ng_noted;

	c->stress_ng_noted = fs_words_add(&c->owned, "%s%s--%s", before ? before : "",
					  before ? " " : "", cli->name);
	return c->stress_ng_noted ? 0 : -ENOMEM;
}

static int cli_set(struct cli *cli, const struct cli_option *o)
{
	char *field = (char *)cli->config + o->at;

	switch (o->kind) {
	case CLI_FLAG:
		*(bool *)field = true;
		return 0;
	case CLI_TEXT:
		*(const char **)field = cli->value;
		return 0;
	case CLI_GIVEN:
		*(struct given *)field = (struct given){ cli->value, cli->origin };
		return 0;
	case CLI_TIME:
		return cli_set_time(cli, o);
	case CLI_LIST:
	case CLI_APPEND:
		return cli_set_list(cli, o);
	case CLI_CHOICE:
	case CLI_CALL:
		return o->set(cli);
	case CLI_NOTED:
		return cli_set_noted(cli);
	case CLI_HEADING:
		break;
	}
	return -EINVAL;
}

int fs_cli_option(struct cli *cli, const char *name, const char *value, const char *origin)
{
	struct cli_match m;
	int rc;

	cli->name = name;
	cli->value = value;
	cli->origin = origin;
	rc = fs_cli_match(cli, &m);
	if (rc)
		return rc;
	if (cli_takes_value(&m) && !value)
		return fs_cli_bad(cli, "needs a value");
	if (!cli_takes_value(&m) && value)
		return fs_cli_bad(cli, "takes no value");
	if (value && !*value) {
		cli->value = NULL;
		return fs_cli_bad(cli, "empty value");
	}
	rc = cli_see(cli, &m);
	if (rc)
		return rc < 0 ? rc : 0;
	return m.entry ? cli_set_stressor(cli, &m) : cli_set(cli, m.option);
}

/* --- argv ------------------------------------------------------------------------------------- */

/* An argument with a dash. *next: the following one, set to NULL when it was taken as the value. */
static int cli_dashed(struct cli *cli, const char *arg, const char **next)
{
	const size_t n = strcspn(arg, "=");
	const char *name, *origin, *value = arg[n] ? arg + n + 1 : NULL;
	struct cli_match m;

	if (!strcmp(arg, "-h"))
		arg = "--help";
	origin = fs_words_add(&cli->config->owned, "%.*s", (int)(value ? n : strlen(arg)), arg);
	if (!origin)
		return -ENOMEM;
	name = origin + strspn(origin, "-");
	cli->name = name;
	cli->value = NULL;
	cli->origin = origin;
	if (name - origin != 2)
		return fs_cli_unknown(cli);
	if (!value && *next) {
		const int rc = fs_cli_match(cli, &m);

		if (rc)
			return rc;
		if (cli_takes_value(&m) && strncmp(*next, "--", 2)) {
			value = *next;
			*next = NULL;
		}
	}
	return fs_cli_option(cli, name, value, origin);
}

static int cli_stray(const char *word)
{
	struct words verbs = { 0 };
	const char *near;

	if (fs_registry_find(word)) {
		fs_error("stray word '%s'; did you mean --test %s?", word, word);
		return -EINVAL;
	}
	if (fs_cli_verb_find(word)) {
		fs_error("stray word '%s'; one verb, before everything else", word);
		return -EINVAL;
	}
	for (const struct cli_verb *v = fs_cli_verbs; v->name; v++)
		if (v->help)
			fs_words_add(&verbs, "%s", v->name);
	near = fs_nearest(word, (const char *const *)verbs.list);
	if (near)
		fs_error("stray word '%s'; did you mean %s?", word, near);
	else
		fs_error("stray word '%.80s'; options begin with --, verbs are run list describe "
			 "probe plan clean help version", word);
	fs_words_free(&verbs);
	return -EINVAL;
}

/* A word that is no option: the verb, or what it is about. */
static int cli_word(struct cli *cli, const char *word)
{
	struct config *c = cli->config;
	const struct cli_verb *v;

	if (cli->verb_given) {
		v = &fs_cli_verbs[c->verb];
		if (!*v->arg || c->verb_arg)
			return cli_stray(word);
		c->verb_arg = word;
		return 0;
	}
	v = fs_cli_verb_find(word);
	if (!v)
		return cli_stray(word);
	if (!v->help) {
		fs_error("%s: not in this version", word);
		return -EINVAL;
	}
	c->verb = v->verb;
	cli->verb_given = true;
	return 0;
}

static int cli_argv(struct cli *cli, int argc, char **argv)
{
	bool words = false;
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		const char *next = argv[i + 1];

		if (words || argv[i][0] != '-' || !argv[i][1]) {
			rc = cli_word(cli, argv[i]);
		} else if (!strcmp(argv[i], "--")) {
			words = true;
		} else {
			rc = cli_dashed(cli, argv[i], &next);
			i += argv[i + 1] && !next;
		}
	}
	return rc;
}

int fs_cli_parse(int argc, char **argv, struct config *config)
{
	struct cli cli = { .config = config };
	int rc;

	*config = (struct config){
		.timeout = { NULL, "default" },
		.timeout_ns = WINDOW_NS,
		.settle_ns = SETTLE_NS,
		.repeat = 1, .reference = REFERENCE_AUTO,
		.argc = argc,
		.argv = argv,
	};
	rc = cli_argv(&cli, argc, argv);
	if (!rc)
		rc = fs_cli_check(&cli);
	if (rc == -ENOMEM)
		fs_error("out of memory");
	free(cli.seen);
	return rc;
}

void fs_config_free(struct config *c)
{
	free(c->picks);
	free(c->options);
	free(c->exclude);
	free(c->with);
	free(c->targets);
	free(c->fs);
	free(c->labels);
	free(c->monitors);
	free(c->loads);
	free(c->snapshots);
	fs_words_free(&c->owned);
}
