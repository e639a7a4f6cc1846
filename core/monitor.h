/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor.h - the user's commands beside a stage: started before it is measured, told to end after
 *
 * A keeper, a child of the supervisor, leads a process group and starts the shell in it. It takes
 * in what the shell leaves behind and ends when nothing of it is left; if the supervisor ends, it
 * kills the group. What leaves the group by itself (setsid) is beyond all that. A monitor is not in
 * the mount namespace of a disk of ours: it writes to where the user is, and must not keep the disk
 * alive.
 */
#ifndef CORE_MONITOR_H
#define CORE_MONITOR_H

#include "core/session.h"

struct monitor {
	const char *command;
	struct child child;
	bool told;			/* to end; before that it had no reason to fail */
};

struct monitor_facts {			/* what it gets to know; nothing is NULL */
	const char *prefix;		/* of output files, for %o */
	const char *stage, *tids, *dev, *mount;	/* FSS_STAGE and so on */
	int area_fd;			/* not to be inherited */
};

/* The command with the prefix, quoted for sh(1) where it must be, for each %o. NULL: ENOMEM. */
char *fs_monitor_command(const char *command, const char *prefix);

/* 0 or -errno. A command that cannot be run ends with status 127, as in a shell. */
int fs_monitor_start(struct session *s, struct monitor *m, const struct monitor_facts *facts);
/* SIGINT to all that are still there. */
void fs_monitors_tell(struct monitor *list, unsigned n);
/* Wait 10 s for all; SIGTERM, 2 s; SIGKILL. They are reaped and forgotten. */
void fs_monitors_end(struct session *s, struct monitor *list, unsigned n);
/* What was wrong with one that has ended: "ended with status 127 ..."; false: nothing. */
bool fs_monitor_failed(const struct monitor *m, char what[96]);

#endif
