/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private_mounts.h - a mount namespace of the test's own, in which nothing it mounts is seen by anybody else
 */
#ifndef TESTS_PRIVATE_MOUNTS_H
#define TESTS_PRIVATE_MOUNTS_H

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

/* 0, or -1 with errno. By way of the namespace's root, since that of a chroot is no mount point. */
static inline int private_mounts(void)
{
	int root, ns;

	if (unshare(CLONE_NEWNS))
		return -1;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ns = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (setns(ns, CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	close(ns);
	return fchdir(root) || chroot(".") || close(root);
}

#endif
