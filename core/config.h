/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - the command line as data: checked for form, nothing looked up on the machine
 *
 * Made by fs_cli_parse(), read by everybody after it, changed by nobody. Strings point into argv or
 * the job file's text and live as long as the process.
 */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stressor.h"
#include "core/words.h"

#define FS_VERSION "0.1.0"
#define FS_WATCHERS_MAX 16

enum verb {
	VERB_RUN, VERB_LIST, VERB_DESCRIBE, VERB_PROBE, VERB_PLAN, VERB_CLEAN, VERB_HELP,
	VERB_VERSION
};
enum keep { KEEP_NEVER, KEEP_ON_FAIL, KEEP_ALWAYS };
enum fresh { FRESH_RUN, FRESH_STAGE, FRESH_NEVER };
enum pin { PIN_SPREAD, PIN_COMPACT, PIN_NONE };
enum order { ORDER_GIVEN, ORDER_RANDOM };
enum reference { REFERENCE_NONE, REFERENCE_AUTO, REFERENCE_SPIN, REFERENCE_SYSCALL };
enum latency { LATENCY_SAMPLE, LATENCY_ALL, LATENCY_OFF };

/* A string option and where it came from, for messages: "default", "--timeout", "j:1". */
struct given {
	const char *text, *origin;	/* text NULL: not given */
};

/* One named stressor: --test KEY, or --NAME COUNT. */
struct pick {
	const char *key;		/* "fiemap", "fallocate.alloc.fsync" */
	const char *workers;		/* COUNT, 0 and below as in stress-ng; NULL: --nr-threads */
	const char *origin;
};

struct stressor_option {		/* --STRESSOR-OPTION VALUE; the planner checks the value */
	const struct fs_stressor *stressor;
	const char *name;		/* behind the stressor's name: "extents", "mode", "ops" */
	const char *value, *origin;
};

struct config {
	enum verb verb;
	const char *verb_arg;		/* describe NAME, help VERB, list GLOB; or NULL */

	/* selection */
	struct pick *picks;
	unsigned npicks;
	unsigned classes;		/* enum fs_class bits; all = every bit */
	bool class_all;
	unsigned class_query;		/* --class 'filesystem?': print the members and end */
	struct given class_text;	/* as given, for params */
	const char **exclude;
	unsigned nexclude;
	const char **with;		/* of a class, only these */
	unsigned nwith;
	enum order order;
	struct stressor_option *options;
	unsigned noptions;

	/* workers */
	struct given nr_threads;	/* "1,10%,100%"; NULL: 100% */
	struct given sequential, all;	/* stress-ng's counts for a class */
	bool process;			/* --workers process */
	enum fs_share share;
	bool share_given;
	enum pin pin;
	struct given cpus, numa_node, cpukind;	/* checked for form by the planner */

	/* time and work */
	struct given timeout;
	uint64_t timeout_ns;		/* 10 s by default */
	uint64_t ops;			/* --ops; 0: by time */
	uint64_t warmup_ns;
	bool warmup_given;
	uint64_t settle_ns;		/* 5 s by default */
	uint64_t interval_ns;		/* --interval: a line each so often; 0: none */
	unsigned repeat;		/* 1 by default */
	enum latency latency;		/* which ops are timed: one of a batch, all, none */
	enum reference reference;	/* REFERENCE_AUTO by default */
	double rate;			/* ops/s of each worker, open loop; 0: closed loop */
	const char **loads;		/* KEY@RATE */
	unsigned nloads;
	uint64_t seed;
	bool seed_given;		/* else random, and recorded */

	/* where */
	const char **targets;		/* none: the current directory */
	unsigned ntargets;
	const char *require_fs;
	const char *disk;		/* --disk SPEC or NULL */
	const char **fs;		/* --fs TYPE[,TYPE] */
	unsigned nfs;
	const char *mkfs_opts, *mount_opts;
	enum fresh fresh;
	bool yes_destroy;

	/* behaviour */
	bool verify, strict, quiet, dry_run;	/* dry_run: --plan */
	enum keep keep;

	/* who else looks */
	const char *perf_control;	/* "FIFO" or "FIFO,ACK"; or NULL */
	bool trace_marker;
	const char **monitors;
	unsigned nmonitors;		/* at most FS_WATCHERS_MAX, of each */
	const char **snapshots;		/* files */
	unsigned nsnapshots;

	/* output */
	const char *json;		/* file, "-" or NULL */
	bool lkp, csv, metrics, metrics_brief, times;
	const char *stress_ng_noted;	/* stress-ng's options without effect, by blanks; or NULL */
	const char **labels;		/* K=V */
	unsigned nlabels;
	char **argv;			/* for `command` and `repro` */
	int argc;
	struct words owned;		/* strings that are not in argv */
};

/*
 * Parse argv. 0, or -EINVAL after exactly one line on stderr that names the word, says what is
 * wrong and gives the valid or the nearest spelling. Looks at nothing but argv and the job file.
 */
int fs_cli_parse(int argc, char **argv, struct config *config);
void fs_config_free(struct config *config);

/*
 * The command as one line that can be pasted into a shell: words quoted where they need it, bytes
 * that are not printable ASCII as $'\xNN'. For `command` and `repro`; the caller frees it.
 * NULL: out of memory.
 */
char *fs_command_line(const struct config *config);

#endif
