// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli_check.c - job files, and what options mean together
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cli.h"
#include "core/message.h"
#include "core/option.h"
#include "core/units.h"

#define JOB_BYTES_MAX (1 << 20)

/* --- job files -------------------------------------------------------------------------------- */

static char *job_trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r\n");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* A comment runs from a # at the start of the line or after a blank. */
static void job_cut_comment(char *line)
{
	for (char *p = line; *p; p++) {
		if (*p == '#' && (p == line || p[-1] == ' ' || p[-1] == '\t')) {
			*p = '\0';
			return;
		}
	}
}

static int job_line(struct cli *cli, char *line, const char *origin)
{
	char *value, *name;

	job_cut_comment(line);
	line = job_trim(line);
	if (!*line)
		return 0;
	value = strchr(line, '=');
	if (value)
		*value++ = '\0';
	name = job_trim(line);
	if (!*name || strpbrk(name, " \t")) {
		fs_error("%s: '%s': write name = value, or a flag's name alone", origin, name);
		return -EINVAL;
	}
	if (name[0] == '-') {
		fs_error("%s: '%s': names are written without the leading --", origin, name);
		return -EINVAL;
	}
	name = (char *)fs_cli_keep(cli, name);
	if (value)
		value = (char *)fs_cli_keep(cli, job_trim(value));
	return name ? fs_cli_option(cli, name, value, origin) : -ENOMEM;
}

/* text: n bytes, and room for one more. */
static int job_lines(struct cli *cli, char *text, size_t n, const char *path)
{
	char *const end = text + n;
	int rc = 0;

	*end = '\0';
	for (unsigned number = 1; !rc && text < end; number++) {
		const char *origin = fs_words_add(&cli->config->owned, "%s:%u", path, number);
		char *stop = text + strcspn(text, "\n");

		if (!origin)
			return -ENOMEM;
		if (stop < end && !*stop)
			return fs_given_error(origin, "a NUL byte", NULL, "a job file is text");
		*stop = '\0';
		rc = job_line(cli, text, origin);
		text = stop + 1;
	}
	return rc;
}

static int job_read(struct cli *cli, FILE *file, const char *path)
{
	char *text = malloc(JOB_BYTES_MAX + 1);
	const size_t n = text ? fread(text, 1, JOB_BYTES_MAX + 1, file) : 0;
	int rc;

	if (!text)
		rc = -ENOMEM;
	else if (ferror(file))
		rc = fs_cli_bad(cli, "%s", strerror(errno));
	else if (n > JOB_BYTES_MAX)
		rc = fs_cli_bad(cli, "larger than %d KiB: not a job file", JOB_BYTES_MAX >> 10);
	else
		rc = job_lines(cli, text, n, path);
	free(text);
	return rc;
}

int fs_cli_job(struct cli *cli)
{
	FILE *file;
	int rc;

	if (cli->in_job)
		return fs_cli_bad(cli, "a job file cannot name another one");
	file = fopen(cli->value, "re");
	if (!file)
		return fs_cli_bad(cli, "%s", strerror(errno));
	cli->in_job = true;
	rc = job_read(cli, file, cli->value);
	cli->in_job = false;
	fclose(file);
	return rc;
}

/* --- together --------------------------------------------------------------------------------- */

static int check_verb(const struct cli *cli)
{
	const struct config *c = cli->config;
	const char *verb = fs_cli_verbs[c->verb].name;
	const unsigned runs = 1u << VERB_RUN | 1u << VERB_PLAN | 1u << VERB_PROBE;

	for (unsigned i = 0; i < cli->nseen; i++) {
		const struct cli_seen *s = &cli->seen[i];

		if (!((s->option ? s->option->verbs : runs) & 1u << c->verb))
			return fs_given_error(s->origin, s->name, NULL, "means nothing to %s",
					      verb);
	}
	if (c->verb == VERB_DESCRIBE && !c->verb_arg) {
		fs_error("describe: name a stressor: describe NAME[.VARIANT]; see fsstress list");
		return -EINVAL;
	}
	return 0;
}

static int check_verb_arg(const struct config *c)
{
	const struct cli_verb *v;

	if (c->verb != VERB_HELP || !c->verb_arg)
		return 0;
	v = fs_cli_verb_find(c->verb_arg);
	if (v && v->help)
		return 0;
	fs_error("help %.80s: %s; verbs are run list describe probe plan clean help version",
		 c->verb_arg, v ? "not in this version" : "no such verb");
	return -EINVAL;
}

