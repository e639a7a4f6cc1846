// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/clean.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/message.h"
#include "core/report.h"
#include "core/workspace.h"

struct cleaning {
	int target_fd;
	bool failed;
};

static int clean_one(const struct leftover *l, void *arg)
{
	struct cleaning *c = arg;
	char name[4 * NAME_MAX + 1], what[NAME_MAX + 1];
	int err;

	fs_printable(l->name, name, sizeof(name));
	if (!l->host_ours) {
		printf("left %s: made on host %s, "
		       "only there can be seen whether its run has ended\n", name, l->host);
		return 0;
	}
	if (!l->lock_free) {
		printf("left %s: in use by a run that has not ended (pid %u)\n", name, l->pid);
		return 0;
	}
	err = fs_workspace_sweep(c->target_fd, l->name, what);
	if (err) {
		c->failed = true;
		fs_error("cannot remove %s: %s: %s", name, what, strerror(-err));
		return 0;
	}
	printf("removed %s\n", name);
	return 0;
}

int fs_clean(const char *target)
{
	const char *path = target ? target : ".";
	struct cleaning c = { .target_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	int n = c.target_fd < 0 ? -errno : fs_workspace_find(c.target_fd, clean_one, &c);

	if (c.target_fd >= 0)
		close(c.target_fd);
	if (n < 0) {
		fs_error("cannot clean %s: %s", path, strerror(-n));
		return 3;
	}
	if (!n)
		printf("nothing to remove\n");
	fflush(stdout);
	return c.failed;
}
