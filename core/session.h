/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - the supervisor's side of processes: starting children, waiting for them, signals
 *
 * The supervisor is single-threaded, never opens the target and never waits for anybody without a
 * limit. SIGINT and SIGTERM end waits early and are remembered; a second one kills the children and
 * the supervisor at once.
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "core/config.h"
#include "core/tracing.h"
#include "platform/disk.h"
#include "platform/task.h"

#define SESSION_CHILDREN_MAX 160

struct child {
	pid_t pid;			/* leader of a process group of its own; 0: none */
	bool ended, killed;		/* reaped; killed by us */
	uint64_t ended_ns;		/* when it was reaped */
	int status;			/* of wait4(), once ended */
	struct rusage usage;
};

struct session {
	const struct config *config;
	int signal_fd, exe_fd;
	struct fs_priority priority;	/* what children get back */
	int interrupted;		/* signal number; 0: none */
	uint64_t interrupted_ns;	/* when */
	bool has_disk;
	struct fs_disk disk;		/* children run in its namespace */
	unsigned places;		/* looked at so far */
	unsigned run;			/* place or repetition that goes on, from 1 */
	struct tracing tracing;
	struct child *children[SESSION_CHILDREN_MAX];
	unsigned nchildren;
};

enum wait_end { WAIT_MET, WAIT_TIMEOUT, WAIT_INTERRUPTED };

int fs_session_open(struct session *s, const struct config *config);
void fs_session_close(struct session *s);

/*
 * Fork a child in the disk's namespace, if there is one: body(arg) is its exit status. The child is
 * watched until fs_child_forget().
 */
int fs_session_fork(struct session *s, struct child *c, int (*body)(void *arg), void *arg);
/* The same outside of the disk's namespace, where there is one. */
int fs_session_fork_outside(struct session *s, struct child *c, int (*body)(void *arg), void *arg);
void fs_child_forget(struct session *s, struct child *c);
/* A signal to its process group. */
void fs_child_signal(const struct child *c, int sig);
/* SIGKILL to its process group. */
void fs_child_kill(struct child *c);

/*
 * Wait until met(arg), looked at whenever a child ends and each tick_ns (0: only then), until
 * deadline_ns (CLOCK_MONOTONIC), or a signal. After a signal every further wait that is
 * interruptible ends at once; `deaf` waits go on.
 */
enum wait_end fs_session_wait(struct session *s, bool (*met)(void *arg), void *arg,
			      uint64_t deadline_ns, uint64_t tick_ns);
enum wait_end fs_session_wait_deaf(struct session *s, bool (*met)(void *arg), void *arg,
				   uint64_t deadline_ns, uint64_t tick_ns);
bool fs_child_ended(void *child);
/* Take the signals that have come; whether one says to stop. For those who wait by themselves. */
bool fs_session_stopped(void *session);

#endif