static const char *check_disk(const struct config *c)
{
	const bool tmpfs = c->disk && !strncmp(c->disk, "tmpfs", 5);

	if (!c->disk) {
		if (c->nfs || c->mkfs_opts || c->mount_opts || c->fresh != FRESH_RUN ||
		    c->yes_destroy)
			return "--fs, --mkfs-opts, --mount-opts, --fresh and --yes-destroy need "
			       "--disk SPEC";
		return NULL;
	}
	if (c->ntargets)
		return "--disk and --target exclude each other: a disk brings its own directory";
	if (tmpfs && (c->mkfs_opts || c->nfs > 1 || (c->nfs && strcmp(c->fs[0], "tmpfs"))))
		return "--disk tmpfs is its own filesystem: no --mkfs-opts, no --fs but tmpfs";
	if (!tmpfs && !c->nfs)
		return "--disk needs --fs TYPE[,TYPE], such as --fs ext4";
	if (c->disk[0] == '/' && !c->yes_destroy && c->fresh != FRESH_NEVER)
		return "--disk on a device formats it: say --yes-destroy, or --fresh never to "
		       "mount what is there";
	return NULL;
}

static const char *check_output(const struct config *c)
{
	const bool json = c->json && !strcmp(c->json, "-");
	const bool table = c->metrics || c->metrics_brief || c->times;

	if (json + c->lkp + c->csv + table > 1)
		return "one machine format on stdout at most: --json -, --lkp, --csv, or "
		       "--metrics, --metrics-brief and --times; "
		       "--json FILE goes with each";
	return NULL;
}

static const char *check_watchers(const struct config *c)
{
	const char *fifo = c->perf_control, *comma = fifo ? strchr(fifo, ',') : NULL;

	if (comma && (comma == fifo || !comma[1] || strchr(comma + 1, ',')))
		return "--perf-control: write FIFO or FIFO,ACK";
	if (c->nmonitors > FS_WATCHERS_MAX || c->nsnapshots > FS_WATCHERS_MAX)
		return "at most 16 times --monitor and 16 times --snapshot";
	return NULL;
}

static const char *check_selection(const struct config *c)
{
	const bool of_class = c->classes || c->nwith || c->sequential.text || c->all.text;
	unsigned counted = 0;

	for (unsigned i = 0; i < c->npicks; i++)
		counted += c->picks[i].workers != NULL;

	if (c->sequential.text && c->all.text)
		return "--sequential and --all exclude each other: one after another, or all "
		       "together";
	if ((c->sequential.text || c->all.text) && c->nr_threads.text)
		return "--nr-threads and --sequential or --all are two worker counts: give one";
	if ((c->sequential.text || c->all.text) && c->npicks && !c->classes && !c->nwith)
		return "--sequential and --all are for a --class; with --test use --nr-threads";
	if (c->nr_threads.text && !of_class && c->npicks && counted == c->npicks)
		return "--nr-threads and --NAME N are two worker counts: give one; --test NAME "
		       "goes with --nr-threads";
	if (c->verb == VERB_RUN && !of_class && !c->npicks && !c->class_query)
		return "nothing to do: give --class filesystem, or --test with names from fsstress "
		       "list; see fsstress --help";
	return NULL;
}

/* Random, short enough to be typed again. */
static uint64_t check_seed(void)
{
	uint64_t x = fs_realtime_ns() ^ (uint64_t)getpid() << 40;

	return fs_splitmix64(&x) >> 32;
}

int fs_cli_check(struct cli *cli)
{
	static const char *(*const checks[])(const struct config *) = {
		check_selection, check_disk, check_output, check_watchers,
	};
	struct config *c = cli->config;
	int rc;

	if (c->verb == VERB_HELP || c->verb == VERB_VERSION)
		return check_verb_arg(c);
	if (c->dry_run && c->verb == VERB_RUN)
		c->verb = VERB_PLAN;
	c->dry_run = c->verb == VERB_PLAN;
	rc = check_verb(cli);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(checks) && !rc; i++) {
		const char *why = checks[i](c);

		if (why) {
			fs_error("%s", why);
			rc = -EINVAL;
		}
	}
	if (rc)
		return rc;
	if (c->class_query)		/* asks the program, not the machine: like list */
		c->verb = VERB_LIST;
	if (c->metrics)
		c->metrics_brief = false;
	if (!c->seed_given)
		c->seed = check_seed();
	if (c->stress_ng_noted && !c->quiet)
		fs_note("stress-ng's, accepted without effect here: %s", c->stress_ng_noted);
	return 0;
}
