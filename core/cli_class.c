// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli_class.c - the option --class: names to bits
 */
#include <string.h>

#include "core/cli.h"
#include "core/registry.h"
#include "core/units.h"
#include "core/words.h"

#define CLASS_ALL (FS_CLASS_FILESYSTEM | FS_CLASS_IO | FS_CLASS_OS | FS_CLASS_VFS | \
		   FS_CLASS_WORKLOAD)

static bool class_is_built(unsigned bits)
{
	for (const struct fs_entry *e = fs_registry; e->name; e++)
		if (e->stressor && e->stressor->classes & bits)
			return true;
	return false;
}

static int unknown_class(struct cli *cli, const char *name)
{
	struct words all = { 0 };
	const char *near;

	for (const char *const *n = fs_class_names; *n; n++)
		fs_words_add(&all, "%s", *n);
	fs_words_add(&all, "all");
	near = fs_nearest(name, (const char *const *)all.list);
	if (near)
		fs_cli_bad(cli, "no class '%s'; did you mean %s?", name, near);
	else
		fs_cli_bad(cli, "no class '%s'; valid: filesystem io os vfs workload all", name);
	fs_words_free(&all);
	return -EINVAL;
}

static int one_class(struct cli *cli, char *name)
{
	struct config *c = cli->config;
	char *query = strchr(name, '?');
	unsigned bits;

	if (query && !query[1])
		*query = '\0';
	else
		query = NULL;
	if (!strcmp(name, "seeds"))
		return fs_cli_bad(cli, "not in this version");
	bits = strcmp(name, "all") ? fs_class_bit(name) : CLASS_ALL;
	if (!bits)
		return unknown_class(cli, name);
	if (query) {
		c->class_query |= bits;
		return 0;
	}
	if (!class_is_built(bits))
		return fs_cli_bad(cli, "no stressor of class %s in this version; see fsstress list",
				  name);
	c->class_all |= bits == CLASS_ALL;
	c->classes |= bits;
	return 0;
}

int fs_cli_class(struct cli *cli)
{
	struct words names = { 0 };
	int rc = fs_words_split(&names, cli->value, ",");

	if (rc == -EINVAL)
		rc = fs_cli_bad(cli, "an empty name in the list");
	for (unsigned i = 0; i < names.n && !rc; i++)
		rc = one_class(cli, names.list[i]);
	if (!rc && cli->config->class_query && names.n > 1)
		rc = fs_cli_bad(cli, "'CLASS?' asks for the members of one class");
	cli->config->class_text = (struct given){ cli->value, cli->origin };
	fs_words_free(&names);
	return rc;
}
