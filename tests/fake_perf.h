/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_perf.h - for unit tests: somebody who speaks perf's side of the control protocol, in a thread
 */
#ifndef TESTS_FAKE_PERF_H
#define TESTS_FAKE_PERF_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/compiler.h"

struct fake_perf {
	char directory[64], commands[80], answers[80];	/* FIFOs */
	int commands_fd, answers_fd;
	pthread_t thread;
	uint32_t silent;		/* it reads and does not answer */
	uint32_t recording, quit;
	char said[4096];		/* all commands; readable after fake_perf_end() */
};

static inline void fake_perf_take(struct fake_perf *f, const char *text, size_t n)
{
	strncat(f->said, text, n);
	if (n >= 7 && !memcmp(text, "enable\n", 7))
		fs_store(&f->recording, 1);
	if (n >= 8 && !memcmp(text, "disable\n", 8))
		fs_store(&f->recording, 0);
	/* With the NUL, as perf does. */
	if (!fs_load(&f->silent) && write(f->answers_fd, "ack\n", 5) != 5)
		abort();
}

static inline void *fake_perf_main(void *arg)
{
	struct fake_perf *f = arg;
	char text[64];
	ssize_t n;

	while (!fs_load(&f->quit)) {
		struct pollfd p = { .fd = f->commands_fd, .events = POLLIN };

		if (poll(&p, 1, 1) <= 0)
			continue;
		n = read(f->commands_fd, text, sizeof(text));
		if (n > 0)
			fake_perf_take(f, text, (size_t)n);
	}
	return NULL;
}

static inline void fake_perf_fifos(struct fake_perf *f)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->directory, sizeof(f->directory), "/tmp/fsstress-test.XXXXXX");
	if (!mkdtemp(f->directory))
		abort();
	snprintf(f->commands, sizeof(f->commands), "%s/ctl", f->directory);
	snprintf(f->answers, sizeof(f->answers), "%s/ack", f->directory);
	if (mkfifo(f->commands, 0600) || mkfifo(f->answers, 0600))
		abort();
}

static inline void fake_perf_start(struct fake_perf *f)
{
	f->commands_fd = open(f->commands, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	f->answers_fd = open(f->answers, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (pthread_create(&f->thread, NULL, fake_perf_main, f))
		abort();
}

/* As when perf dies: nobody reads the commands any more. */
static inline void fake_perf_end(struct fake_perf *f)
{
	fs_store(&f->quit, 1);
	pthread_join(f->thread, NULL);
	close(f->commands_fd);
	close(f->answers_fd);
}

static inline void fake_perf_remove(const struct fake_perf *f)
{
	unlink(f->commands);
	unlink(f->answers);
	rmdir(f->directory);
}

#endif
