// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/settle.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"

#define SETTLE_QUICK_NS (20 * FS_NSEC_PER_MSEC)

/*
 * Freezing writes back what syncfs leaves in the log. A frozen superblock outlives its mount, its
 * namespace and its maker, so nothing may come between the two calls: they are made by a child in a
 * session of its own, which neither a signal to our group nor our death reaches.
 */
static void settle_freeze(int fd)
{
	const pid_t pid = fork();

	if (!pid) {
		setsid();
		if (!ioctl(fd, FIFREEZE, 0))
			ioctl(fd, FITHAW, 0);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int fs_settle(int fd, uint64_t limit_ns, bool freeze, bool *settled)
{
	const uint64_t start = fs_now_ns();
	uint64_t before, now = start;

	*settled = false;
	do {
		before = now;
		if (syncfs(fd))
			return -errno;
		now = fs_now_ns();
		*settled = now - before < SETTLE_QUICK_NS;
	} while (!*settled && now - start < limit_ns);
	if (freeze)
		settle_freeze(fd);
	return 0;
}
