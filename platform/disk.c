// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk.c - make a disk in a child, take over what it hangs on
 *
 * The maker leaves by sending one message: its outcome, and the descriptors of the mount namespace
 * and the loop device. From then on these two are all that keeps the disk alive.
 */
#include "platform/disk.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/disk_inside.h"
#include "platform/task.h"

/*
 * How long a killed maker may take to die; one that sleeps uninterruptibly in a dead device is left
 * behind.
 */
#define DISK_REAP_NS	FS_NSEC_PER_SEC
#define DISK_TICK_MS	20

#define DISK_FDS 3			/* namespace, root directory, device where there is one */

struct disk_message {
	int err;
	char why[FS_DISK_WHY_MAX];
	struct fs_disk disk;
};

/*
 * setns(2) goes to the root of the namespace, from where we go back to our own root, which may be
 * that of a chroot. It wants an fs_struct that nobody shares; a sanitizer may run a thread.
 */
int fs_disk_enter(const struct fs_disk *disk)
{
	if (unshare(CLONE_FS) || setns(disk->ns_fd, CLONE_NEWNS))
		return -errno;
	return fchdir(disk->root_fd) || chroot(".") || chdir("/") ? -errno : 0;
}

/* From the root of the namespace, since a chroot's is no mount point. */
static int disk_namespace(struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	if (unshare(CLONE_NEWNS))
		return fs_disk_fail(why, -errno, "--disk needs root (a mount namespace: %s)",
				    strerror(errno));
	disk->root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	disk->ns_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (disk->root_fd < 0 || disk->ns_fd < 0)
		return fs_disk_fail(why, -errno, "/proc/self/ns/mnt: %s", strerror(errno));
	if (setns(disk->ns_fd, CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return fs_disk_fail(why, -errno, "cannot make mounts private: %s", strerror(errno));
	if (fs_disk_enter(disk) < 0)
		return fs_disk_fail(why, -errno, "cannot return to the root directory: %s",
				    strerror(errno));
	return 0;
}

/* What the mount will be, into disk->source. */
static int disk_source(const struct fs_disk_order *o, struct fs_disk *disk,
		       char why[FS_DISK_WHY_MAX])
{
	const struct fs_disk_spec *spec = o->spec;
	char shown[FS_SHOWN_MAX];
	int fd, err;

	if (spec->kind == FS_DISK_ZRAM)
		return 0;		/* the keeper has made it */
	if (spec->kind == FS_DISK_TMPFS) {
		strcpy(disk->source, "tmpfs");
		snprintf(disk->data, sizeof(disk->data), "size=%" PRIu64, spec->bytes);
		return fs_disk_memory(spec, why);
	}
	if (spec->kind == FS_DISK_DEVICE) {
		if (strlen(spec->device) >= sizeof(disk->source))
			return fs_disk_fail(why, -ENAMETOOLONG, "the name of %s is too long",
					    fs_shown(spec->device, shown));
		if (o->mkfs && !o->yes_destroy)
			return fs_disk_fail(why, -EPERM, "%s would be formatted: say --yes-destroy "
					    "if it may be", spec->device);
		strcpy(disk->source, spec->device);
		return fs_disk_device_free(spec->device, why);
	}
	fd = fs_disk_backing(spec, why);
	if (fd < 0)
		return fd;
	err = fs_disk_loop(fd, disk, why);
	close(fd);
	return err;
}

static int disk_mount(struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	static const char *const points[] = { "/mnt", "/media", "/tmp" };
	char shown[FS_SHOWN_MAX];
	struct stat st;

	for (size_t i = 0; i < FS_ARRAY_SIZE(points); i++) {
		if (stat(points[i], &st) || !S_ISDIR(st.st_mode))
			continue;
		strcpy(disk->point, points[i]);
		disk->below_dev = (uint64_t)st.st_dev;
		if (!mount(disk->source, disk->point, disk->fstype, disk->flags, disk->data))
			return 0;
		return fs_disk_fail(why, -errno, "cannot mount %s as %s with options '%s': %s",
				    disk->source, disk->fstype, fs_shown(disk->data, shown),
				    strerror(errno));
	}
	return fs_disk_fail(why, -ENOENT, "there is neither /mnt nor /media nor /tmp to mount on");
}

static int disk_make(const struct fs_disk_order *o, struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	const bool is_tmpfs = o->spec->kind == FS_DISK_TMPFS;
	int err;

	strcpy(disk->fstype, o->fstype);
	err = disk_namespace(disk, why);
	if (!err)
		err = disk_source(o, disk, why);
	if (!err)
		err = fs_disk_options(o->mount_opts, disk, why);
	if (!err && o->mkfs && !is_tmpfs)
		err = fs_disk_mkfs(disk, o->mkfs_opts, o->spec->kind != FS_DISK_DEVICE, why);
	if (!err)
		err = disk_mount(disk, why);
	return err;
}

static void disk_send(int sock, struct disk_message *m)
{
	union {
		char bytes[CMSG_SPACE(DISK_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	const int fds[DISK_FDS] = { m->disk.ns_fd, m->disk.root_fd, m->disk.dev_fd };
	const size_t bytes = (m->disk.dev_fd >= 0 ? DISK_FDS : DISK_FDS - 1) * sizeof(int);
	struct iovec iov = { m, sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (!m->err) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(bytes);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(bytes);
		memcpy(CMSG_DATA(c), fds, bytes);
	}
	sendmsg(sock, &msg, MSG_NOSIGNAL);
}

static int disk_receive(int sock, struct disk_message *m)
{
	union {
		char bytes[CMSG_SPACE(DISK_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { m, sizeof(*m) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	const struct cmsghdr *c;
	int fds[DISK_FDS] = { -1, -1, -1 };

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*m))
		return fs_disk_fail(m->why, -EPIPE, "the process that makes the disk died");
	c = CMSG_FIRSTHDR(&msg);
	if (c)
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	m->disk.ns_fd = fds[0];
	m->disk.root_fd = fds[1];
	m->disk.dev_fd = fds[2];
	/* A stage enters the namespace after exec, too. */
	return m->err ? m->err : fcntl(fds[0], F_SETFD, 0) ? -errno : 0;
}

static _Noreturn void disk_maker(const struct fs_disk_order *o, int sock, pid_t parent,
				 struct disk_message *m)
{
	sigset_t none;

	/* A group of its own, so that a time-out ends mkfs as well. */
	setpgid(0, 0);
	/* Signals that our caller takes by a descriptor are to reach mkfs. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (fs_task_die_with(parent) < 0)
		_exit(1);
	m->err = disk_make(o, &m->disk, m->why);
	disk_send(sock, m);
	_exit(0);
}

/* The whole group: a mkfs may die after the maker, holds the device, and is ours to reap then. */
static void disk_reap(pid_t pid)
{
	const uint64_t deadline = fs_now_ns() + DISK_REAP_NS;
	int reaper = 0;
	pid_t got;

	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	kill(-pid, SIGKILL);
	while ((got = waitpid(-pid, NULL, WNOHANG)) >= 0 || errno == EINTR) {
		if (fs_now_ns() > deadline)
			break;
		if (got == 0)
			fs_sleep_until(fs_now_ns() + FS_NSEC_PER_MSEC);
	}
	prctl(PR_SET_CHILD_SUBREAPER, reaper);
}

/* Wait for a message, or the death of who should send it: 0. */
static int disk_wait(const struct fs_disk_order *o, int sock, char why[FS_DISK_WHY_MAX])
{
	const uint64_t deadline = fs_now_ns() + o->limit_ns;
	struct pollfd p = { .fd = sock, .events = POLLIN };

	while (fs_now_ns() < deadline) {
		if (o->stopped && o->stopped(o->arg))
			return fs_disk_fail(why, -EINTR, "making the disk was interrupted");
		if (poll(&p, 1, DISK_TICK_MS) > 0)
			return 0;
	}
	return fs_disk_fail(why, -ETIMEDOUT, "making the disk took longer than %.1f s",
			    (double)o->limit_ns / FS_NSEC_PER_SEC);
}

/* What must be there before the maker is, because it outlives all of us: a zram device's keeper. */
static int disk_keep(const struct fs_disk_order *o, struct disk_message *m)
{
	int err;

	if (o->spec->kind != FS_DISK_ZRAM)
		return 0;
	err = fs_disk_zram(o->spec, &m->disk, m->why);
	if (!err)
		err = disk_wait(o, m->disk.keeper_fd, m->why);
	return err ? err : fs_disk_zram_take(&m->disk, m->why);
}

static int disk_by_maker(const struct fs_disk_order *o, struct disk_message *m)
{
	const pid_t self = getpid();
	int sock[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
		return fs_disk_fail(m->why, -errno, "socketpair: %s", strerror(errno));
	pid = fork();
	if (!pid)
		disk_maker(o, sock[1], self, m);
	err = pid < 0 ? fs_disk_fail(m->why, -errno, "fork: %s", strerror(errno)) : 0;
	close(sock[1]);
	if (pid > 0) {
		setpgid(pid, pid);
		err = disk_wait(o, sock[0], m->why);
		if (!err)
			err = disk_receive(sock[0], m);
		disk_reap(pid);
	}
	close(sock[0]);
	return err;
}

static int disk_check(struct fs_disk_order *o, char why[FS_DISK_WHY_MAX])
{
	const bool tmpfs = o->spec->kind == FS_DISK_TMPFS;
	const char *use = o->fstype ? o->fstype : tmpfs ? "tmpfs" : "";
	char shown[FS_SHOWN_MAX];
	size_t n = 0;

	if (!*use)
		return fs_disk_fail(why, -EINVAL,
				    "this disk needs a filesystem: say --fs TYPE, as in --fs ext4");
	while (isalnum((unsigned char)use[n]) || use[n] == '_')
		n++;
	if (use[n] || n >= sizeof(((struct fs_disk *)0)->fstype))
		return fs_disk_fail(why, -EINVAL,
				    "'%s' is not a filesystem type; say one such as ext4",
				    fs_shown(use, shown));
	if (tmpfs != !strcmp(use, "tmpfs"))
		return fs_disk_fail(why, -EINVAL, "a %s holds no %s; write loop:SIZE, mem:SIZE "
				    "or zram:SIZE for a filesystem on a block device, tmpfs:SIZE "
				    "for a tmpfs",
				    tmpfs ? "tmpfs" : "block device", use);
	o->fstype = use;
	return 0;
}

int fs_disk_open(const struct fs_disk_order *asked, struct fs_disk *disk, char why[512])
{
	struct fs_disk_order order = *asked;
	struct disk_message m = {
		.disk = { .ns_fd = -1, .root_fd = -1, .dev_fd = -1, .keeper_fd = -1 }
	};
	int err = disk_check(&order, m.why);

	if (!err)
		err = disk_keep(&order, &m);
	if (!err)
		err = disk_by_maker(&order, &m);
	strcpy(why, m.why);
	*disk = m.disk;
	if (err)
		fs_disk_close(disk);
	return err;
}

static void disk_close_all(struct fs_disk *disk)
{
	if (disk->ns_fd >= 0)
		close(disk->ns_fd);
	if (disk->root_fd >= 0)
		close(disk->root_fd);
	if (disk->dev_fd >= 0)
		close(disk->dev_fd);
	disk->ns_fd = disk->root_fd = disk->dev_fd = -1;
}

void fs_disk_forget(struct fs_disk *disk)
{
	disk_close_all(disk);
	if (disk->keeper_fd >= 0)
		close(disk->keeper_fd);
	disk->keeper_fd = -1;
}

void fs_disk_close(struct fs_disk *disk)
{
	disk_close_all(disk);
	if (disk->keeper_fd >= 0)
		fs_disk_zram_end(disk);
}
