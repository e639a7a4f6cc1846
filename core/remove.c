// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"
#include "platform/clock.h"
#include "platform/syscall.h"

#define REMOVE_RETRY_NS	(5 * FS_NSEC_PER_SEC)
#define REMOVE_PAUSE_NS	(20 * FS_NSEC_PER_MSEC)
/* One descriptor a level. What lies deeper is moved up to the top, where the next pass meets it. */
#define REMOVE_DEPTH	8

struct removal {
	int top;
	dev_t dev;
	const char *keep;
	char *what;
	int err;			/* of this pass: the first not transient, else the first */
	bool progress;			/* this pass has removed or moved something */
	unsigned long moved;		/* numbers the names of what was moved up */
};

static bool remove_transient(int err)
{
	return err == -ENOTEMPTY || err == -EBUSY;
}

static bool remove_denied(int err)
{
	return err == -EPERM || err == -EACCES;
}

/*
 * Make a directory ours to change, or a file to be unlinked. Errors show in the second try of what
 * was denied.
 */
static void remove_unlock(int fd, mode_t mode)
{
	int flags;

	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags) && flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) {
		flags &= ~(FS_IMMUTABLE_FL | FS_APPEND_FL);
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	if (S_ISDIR(mode) && (mode & S_IRWXU) != S_IRWXU)
		fchmod(fd, mode | S_IRWXU);
}

/* Only files and directories carry flags, and opening anything else may have effects of its own. */
static void remove_unlock_entry(int dir, const char *name)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return;
	if (S_ISDIR(st.st_mode) && !(st.st_mode & S_IRUSR))
		fchmodat(dir, name, S_IRWXU, AT_SYMLINK_NOFOLLOW);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	remove_unlock(fd, st.st_mode);
	close(fd);
}

static void remove_unlock_both(int dir, const char *name)
{
	struct stat st;

	if (!fstat(dir, &st))
		remove_unlock(dir, st.st_mode);
	remove_unlock_entry(dir, name);
}

static int remove_unlink(int dir, const char *name, int flags)
{
	if (!unlinkat(dir, name, flags))
		return 0;
	if (!remove_denied(-errno))
		return -errno;
	remove_unlock_both(dir, name);
	return unlinkat(dir, name, flags) ? -errno : 0;
}

/* -EXDEV for a mount point, also of the same filesystem where the kernel has openat2. */
static int remove_open(const struct removal *r, int dir, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	long fd = fs_sys_open_beneath(dir, name, flags, 0);
	struct stat st;

	if (remove_denied((int)fd)) {
		remove_unlock_both(dir, name);
		fd = fs_sys_open_beneath(dir, name, flags, 0);
	}
	if (fd < 0)
		return (int)fd;
	if (!fstat((int)fd, &st) && st.st_dev == r->dev)
		return (int)fd;
	close((int)fd);
	return -EXDEV;
}

static int remove_move_up(struct removal *r, int dir, const char *name)
{
	char fresh[64];
	int err;

	do {
		snprintf(fresh, sizeof(fresh), "moved-up.%lu", r->moved++);
		err = renameat(dir, name, r->top, fresh) ? -errno : 0;
		if (remove_denied(err)) {
			remove_unlock_both(dir, name);
			err = renameat(dir, name, r->top, fresh) ? -errno : 0;
		}
	} while (err == -ENOTEMPTY || err == -EEXIST || err == -ENOTDIR);
	return err;
}

/* What somebody else has removed is neither an error nor progress. */
static void remove_note(struct removal *r, int err, const char *name)
{
	if (!err)
		r->progress = true;
	if (!err || err == -ENOENT)
		return;
	if (r->err && (!remove_transient(r->err) || remove_transient(err)))
		return;
	r->err = err;
	fs_printable(name, r->what, NAME_MAX + 1);
}

/* Takes fd. Calls itself for subdirectories, REMOVE_DEPTH deep at most. */
static void remove_inside(struct removal *r, int fd, int depth)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	int err, sub;

	if (!d) {
		remove_note(r, -errno, ".");
		close(fd);
		return;
	}
	while (errno = 0, (e = readdir(d))) {
		const char *name = e->d_name;

		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    (!depth && r->keep && !strcmp(name, r->keep)))
			continue;
		err = e->d_type == DT_DIR ? -EISDIR : remove_unlink(fd, name, 0);
		if (err == -EISDIR && depth == REMOVE_DEPTH) {
			err = remove_move_up(r, fd, name);
		} else if (err == -EISDIR) {
			sub = remove_open(r, fd, name);
			if (sub >= 0)
				remove_inside(r, sub, depth + 1);
			err = sub < 0 ? sub : remove_unlink(fd, name, AT_REMOVEDIR);
		}
		remove_note(r, err, name);
	}
	remove_note(r, errno ? -errno : -ENOENT, ".");
	closedir(d);
}

int fs_remove_contents(int dir_fd, const char *keep, char what[NAME_MAX + 1])
{
	const uint64_t deadline = fs_now_ns() + REMOVE_RETRY_NS;
	struct removal r = { .top = dir_fd, .keep = keep, .what = what };
	struct stat st;
	int fd;

	what[0] = '\0';
	if (fstat(dir_fd, &st))
		return -errno;
	r.dev = st.st_dev;
	for (;;) {
		r.err = 0;
		r.progress = false;
		fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		remove_inside(&r, fd, 0);
		if (r.progress)
			continue;
		if (!remove_transient(r.err) || fs_now_ns() >= deadline)
			return r.err;
		fs_sleep_until(fs_now_ns() + REMOVE_PAUSE_NS);
	}
}

int fs_remove_directory(int parent_fd, const char *name)
{
	const uint64_t deadline = fs_now_ns() + REMOVE_RETRY_NS;
	int err;

	for (;;) {
		err = unlinkat(parent_fd, name, AT_REMOVEDIR) ? -errno : 0;
		if (err == -EPERM) {
			remove_unlock_entry(parent_fd, name);
			err = unlinkat(parent_fd, name, AT_REMOVEDIR) ? -errno : 0;
		}
		if (!remove_transient(err) || fs_now_ns() >= deadline)
			return err == -ENOENT ? 0 : err;
		fs_sleep_until(fs_now_ns() + REMOVE_PAUSE_NS);
	}
}
