// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli_table.c - every option of the command line but the stressors', and how its value is read
 */
#include <stdlib.h>
#include <string.h>

#include "core/cli.h"
#include "core/reference.h"
#include "core/registry.h"
#include "core/units.h"
#include "core/words.h"
#include "platform/disk.h"

#define SEED_MAX (1ull << 53)		/* what every reader of JSON keeps exactly */

const struct cli_verb fs_cli_verbs[] = {
	{ "run", "", "measure; the default", VERB_RUN },
	{ "list", "[GLOB]", "every stressor: classes, version, variants", VERB_LIST },
	{ "describe", "NAME[.VARIANT]", "what one op is: calls, options, needs", VERB_DESCRIBE },
	{ "probe", "", "try each op once on the target: what works here", VERB_PROBE },
	{ "plan", "", "print what a run would do; runs nothing (also --plan)", VERB_PLAN },
	{ "clean", "", "remove what killed runs left in the target", VERB_CLEAN },
	{ "help", "[VERB]", "this text, or that of a verb", VERB_HELP },
	{ "version", "", "print the version", VERB_VERSION },
	{ .name = "compare" }, { .name = "ab" }, { .name = "bisect" }, { .name = "plot" },
	{ .name = "report" },
	{ .name = NULL }
};

static int number(struct cli *cli, uint64_t min, uint64_t max, uint64_t *n)
{
	const int rc = fs_scan_count(cli->value, n);

	if (rc == -EINVAL)
		return fs_cli_bad(cli, "not a plain number");
	if (rc || *n < min || *n > max)
		return fs_cli_bad(cli, "out of range: %llu to %llu",
				  (unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int set_ops(struct cli *cli)
{
	return number(cli, 1, SEED_MAX, &cli->config->ops);
}

static int set_seed(struct cli *cli)
{
	cli->config->seed_given = true;
	return number(cli, 0, SEED_MAX, &cli->config->seed);
}

static int set_repeat(struct cli *cli)
{
	uint64_t n;
	const int rc = number(cli, 1, 100000, &n);

	if (!rc)
		cli->config->repeat = (unsigned)n;
	return rc;
}

static int set_timeout(struct cli *cli)
{
	struct config *c = cli->config;

	if (fs_scan_duration(cli->value, &c->timeout_ns))
		return fs_cli_bad(cli, "not a duration, such as 60, 0.2, 1.5s, 500ms, 1m30s");
	if (!c->timeout_ns)
		return fs_cli_bad(cli, "the window must be longer than 0");
	c->timeout = (struct given){ cli->value, cli->origin };
	return 0;
}

#define INTERVAL_MIN_NS (10 * FS_NSEC_PER_MSEC)
#define RATE_MAX 1e7

static int set_interval(struct cli *cli)
{
	uint64_t *ns = &cli->config->interval_ns;

	if (fs_scan_duration(cli->value, ns) || *ns < INTERVAL_MIN_NS)
		return fs_cli_bad(cli, "not a duration of 10ms or more, such as 1 or 500ms");
	return 0;
}

static int set_rate(struct cli *cli)
{
	if (fs_scan_rate(cli->value, RATE_MAX, &cli->config->rate))
		return fs_cli_bad(cli, "not a rate from 0.001 to 10000000 ops/s, such as 1000");
	return 0;
}

static int set_test(struct cli *cli)
{
	struct words keys = { 0 };
	int rc = fs_words_split(&keys, cli->value, ",");

	if (rc == -EINVAL)
		rc = fs_cli_bad(cli, "an empty name in the list");
	for (unsigned i = 0; i < keys.n && !rc; i++)
		rc = fs_cli_pick(cli, keys.list[i], NULL);
	fs_words_free(&keys);
	return rc;
}

/* An index into names, or -1 after the message. */
static int choice(struct cli *cli, const char *const *names)
{
	char valid[128] = "";
	int i = 0;

	while (names[i] && strcmp(names[i], cli->value))
		i++;
	if (names[i])
		return i;
	for (int j = 0; names[j]; j++) {
		strcat(valid, j ? ", " : "");
		strcat(valid, names[j]);
	}
	fs_cli_bad(cli, "must be one of %s", valid);
	return -1;
}

static const char *const share_names[] = { "none", "dir", "file", "range", NULL };
static const char *const worker_names[] = { "thread", "process", NULL };

static int set_share(struct cli *cli)
{
	const int i = choice(cli, share_names);

	if (i < 0)
		return -EINVAL;
	cli->config->share = i ? (enum fs_share)(1u << (i - 1)) : FS_SHARE_NONE;
	cli->config->share_given = true;
	return 0;
}

static int set_workers(struct cli *cli)
{
	const int i = choice(cli, worker_names);

	cli->config->process = i == 1;
	return i < 0 ? -EINVAL : 0;
}

static int set_choice(struct cli *cli)
{
	const struct cli_option *o = fs_cli_option_find(cli->name);
	const int i = choice(cli, o->names);

	if (i < 0)
		return -EINVAL;
	memcpy((char *)cli->config + o->at, &i, sizeof(i));
	return 0;
}

static int set_disk(struct cli *cli)
{
	struct fs_disk_spec spec;
	char why[256];

	cli->config->disk = cli->value;
	if (fs_disk_parse(cli->value, &spec, why))
		return fs_cli_bad(cli, "%s", why);
	return 0;
}

static int set_label(struct cli *cli)
{
	struct config *c = cli->config;
	const char *equals = strchr(cli->value, '=');

	if (!equals || equals == cli->value || !equals[1])
		return fs_cli_bad(cli, "write KEY=VALUE");
	return fs_cli_append(cli, &c->labels, &c->nlabels, cli->value);
}

static int set_help(struct cli *cli)
{
	struct config *c = cli->config;

	if (cli->verb_given && c->verb != VERB_HELP)
		c->verb_arg = fs_cli_verbs[c->verb].name;
	c->verb = VERB_HELP;
	cli->verb_given = true;
	return 0;
}

static int set_version(struct cli *cli)
{
	cli->config->verb = VERB_VERSION;
	cli->verb_given = true;
	return 0;
}

static const char *const order_names[] = { "given", "random", NULL };
static const char *const pin_names[] = { "spread", "compact", "none", NULL };
static const char *const fresh_names[] = { "run", "stage", "never", NULL };
static const char *const keep_names[] = { "never", "on-fail", "always", NULL };
static const char *const latency_names[] = { "sample", "all", "off", NULL };

#define V(verb) (1u << VERB_##verb)
#define RUNS (V(RUN) | V(PLAN) | V(PROBE))
#define WATCHED (V(RUN) | V(PLAN))
#define ALL (~0u)
#define AT(field) offsetof(struct config, field)

#define HEADING(h)		{ .kind = CLI_HEADING, .help = (h) }
#define OPTION_(k, v, n, a, h)	.kind = (k), .verbs = (v), .name = (n), .arg = (a), .help = (h)
#define FLAG(v, n, f, h)	{ OPTION_(CLI_FLAG, v, n, NULL, h), .at = AT(f) }
#define TEXT(v, n, a, f, h)	{ OPTION_(CLI_TEXT, v, n, a, h), .at = AT(f) }
#define GIVEN(n, a, f, h)	{ OPTION_(CLI_GIVEN, RUNS, n, a, h), .at = AT(f) }
#define TIME(n, f, g, h)	{ OPTION_(CLI_TIME, RUNS, n, "T", h), .at = AT(f), .count = (g) }
#define CHOICE(n, a, f, w, h)	{ OPTION_(CLI_CHOICE, RUNS, n, a, h), .at = AT(f), .names = (w), \
				  .set = set_choice }
#define CALL(v, n, a, fn, h)	{ OPTION_(CLI_CALL, v, n, a, h), .set = (fn) }
#define CALLS(v, n, a, fn, h)	{ OPTION_(CLI_CALL, v, n, a, h), .set = (fn), .repeats = true }
#define SAME(n, a, as)		{ OPTION_(CLI_CALL, 0, n, a, "the same as --" as), .same = (as) }
#define NOTED(n)		{ OPTION_(CLI_NOTED, RUNS, n, NULL, "accepted, without effect") }
#define LIST(n, a, f, nf, h)	{ OPTION_(CLI_LIST, RUNS, n, a, h), .at = AT(f), .count = AT(nf) }
#define APPEND(v, n, a, f, nf, h) \
	{ OPTION_(CLI_APPEND, v, n, a, h), .at = AT(f), .count = AT(nf) }

const struct cli_option fs_cli_options[] = {
	HEADING("What to measure"),
	CALL(RUNS, "class", "C[,C]", fs_cli_class,
	     "filesystem io os vfs workload all; 'C?' prints the members"),
	CALLS(RUNS, "test", "KEY[,KEY]", set_test,
	      "stressors by name or key (fallocate.alloc.fsync)"),
	CALLS(RUNS, "job", "FILE", fs_cli_job,
	      "more options: one 'name = value' a line, flags by name, # comments"),
	LIST("exclude", "KEY[,KEY]", exclude, nexclude,
	     "leave out; names that only stress-ng has are accepted"),
	LIST("with", "KEY[,KEY]", with, nwith, "of a class, only these"),
	CHOICE("order", "given|random", order, order_names, "of the stages"),
	HEADING("How many workers, and where"),
	GIVEN("nr-threads", "LIST", nr_threads,
	      "N, P% of the allowed CPUs, or a list: a stage each; default 100%"),
	GIVEN("sequential", "N|P%", sequential,
	      "workers of each stressor of a class, one after another; 0: all CPUs"),
	GIVEN("all", "N|P%", all, "the same, all stressors together"),
	CALL(RUNS, "workers", "thread|process", set_workers, "what a worker is"),
	CALL(RUNS, "share", "none|dir|file|range", set_share, "what workers share"),
	GIVEN("cpus", "LIST", cpus, "of the allowed CPUs only these: 0-3,8"),
	CHOICE("pin", "spread|compact|none", pin, pin_names, "which CPUs come first"),
	GIVEN("numa-node", "N", numa_node, "only CPUs of this node"),
	GIVEN("cpukind", "N", cpukind, "only CPUs of this kind; 0: the most efficient"),
	HEADING("How long"),
	CALL(RUNS, "timeout", "T", set_timeout,
	     "measured window of each stage: 60 1.5s 500ms 1m30s; default 10"),
	SAME("testtime", "T", "timeout"),
	CALL(RUNS, "ops", "N", set_ops, "no window: N ops of each worker"),
	TIME("warmup", warmup_ns, AT(warmup_given),
	     "before the window; default a tenth of it, 0.2 s to 5 s"),
	TIME("settle", settle_ns, 0,
	     "longest wait for a quiet target before each window; default 5"),
	CALL(RUNS, "rate", "R", set_rate,
	     "open loop: each worker starts R ops/s, latency counts from when it should have"),
	LIST("load", "KEY@R[,...]", loads, nloads,
	     "beside each worker that op, R a second, on its file; not counted"),
	CALL(RUNS, "repeat", "N", set_repeat, "the whole plan N times"),
	CALL(RUNS, "seed", "N", set_seed, "of all random numbers; default random, always recorded"),
	HEADING("Where"),
	APPEND(RUNS | V(CLEAN), "target", "DIR", targets, ntargets,
	       "directory to work in; repeatable; default: this one"),
	SAME("temp-path", "DIR", "target"),
	TEXT(RUNS, "require-fs", "TYPE", require_fs, "refuse any other filesystem"),
	CALL(RUNS, "disk", "SPEC", set_disk,
	     "make a disk: loop:2G[,dir=D] mem:2G zram:2G tmpfs:2G /dev/X"),
	LIST("fs", "TYPE[,TYPE]", fs, nfs, "filesystems to make on it, one after another"),
	TEXT(RUNS, "mkfs-opts", "OPTS", mkfs_opts, "for mkfs"),
	TEXT(RUNS, "mount-opts", "OPTS", mount_opts, "for mount"),
	CHOICE("fresh", "run|stage|never", fresh, fresh_names, "when to make the filesystem anew"),
	FLAG(RUNS, "yes-destroy", yes_destroy, "allow --disk /dev/X to be formatted"),
	HEADING("Behaviour"),
	CHOICE("latency", "sample|all|off", latency, latency_names,
	       "time one op of a batch (default), every op, or none"),
	CHOICE("ref", "none|auto|spin|syscall", reference, fs_reference_names,
	       "known work beside the ops, for the machine's own speed; auto: on virtual machines"),
	FLAG(RUNS, "verify", verify, "check the files after the window, untimed"),
	FLAG(RUNS, "strict", strict, "a skip or a warning makes exit status 5"),
	CHOICE("keep-files", "never|on-fail|always", keep, keep_names, "leave the work directory"),
	FLAG(RUNS, "plan", dry_run, "print the plan and end"),
	FLAG(ALL, "quiet", quiet, "no notes"),
	CALL(RUNS, "interval", "T", set_interval,
	     "a line 'KEY SECONDS OPS/S' each T of a window"),
	HEADING("For other tools to look"),
	TEXT(WATCHED, "perf-control", "FIFO[,ACK]", perf_control,
	     "perf record --control fifo:FIFO[,ACK] sees what is timed and nothing else"),
	FLAG(WATCHED, "trace-marker", trace_marker, "windows and rounds in the ftrace buffer"),
	APPEND(WATCHED, "monitor", "CMD", monitors, nmonitors,
	       "a shell command beside each stage, SIGINT at its end; %o: output prefix"),
	APPEND(WATCHED, "snapshot", "FILE", snapshots, nsnapshots,
	       "a file such as /proc/vmstat, copied at both ends of each window"),
	HEADING("Output (one machine format on stdout at most)"),
	TEXT(RUNS | V(LIST) | V(DESCRIBE), "json", "FILE|-", json, "results as JSON"),
	FLAG(RUNS, "lkp", lkp, "KEY.ops_per_sec: X lines"),
	FLAG(RUNS, "csv", csv, "a line of names, then a row for each stage"),
	FLAG(RUNS, "metrics", metrics, "stress-ng's table, 12 columns"),
	FLAG(RUNS, "metrics-brief", metrics_brief,
	     "stress-ng's table, 10 columns; with --metrics that one is printed"),
	FLAG(RUNS, "times", times, "stress-ng's run time block"),
	CALLS(RUNS, "label", "K=V", set_label, "recorded in the JSON; repeatable"),
	CALL(ALL, "help", NULL, set_help, "print this text"),
	CALL(ALL, "version", NULL, set_version, "print the version"),
	HEADING("stress-ng's"),
	NOTED("no-rand-seed"), NOTED("minimize"), NOTED("maximize"), NOTED("oom-avoid"),
	NOTED("oomable"), NOTED("pathological"), NOTED("aggressive"),
	{ .kind = CLI_HEADING }
};

const struct cli_option *fs_cli_option_find(const char *name)
{
	for (const struct cli_option *o = fs_cli_options; o->name || o->help; o++)
		if (o->name && !strcmp(o->name, name))
			return o->same ? fs_cli_option_find(o->same) : o;
	return NULL;
}

const struct cli_verb *fs_cli_verb_find(const char *name)
{
	for (const struct cli_verb *v = fs_cli_verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}
