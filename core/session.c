// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/message.h"
#include "platform/clock.h"
#include "platform/task.h"

/* timeout(1) signals its child, then its whole group: that is one request to stop, not two. */
#define SESSION_SAME_SIGNAL_NS (FS_NSEC_PER_SEC / 5)

static void session_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

/* Under nohup(1) a run outlives its terminal. */
static bool session_ignores(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int fs_session_open(struct session *s, const struct config *config)
{
	sigset_t set;

	*s = (struct session){
		.config = config, .signal_fd = -1, .exe_fd = -1,
		.tracing = { .perf = { -1, -1 }, .marker = -1 },
	};
	session_signals(&set);
	if (session_ignores(SIGHUP))
		sigdelset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGCHLD, SIG_DFL);	/* inherited as ignored, it would lose us the wait status */
	s->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->signal_fd < 0)
		return -errno;
	s->exe_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fs_task_prefer(&s->priority);
	return 0;
}

void fs_session_close(struct session *s)
{
	close(s->signal_fd);
	if (s->exe_fd >= 0)
		close(s->exe_fd);
}

static int session_enter_disk(const struct fs_disk *disk)
{
	const int rc = fs_disk_enter(disk);

	if (rc < 0)
		fs_error("entering the mount namespace of the disk: %s", strerror(-rc));
	return rc;
}

struct session_job {
	int (*body)(void *arg);
	void *arg;
	bool in_disk;
};

static int session_child(struct session *s, pid_t parent, const struct session_job *job)
{
	sigset_t set;

	setpgid(0, 0);
	fs_task_restore(&s->priority);
	session_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (fs_task_die_with(parent) < 0)
		return 1;
	if (job->in_disk && session_enter_disk(&s->disk) < 0)
		return 1;
	return job->body(job->arg);
}

static int session_fork(struct session *s, struct child *c, const struct session_job *job)
{
	const pid_t parent = getpid();

	if (s->nchildren == SESSION_CHILDREN_MAX)
		return -E2BIG;
	*c = (struct child){ .pid = fork() };
	if (c->pid < 0)
		return -errno;
	if (c->pid == 0)
		_exit(session_child(s, parent, job));
	setpgid(c->pid, c->pid);
	s->children[s->nchildren++] = c;
	return 0;
}

int fs_session_fork(struct session *s, struct child *c, int (*body)(void *arg), void *arg)
{
	return session_fork(s, c, &(struct session_job){ body, arg, s->has_disk });
}

int fs_session_fork_outside(struct session *s, struct child *c, int (*body)(void *arg), void *arg)
{
	return session_fork(s, c, &(struct session_job){ body, arg, false });
}

void fs_child_forget(struct session *s, struct child *c)
{
	for (unsigned i = 0; i < s->nchildren; i++) {
		if (s->children[i] == c)
			s->children[i] = s->children[--s->nchildren];
	}
}

void fs_child_signal(const struct child *c, int sig)
{
	if (c->pid && !c->ended)
		kill(-c->pid, sig);
}

void fs_child_kill(struct child *c)
{
	if (!c->pid || c->ended)
		return;
	c->killed = true;
	fs_child_signal(c, SIGKILL);
	kill(c->pid, SIGKILL);		/* it may not have made its group yet */
}

static void session_reap(struct session *s)
{
	for (unsigned i = 0; i < s->nchildren; i++) {
		struct child *c = s->children[i];

		if (c->ended || wait4(c->pid, &c->status, WNOHANG, &c->usage) != c->pid)
			continue;
		c->ended = true;
		c->ended_ns = fs_now_ns();
	}
}

/* The second signal: no report, no cleaning up; what is left behind is found by the next run. */
static void session_die(struct session *s, int sig)
{
	sigset_t set;

	for (unsigned i = 0; i < s->nchildren; i++)
		fs_child_kill(s->children[i]);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void session_take_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (s->interrupted && fs_now_ns() - s->interrupted_ns < SESSION_SAME_SIGNAL_NS)
			continue;
		if (s->interrupted)
			session_die(s, (int)info.ssi_signo);
		s->interrupted_ns = fs_now_ns();
		s->interrupted = (int)info.ssi_signo;
		fs_note("stopping on signal %d (%s); a second one ends at once",
			s->interrupted, strsignal(s->interrupted));
	}
	session_reap(s);
}

static enum wait_end session_wait(struct session *s, bool (*met)(void *arg), void *arg,
				  uint64_t deadline_ns, uint64_t tick_ns, bool deaf)
{
	for (;;) {
		struct pollfd signals = { .fd = s->signal_fd, .events = POLLIN };
		const uint64_t now = fs_now_ns();
		uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec limit;

		session_take_signals(s);
		if (met && met(arg))
			return WAIT_MET;
		if (s->interrupted && !deaf)
			return WAIT_INTERRUPTED;
		if (!left)
			return WAIT_TIMEOUT;
		if (tick_ns && tick_ns < left)
			left = tick_ns;
		limit.tv_sec = (time_t)(left / FS_NSEC_PER_SEC);
		limit.tv_nsec = (long)(left % FS_NSEC_PER_SEC);
		ppoll(&signals, 1, &limit, NULL);
	}
}

enum wait_end fs_session_wait(struct session *s, bool (*met)(void *arg), void *arg,
			      uint64_t deadline_ns, uint64_t tick_ns)
{
	return session_wait(s, met, arg, deadline_ns, tick_ns, false);
}

enum wait_end fs_session_wait_deaf(struct session *s, bool (*met)(void *arg), void *arg,
				   uint64_t deadline_ns, uint64_t tick_ns)
{
	return session_wait(s, met, arg, deadline_ns, tick_ns, true);
}

bool fs_session_stopped(void *session)
{
	struct session *s = session;

	session_take_signals(s);
	return s->interrupted;
}

bool fs_child_ended(void *child)
{
	return ((struct child *)child)->ended;
}
