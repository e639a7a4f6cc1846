// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/message.h"
#include "core/report.h"
#include "platform/clock.h"

#define SWEEP_LOOK_S	10
#define SWEEP_S		60

struct sweep_job {
	const char *target, *name;
	unsigned pid;
	bool try_work;
	struct target_look *look;
};

/* --- sweep ------------------------------------------------------------------------------------ */

static int sweep_remove(void *arg)
{
	const struct sweep_job *job = arg;
	const int fd = open(job->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char what[NAME_MAX + 1], text[4 * NAME_MAX + 1];
	int rc;

	if (fd < 0) {
		fs_warning("%s is left in the target: open: %s", job->name, strerror(errno));
		return 1;
	}
	rc = fs_workspace_sweep(fd, job->name, what);
	if (rc < 0 && rc != -ENOENT) {
		fs_warning("%s is left in the target: %s: %s", job->name,
			   fs_printable(what, text, sizeof(text)), strerror(-rc));
		return 1;
	}
	return 0;
}

static void sweep_within(struct session *s, const char *target, const char *name, unsigned limit_s)
{
	struct sweep_job job = { .target = target, .name = name };
	struct child c;
	int rc = fs_session_fork(s, &c, sweep_remove, &job);

	if (rc < 0) {
		fs_warning("%s is left in the target: start a process to remove it: %s; "
			   "try `fsstress clean` later", name, strerror(-rc));
		return;
	}
	if (fs_session_wait_deaf(s, fs_child_ended, &c, fs_now_ns() + limit_s * FS_NSEC_PER_SEC,
				 0) == WAIT_TIMEOUT) {
		fs_warning("%s is left in the target: its removal takes more than %u s; "
			   "try `fsstress clean` later", name, limit_s);
		fs_child_kill(&c);
	}
	fs_child_forget(s, &c);
}

void fs_sweep(struct session *s, const char *target, const char *name)
{
	sweep_within(s, target, name, SWEEP_S);
}

/* --- look ------------------------------------------------------------------------------------- */

static int sweep_leftover(const struct leftover *l, void *arg)
{
	struct target_look *look = arg;

	if (!l->lock_free || !l->host_ours)
		return 0;
	if (look->leftovers < SWEEP_LEFTOVERS_MAX)
		snprintf(look->leftover[look->leftovers], sizeof(look->leftover[0]), "%s", l->name);
	look->leftovers++;
	return 0;
}

/* A work directory is made for real: only that tells whether one can be. */
static int sweep_try(int fd, unsigned pid, struct workspace *ws)
{
	char what[NAME_MAX + 1];
	int rc = fs_workspace_create(fd, pid, ws);
	const bool made = rc == 0;

	if (made)
		rc = fs_workspace_remove(ws, what);
	if (!made || rc == 0)
		ws->name[0] = '\0';
	return rc;
}

static int sweep_look_at(const struct sweep_job *job, int fd)
{
	struct target_look *look = job->look;
	int rc;

	snprintf(look->what, sizeof(look->what), "read its properties");
	rc = fs_target_read(fd, job->target, &look->target);
	if (rc < 0)
		return rc;
	fs_workspace_find(fd, sweep_leftover, look);
	snprintf(look->what, sizeof(look->what), "make a work directory");
	return job->try_work ? sweep_try(fd, job->pid, &look->trial) : 0;
}

static int sweep_look(void *arg)
{
	const struct sweep_job *job = arg;
	int fd;

	strcpy(job->look->what, "open");
	fd = open(job->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	job->look->rc = fd < 0 ? -errno : sweep_look_at(job, fd);
	return 0;
}

/* Until the child has ended, or is left behind. */
static int sweep_await_look(struct session *s, struct child *c, const struct target_look *shared)
{
	const enum wait_end end = fs_session_wait(
		s, fs_child_ended, c, fs_now_ns() + SWEEP_LOOK_S * FS_NSEC_PER_SEC, 0);

	fs_child_kill(c);
	fs_session_wait_deaf(s, fs_child_ended, c, fs_now_ns() + FS_NSEC_PER_SEC, 0);
	fs_child_forget(s, c);
	return end == WAIT_TIMEOUT ? -ETIMEDOUT : shared->rc;
}

/* What a killed child has made, unless the mount does not answer: that is best left alone. */
static void sweep_trial(struct session *s, const char *target, const char *name, bool answers)
{
	if (answers)
		sweep_within(s, target, name, SWEEP_LOOK_S);
	else
		fs_warning("%s may be left in the target, which does not answer; "
			   "try `fsstress clean` later", name);
}

int fs_target_look(struct session *s, const char *path, bool try_work, struct target_look *look)
{
	struct target_look *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sweep_job job = {
		.target = path, .pid = (unsigned)getpid(), .try_work = try_work, .look = shared
	};
	struct child c;
	int rc;

	*look = (struct target_look){ .rc = -EIO, .what = "start a process to look at it" };
	if (shared == MAP_FAILED)
		return -errno;
	*shared = *look;
	rc = fs_session_fork(s, &c, sweep_look, &job);
	if (rc == 0)
		rc = sweep_await_look(s, &c, shared);
	*look = *shared;
	munmap(shared, sizeof(*shared));
	if (look->trial.name[0])
		sweep_trial(s, path, look->trial.name, c.ended && rc != -ETIMEDOUT);
	return rc;
}
