// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unmount and mount again a disk that we made, between rounds: the only way to cold metadata that
 * needs neither drop_caches nor a filesystem's help. All workers let go of the mount, the leader
 * remounts it, all open their directories again.
 */
#include <sys/mount.h>

#include "core/worker.h"

/* The last reference to a closed file goes away shortly after close(2) has returned. */
#define REMOUNT_BUSY_LIMIT_NS (2 * FS_NSEC_PER_SEC)

static int remount_mount(const struct area *a)
{
	const uint64_t limit = fs_now_ns() + REMOUNT_BUSY_LIMIT_NS;

	while (umount2(a->mount_point, 0)) {
		if (errno != EBUSY || fs_now_ns() > limit)
			return -errno;
		fs_sleep_until(fs_now_ns() + FS_NSEC_PER_MSEC);
	}
	if (mount(a->mount_source, a->mount_point, a->mount_fstype, a->mount_flags, a->mount_data))
		return -errno;
	return 0;
}

static void remount_let_go(struct worker *k)
{
	int *const fds[] = { &k->dirs.target_fd, &k->dirs.workspace_fd, &k->dirs.marker_fd };

	fs_worker_close_files(k);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static int remount_open(struct worker *k)
{
	int rc;

	k->dirs.target_fd = open(k->area->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (k->dirs.target_fd < 0)
		return -errno;
	if (fs_area_moved(k->area, k->dirs.target_fd))
		return fs_fail(&k->pub, ESTALE, "the target is no longer mounted");
	k->dirs.workspace_fd = openat(k->dirs.target_fd, k->dirs.workspace,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = k->dirs.workspace_fd < 0 ? -errno : fs_worker_open_dir(k);
	return rc;
}

int fs_remount(struct fs_worker *w)
{
	struct worker *k = fs_worker_of(w);
	int rc = 0;

	if (!k->area->mount_source[0])
		return fs_fail(w, EOPNOTSUPP, "remounting needs a disk of our own (--disk)");
	if (chdir("/"))
		return -errno;
	remount_let_go(k);
	if (!fs_barrier_wait(&k->stage->barrier, 0))
		return -ECANCELED;
	if (w->id == 0)
		rc = remount_mount(k->area);
	if (rc < 0)
		return fs_fail(w, -rc, "remount %s", k->area->mount_source);
	if (!fs_barrier_wait(&k->stage->barrier, 0))
		return -ECANCELED;
	return remount_open(k);
}
