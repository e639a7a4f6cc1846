// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fsstress - filesystem micro-benchmarks: argv to exit status
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/config.h"
#include "core/help.h"
#include "core/message.h"
#include "core/run.h"
#include "core/stage.h"

#define MAIN_EXIT_USAGE 2
#define MAIN_EXIT_SETUP 3
#define MAIN_STACK_BYTES (1u << 20)

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

/* A descriptor that is closed would be given to the next file, which our output would go to. */
static int main_streams(void)
{
	const bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	if (closed)
		fs_error("stdout is closed: there is nowhere to report to");
	return closed ? -EBADF : 0;
}

/* A small stack that may be larger is no reason to fail. It grows up to the limit of the moment. */
static int main_stack(void)
{
	struct rlimit limit, more = { MAIN_STACK_BYTES, MAIN_STACK_BYTES };

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= MAIN_STACK_BYTES)
		return 0;
	if (limit.rlim_max > more.rlim_max)
		more.rlim_max = limit.rlim_max;
	if (setrlimit(RLIMIT_STACK, &more) == 0)
		return 0;
	/* Not by fs_error(), which wants more of it. */
	dprintf(STDERR_FILENO, "fsstress: a stack of %llu KiB is too small: ulimit -s %u\n",
		(unsigned long long)limit.rlim_cur >> 10, MAIN_STACK_BYTES >> 10);
	return -ENOMEM;
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
	if (main_streams() < 0 || main_stack() < 0)
		return MAIN_EXIT_SETUP;
	if (fs_cli_parse(argc, argv, &config) == 0)
		status = main_verb(&config);
	if (status == 0 && (fflush(stdout) || ferror(stdout))) {
		fs_error("stdout: %s", strerror(errno));
		status = MAIN_EXIT_SETUP;
	}
	fs_config_free(&config);
	return status;
}
