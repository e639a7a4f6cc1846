// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"

/* Looked at before it is opened, because opening a device may do something. */
static int control_open(const char *path, int flags)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -errno;
	if (!S_ISFIFO(st.st_mode))
		return -EINVAL;
	fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void fs_control_close(struct fs_control *c)
{
	if (c->commands >= 0)
		close(c->commands);
	if (c->answers >= 0)
		close(c->answers);
	c->commands = c->answers = -1;
}

/* The answers are opened for both, so that somebody who opens them anew each time is no hang-up. */
int fs_control_open(const char *commands, const char *answers, struct fs_control *c,
		    const char **which)
{
	int fd = control_open(commands, O_WRONLY);

	*c = (struct fs_control){ -1, -1 };
	*which = commands;
	if (fd < 0)
		return fd;
	c->commands = fd;
	if (!answers)
		return 0;
	*which = answers;
	fd = control_open(answers, O_RDWR);
	if (fd < 0) {
		fs_control_close(c);
		return fd;
	}
	c->answers = fd;
	return 0;
}

/* Nobody at the other end is an error here, and SIGPIPE nobody's business. */
static int control_write(int fd, const char *line, size_t n)
{
	static const struct timespec now;
	sigset_t pipe, before;
	int rc;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	rc = write(fd, line, n) == (ssize_t)n ? 0 : -errno;
	if (rc == -EPIPE)
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* What comes too late for one command is no answer to the next. */
static void control_drop_answers(int fd)
{
	char text[64];

	while (read(fd, text, sizeof(text)) > 0)
		;
}

/* "ack\n"; perf sends the NUL behind it as well. */
static int control_await(int fd, uint64_t deadline_ns)
{
	char text[64];
	size_t used = 0;

	while (used < sizeof(text)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		const uint64_t now = fs_now_ns();
		const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
		ssize_t n;

		if (!left)
			return -ETIMEDOUT;
		poll(&p, 1, (int)(left / FS_NSEC_PER_MSEC) + 1);
		n = read(fd, text + used, sizeof(text) - used);
		used += n > 0 ? (size_t)n : 0;
		if (memmem(text, used, "ack\n", 4))
			return 0;
	}
	return -EPROTO;
}

int fs_control_say(const struct fs_control *c, const char *command, uint64_t limit_ns)
{
	char line[32];
	const int n = snprintf(line, sizeof(line), "%s\n", command);
	int rc;

	if (c->answers >= 0)
		control_drop_answers(c->answers);
	rc = control_write(c->commands, line, (size_t)n);
	if (rc < 0 || c->answers < 0)
		return rc;
	return control_await(c->answers, fs_now_ns() + limit_ns);
}
