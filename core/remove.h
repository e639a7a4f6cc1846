/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remove.h - remove a tree that may hold anything, and nothing outside it
 *
 * Symbolic links are removed, never followed; what is mounted inside is left, with the directories
 * above it. Immutable and append-only flags are cleared. Depth and number of entries are not
 * limited, descriptors in use are (ten). -ENOTEMPTY and -EBUSY (an NFS client that has not yet let
 * go of renamed files) are tried again for up to 5 s; what is gone already is removed.
 */
#ifndef CORE_REMOVE_H
#define CORE_REMOVE_H

#include <limits.h>

/*
 * Everything in a directory but the entry `keep` (NULL: all). 0 or the -errno of what stays, with
 * its printable name in what.
 */
int fs_remove_contents(int dir_fd, const char *keep, char what[NAME_MAX + 1]);
/* One empty directory. The directory that it is in is not ours: it is not made writable. */
int fs_remove_directory(int parent_fd, const char *name);

#endif
