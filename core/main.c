// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fsstress - filesystem micro-benchmarks: argv to exit status
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/config.h"
#include "core/help.h"
#include "core/run.h"
#include "core/stage.h"

#define MAIN_EXIT_USAGE 2

/* The worst of all targets. */
static int main_clean(const struct config *c)
{
	int status = c->ntargets ? 0 : fs_clean(NULL);

	for (unsigned i = 0; i < c->ntargets; i++) {
		const int one = fs_clean(c->targets[i]);

		status = one > status ? one : status;
	}
	return status;
}

static int main_verb(const struct config *c)
{
	switch (c->verb) {
	case VERB_RUN:
	case VERB_PLAN:
		return fs_run(c);
	case VERB_PROBE:
		return fs_probe(c);
	case VERB_CLEAN:
		return main_clean(c);
	default:
		return fs_help(c);
	}
}

int main(int argc, char **argv)
{
	struct config config = { 0 };
	int status = MAIN_EXIT_USAGE;

	/* A stage process: the supervisor's own call, not for people. */
	if (argc == 4 && strcmp(argv[1], "--stage-fd") == 0)
		return fs_stage_main(atoi(argv[2]), (unsigned)atoi(argv[3]));
	/* Shells start background commands with SIGINT ignored; who sends one means it. */
	signal(SIGINT, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);	/* a limit on file sizes is an errno */
	if (fs_cli_parse(argc, argv, &config) == 0)
		status = main_verb(&config);
	fs_config_free(&config);
	return status;
}
