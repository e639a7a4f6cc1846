// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/clean.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/message.h"
#include "core/report.h"
#include "core/workspace.h"
#include "platform/clock.h"
#include "platform/task.h"

#define CLEAN_EXIT_SETUP	3
#define CLEAN_OPEN_MS		10000
#define CLEAN_EXITING_NS	(2 * FS_NSEC_PER_SEC)
#define CLEAN_POLL_NS		(FS_NSEC_PER_SEC / 50)

struct cleaning {
	int target_fd;
	bool failed;
};

static int clean_one(const struct leftover *l, void *arg)
{
	struct cleaning *c = arg;
	char name[4 * NAME_MAX + 1], what[NAME_MAX + 1];
	int err;

	fs_printable(l->name, name, sizeof(name));
	if (!l->host_ours) {
		printf("left %s: made on host %s, "
		       "only there can be seen whether its run has ended\n", name, l->host);
		return 0;
	}
	if (!l->lock_free) {
		printf("left %s: in use by a run that has not ended (pid %u)\n", name, l->pid);
		return 0;
	}
	err = fs_workspace_sweep(c->target_fd, l->name, what);
	if (err) {
		c->failed = true;
		fs_error("cannot remove %s: %s: %s", name, what, strerror(-err));
		return 0;
	}
	printf("removed %s\n", name);
	return 0;
}

static int clean_exiting(const struct leftover *l, void *arg)
{
	*(bool *)arg |= l->host_ours && l->maker_gone && !l->lock_free;
	return 0;
}

/* Straight after a kill the stages are still on their way out. */
static void clean_await_exits(int target_fd)
{
	const uint64_t until = fs_now_ns() + CLEAN_EXITING_NS;
	bool exiting = false;

	while (fs_workspace_find(target_fd, clean_exiting, &exiting) > 0 && exiting &&
	       fs_now_ns() < until) {
		exiting = false;
		fs_sleep_until(fs_now_ns() + CLEAN_POLL_NS);
	}
}

/* The child that opens the target; that it answers is told by closing `opened`. */
static int clean_target(const char *path, int opened)
{
	struct cleaning c = { .target_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	int n = c.target_fd < 0 ? -errno : 0;

	close(opened);
	if (!n)
		clean_await_exits(c.target_fd);
	if (!n)
		n = fs_workspace_find(c.target_fd, clean_one, &c);
	if (n < 0) {
		fs_error("cannot clean %s: %s", path, strerror(-n));
		return CLEAN_EXIT_SETUP;
	}
	if (!n)
		printf("nothing to remove\n");
	if (fflush(stdout)) {
		fs_error("stdout: %s", strerror(errno));
		return CLEAN_EXIT_SETUP;
	}
	return c.failed;
}

/* Removing may take as long as it does; who has no patience has signals, which reach the child. */
static int clean_wait(const char *path, pid_t pid, int opened)
{
	struct pollfd p = { .fd = opened };
	int n, status;

	do {
		n = poll(&p, 1, CLEAN_OPEN_MS);
	} while (n < 0 && errno == EINTR);
	if (n == 0) {
		fs_error("cannot clean %s: it does not answer within %d s", path,
			 CLEAN_OPEN_MS / 1000);
		kill(pid, SIGKILL);
		return CLEAN_EXIT_SETUP;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fs_error("cannot clean %s: the process that does it was killed (%s)", path,
		 strsignal(WTERMSIG(status)));
	return 1;
}

int fs_clean(const char *target)
{
	const char *path = target ? target : ".";
	const pid_t self = getpid();
	int opened[2], status;
	pid_t pid;

	if (pipe2(opened, O_CLOEXEC)) {
		fs_error("cannot clean %s: a pipe: %s", path, strerror(errno));
		return CLEAN_EXIT_SETUP;
	}
	signal(SIGCHLD, SIG_DFL);	/* inherited as ignored, it would lose us the exit status */
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(fs_task_die_with(self) < 0 ? 1 : clean_target(path, opened[1]));
	close(opened[1]);
	if (pid < 0) {
		fs_error("cannot clean %s: start a process: %s", path, strerror(errno));
		status = CLEAN_EXIT_SETUP;
	} else {
		status = clean_wait(path, pid, opened[0]);
	}
	close(opened[0]);
	return status;
}
