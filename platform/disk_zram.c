// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_zram.c - a zram device, and the process that takes it away again
 *
 * A loop device clears itself when it is closed last. A zram device stays until somebody writes its
 * number to hot_remove, so that is done by a process that is there for nothing else: the keeper. It
 * adds the device, waits until the other end of a socket is closed, as the end of our caller does
 * however it comes, and removes the device as soon as nobody has it open. It has a session of its
 * own and blocks all signals, so that what ends our caller leaves it alone. What ends the keeper as
 * well cannot be helped: kill -9 of itself, as of a whole cgroup, container or PID namespace. Then
 * the device stays, with its memory and without a mark that it was ours.
 *
 * The interface is that of Documentation/admin-guide/blockdev/zram.rst in the kernel. hot_remove
 * resets the device itself, and is -EBUSY while somebody has it open or mounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/disk_inside.h"
#include "platform/syscall.h"
#include "platform/sysfile.h"
#include "platform/task.h"

#define ZRAM_CONTROL	"/sys/class/zram-control"
#define ZRAM_GONE_MS	5000		/* how long a close waits for the removal */

struct zram_message {			/* from the keeper, once */
	int err;
	char why[FS_DISK_WHY_MAX];
	char source[sizeof(((struct fs_disk *)0)->source)];
};

static int zram_write(int fd, uint64_t number)
{
	char text[24];
	const int n = snprintf(text, sizeof(text), "%" PRIu64, number);

	return write(fd, text, (size_t)n) == n ? 0 : -errno;
}

/* Opened first: where sysfs is read-only, reading hot_add would add a device all the same. */
static int zram_control(char why[FS_DISK_WHY_MAX])
{
	const int fd = open(ZRAM_CONTROL "/hot_remove", O_WRONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return fs_disk_fail(why, -ENODEV, "no zram here: there is no " ZRAM_CONTROL
				    " (modprobe zram, or a kernel with CONFIG_ZRAM)");
	if (fd < 0)
		return fs_disk_fail(why, -errno, "zram needs root and a writable /sys: "
				    ZRAM_CONTROL "/hot_remove: %s", strerror(errno));
	return fd;
}

/* -EBUSY: another program has looked for a free device, and has this one now. */
static int zram_size(uint64_t number, uint64_t bytes)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/sys/block/zram%" PRIu64 "/disksize", number);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = zram_write(fd, bytes);
	close(fd);
	return err;
}

/* Held open, it is nobody's to remove; it goes as soon as it is let go, however late that is. */
static void zram_remove(int control, uint64_t number)
{
	uint64_t wait_ns = FS_NSEC_PER_MSEC;

	while (zram_write(control, number) == -EBUSY) {
		fs_sleep_until(fs_now_ns() + wait_ns);
		if (wait_ns < FS_NSEC_PER_SEC)
			wait_ns *= 2;
	}
}

/* A device of the spec's size; its number, or -errno with nothing left. */
static int64_t zram_add(const struct fs_disk_spec *spec, int control, struct zram_message *m)
{
	char text[24];
	uint64_t number;
	long err;

	err = fs_sysfile_read(ZRAM_CONTROL "/hot_add", text, sizeof(text));
	if (err < 0)
		return fs_disk_fail(m->why, (int)err, "cannot add a zram device: %s",
				    strerror((int)-err));
	number = strtoull(text, NULL, 10);
	snprintf(m->source, sizeof(m->source), "/dev/zram%" PRIu64, number);
	err = zram_size(number, spec->bytes);
	if (err == -EBUSY)
		return fs_disk_fail(m->why, -EBUSY, "another program has taken %s", m->source);
	if (err)
		fs_disk_fail(m->why, 0, "cannot give %s its size: %s", m->source,
			     strerror((int)-err));
	else if (access(m->source, F_OK))
		err = fs_disk_fail(m->why, -errno, "there is no %s: /dev is no devtmpfs",
				   m->source);
	if (!err)
		return (int64_t)number;
	zram_remove(control, number);
	return err;
}

static int64_t zram_make(const struct fs_disk_spec *spec, int *control, struct zram_message *m)
{
	int err;

	*control = zram_control(m->why);
	err = *control < 0 ? *control : fs_disk_memory(spec, m->why);
	return err ? err : zram_add(spec, *control, m);
}

/* Of the caller nothing is held: neither a pipe whose reader waits for its end, nor a mount. */
static void zram_let_go(int sock)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	if (chdir("/") || dup2(sock, STDIN_FILENO) < 0)
		_exit(1);
	fs_sys_close_range(STDIN_FILENO + 1, ~0u);
	fs_task_name("fsstress:zram");
}

static _Noreturn void zram_keeper(const struct fs_disk_spec *spec, int sock)
{
	struct zram_message m = { .err = 0 };
	int64_t number;
	int control;
	char byte;

	zram_let_go(sock);
	number = zram_make(spec, &control, &m);
	m.err = number < 0 ? (int)number : 0;
	send(STDIN_FILENO, &m, sizeof(m), MSG_NOSIGNAL);
	if (!m.err) {
		while (recv(STDIN_FILENO, &byte, 1, 0) > 0)
			;
		zram_remove(control, (uint64_t)number);
	}
	_exit(0);
}

int fs_disk_zram(const struct fs_disk_spec *spec, struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	int sock[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
		return fs_disk_fail(why, -errno, "socketpair: %s", strerror(errno));
	disk->keeper = fork();
	if (!disk->keeper) {
		close(sock[0]);
		zram_keeper(spec, sock[1]);
	}
	close(sock[1]);
	disk->keeper_fd = sock[0];
	return disk->keeper < 0 ? fs_disk_fail(why, -errno, "fork: %s", strerror(errno)) : 0;
}

int fs_disk_zram_take(struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	struct zram_message m;

	if (recv(disk->keeper_fd, &m, sizeof(m), 0) != (ssize_t)sizeof(m))
		return fs_disk_fail(why, -EPIPE, "the process that adds the zram device died");
	strcpy(why, m.why);
	strcpy(disk->source, m.source);
	return m.err;
}

void fs_disk_zram_end(struct fs_disk *disk)
{
	struct pollfd p = { .fd = disk->keeper_fd, .events = POLLIN };
	char rest[sizeof(struct zram_message)];

	/* Also for those who have inherited our end. */
	shutdown(disk->keeper_fd, SHUT_WR);
	while (poll(&p, 1, ZRAM_GONE_MS) > 0 && recv(p.fd, rest, sizeof(rest), 0) > 0)
		;
	if (disk->keeper > 0)
		waitpid(disk->keeper, NULL, p.revents & POLLHUP ? 0 : WNOHANG);
	close(disk->keeper_fd);
	disk->keeper_fd = -1;
}
