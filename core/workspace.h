/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workspace.h - the one directory that a stage works in, and its safe removal
 *
 * Named fsstress.HOST.BOOT.PID.RANDOM, mode 0700, with a marker file inside (.fsstress: host, boot
 * id, pid, start time, pid namespace) on which an open-file-description lock is held while its
 * maker lives. Everything below is reached by *at() calls relative to the opened directory;
 * symbolic links are never followed, other filesystems never entered.
 */
#ifndef CORE_WORKSPACE_H
#define CORE_WORKSPACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define FS_WORKSPACE_PREFIX "fsstress."
#define FS_MARKER_NAME ".fsstress"

struct workspace {
	int target_fd, dir_fd, marker_fd;	/* -1: closed */
	char name[NAME_MAX + 1];
};

/*
 * Make one in the target directory. -errno; on failure nothing is left. pid: the run's, not the
 * caller's. ws->name is there before the directory is, for who sweeps when the caller is killed.
 */
int fs_workspace_create(int target_fd, unsigned pid, struct workspace *ws);
/* 0 while it is there; -ENOENT: removed under us (st_nlink 0); else why it cannot be reached. */
int fs_workspace_lost(const struct workspace *ws);
/*
 * Remove it and everything inside; immutable and append-only flags are cleared first; ENOTEMPTY and
 * EBUSY are tried again for up to 5 s. Closes all descriptors. 0 or the first -errno, with the name
 * that could not be removed in `what` (bytes as \xNN).
 */
int fs_workspace_remove(struct workspace *ws, char what[NAME_MAX + 1]);
/* Close the descriptors, leave the directory. */
void fs_workspace_release(struct workspace *ws);

/* Remove the directory `name` in target_fd by force: for the sweep, which knows that it is ours. */
int fs_workspace_sweep(int target_fd, const char *name, char what[NAME_MAX + 1]);

/*
 * Find leftovers in a target: directories with our name and marker, and those whose maker has not
 * come to write the marker: this host's name in full, private to us, nothing in it. For each call
 * found() with its name, whether its maker is gone, whether its lock is free as well (a stage that
 * was killed holds it until it has exited) and whether its host is this one; a negative return ends
 * the search. Returns how many, or -errno.
 */
struct leftover {
	char name[NAME_MAX + 1];
	bool maker_gone, lock_free, host_ours;
	char host[72];
	unsigned pid;
};
int fs_workspace_find(int target_fd, int (*found)(const struct leftover *l, void *arg), void *arg);

#endif
