/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - the table of options; private to the parser (cli*.c) and the help (help.c)
 */
#ifndef CORE_CLI_H
#define CORE_CLI_H

#include "core/config.h"
#include "core/registry.h"

enum cli_kind {
	CLI_HEADING,			/* not an option: starts a group in --help */
	CLI_FLAG,			/* bool */
	CLI_TEXT,			/* const char * */
	CLI_GIVEN,			/* struct given */
	CLI_CHOICE,			/* int, index into names */
	CLI_TIME,			/* uint64_t, ns; count: a bool that it was given, or 0 */
	CLI_LIST,			/* const char **, count: unsigned; commas; accumulates */
	CLI_APPEND,			/* the same, one value a time */
	CLI_CALL,			/* set() */
	CLI_NOTED,			/* stress-ng's, without effect */
};

struct cli {				/* the parser; name, value, origin: what is being read */
	struct config *config;
	struct cli_seen *seen;
	unsigned nseen;
	const char *name, *value, *origin;
	bool in_job, verb_given;
};

struct cli_option {
	enum cli_kind kind;
	const char *name, *arg, *help;	/* arg NULL: takes no value */
	unsigned verbs;			/* 1 << enum verb: where it means something */
	size_t at, count;		/* offsets in struct config */
	const char *const *names;
	int (*set)(struct cli *cli);
	bool repeats;			/* CLI_CALL: accumulates */
	const char *same;		/* another spelling of this option */
};

extern const struct cli_option fs_cli_options[];	/* ends with name and help NULL */

struct cli_match {			/* what a name stands for: an option, or a stressor's */
	const struct cli_option *option;
	const struct fs_entry *entry;
	const char *rest;		/* behind "NAME-": "", "mode", "extents" */
};

struct cli_verb {
	const char *name, *arg, *help;	/* name NULL ends the table; help NULL: a later version's */
	enum verb verb;
};
extern const struct cli_verb fs_cli_verbs[];

const struct cli_option *fs_cli_option_find(const char *name);
const struct cli_verb *fs_cli_verb_find(const char *name);

/* One line about what is being read; -EINVAL. */
int fs_cli_bad(const struct cli *cli, const char *fmt, ...) FS_PRINTF(2, 3);
/* A copy that lives as long as the configuration; NULL: out of memory. */
const char *fs_cli_keep(struct cli *cli, const char *text);
/* Append to a list of the configuration. 0 or -ENOMEM. */
int fs_cli_append(struct cli *cli, const char ***list, unsigned *n, const char *text);
/* Append one --test KEY or --NAME COUNT. 0 or -ENOMEM. */
int fs_cli_pick(struct cli *cli, const char *key, const char *workers);
/* Look cli->name up; -EINVAL after one line when it is unknown or of a later version. */
int fs_cli_match(struct cli *cli, struct cli_match *m);
/* Say that it is unknown, and what is near. -EINVAL. */
int fs_cli_unknown(struct cli *cli);
/* Read a job file: the option --job. */
int fs_cli_job(struct cli *cli);
/* Names of classes, or a question about one: the option --class. */
int fs_cli_class(struct cli *cli);
/* One option by name, from argv or a job file; value NULL: none is there. */
int fs_cli_option(struct cli *cli, const char *name, const char *value, const char *origin);
/* What cannot be said of one option alone: verbs, disks, formats. */
int fs_cli_check(struct cli *cli);

struct cli_seen {			/* for "given twice" and "does not go with this verb" */
	const struct cli_option *option;	/* NULL: of a stressor */
	const char *stressor, *rest;
	const char *name, *value, *origin;
};

#endif
