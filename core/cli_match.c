// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli_match.c - the option that a name stands for, and what to say when there is none
 */
#include <stdio.h>
#include <string.h>

#include "core/cli.h"
#include "core/option.h"
#include "core/registry.h"
#include "core/units.h"

/* The stressor whose options this name is of: the longest whose name it begins with. */
static const struct fs_entry *match_stressor(const char *name, const char **rest)
{
	const struct fs_entry *best = NULL;
	size_t longest = 0;

	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		const size_t n = strlen(e->name);

		if (n > longest && !strncmp(name, e->name, n) &&
		    (!name[n] || (name[n] == '-' && name[n + 1]))) {
			best = e;
			longest = n;
		}
	}
	*rest = name + longest + (name[longest] == '-');
	return best;
}

static bool match_of_stress_ng(const char *name)
{
	char copy[64], *dash;

	snprintf(copy, sizeof(copy), "%s", name);
	do {
		if (fs_stress_ng_has(copy))
			return true;
		dash = strrchr(copy, '-');
		if (dash)
			*dash = '\0';
	} while (dash);
	return false;
}

static bool match_rest(const struct fs_entry *e, const char *rest)
{
	if (!*rest || !strcmp(rest, "ops") || !strcmp(rest, "mode") || !strcmp(rest, "method"))
		return true;
	return !e->stressor || fs_option_find(e->stressor->options, rest);
}

static void match_all_names(struct words *all)
{
	for (const struct cli_option *o = fs_cli_options; o->name || o->help; o++)
		if (o->name)
			fs_words_add(all, "%s", o->name);
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		fs_words_add(all, "%s", e->name);
		fs_words_add(all, "%s-ops", e->name);
		fs_words_add(all, "%s-mode", e->name);
		if (!e->stressor)
			continue;
		for (const struct fs_option *o = e->stressor->options; o && o->name; o++)
			fs_words_add(all, "%s-%s", e->name, o->name);
	}
}

int fs_cli_unknown(struct cli *cli)
{
	const char *dashes = cli->in_job ? "" : "--", *near;
	const char *rest;
	struct words all = { 0 };

	cli->value = NULL;
	if (!match_stressor(cli->name, &rest) && match_of_stress_ng(cli->name))
		return fs_cli_bad(cli, "stress-ng's, not in this version; see fsstress list");
	match_all_names(&all);
	near = fs_nearest(cli->name, (const char *const *)all.list);
	if (near)
		fs_cli_bad(cli, "unknown option; did you mean %s%s?", dashes, near);
	else
		fs_cli_bad(cli, "unknown option; see fsstress --help");
	fs_words_free(&all);
	return -EINVAL;
}

int fs_cli_match(struct cli *cli, struct cli_match *m)
{
	*m = (struct cli_match){ .option = fs_cli_option_find(cli->name), .rest = "" };
	if (m->option)
		return 0;
	m->entry = match_stressor(cli->name, &m->rest);
	if (!m->entry || !match_rest(m->entry, m->rest))
		return fs_cli_unknown(cli);
	return 0;
}
