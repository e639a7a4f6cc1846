// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t limits_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t limits_rlimit(rlim_t value)
{
	return value == RLIM_INFINITY ? FS_UNLIMITED : (uint64_t)value;
}

/* The number in a file; FS_UNLIMITED for "max" and for what cannot be read. */
static uint64_t limits_file(const char *path)
{
	FILE *f = fopen(path, "re");
	uint64_t value = FS_UNLIMITED;

	if (!f)
		return value;
	if (fscanf(f, "%" SCNu64, &value) != 1)
		value = FS_UNLIMITED;
	fclose(f);
	return value;
}

/* What is left below pids.max of our cgroup, where it is mounted: the v1 pids controller or v2. */
static uint64_t limits_cgroup(const char *line)
{
	const char *path = strrchr(line, ':');
	const char *root = strncmp(line, "0::", 3) == 0 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";
	char max[4400], now[4400];
	uint64_t most;

	if (!path)
		return FS_UNLIMITED;
	snprintf(max, sizeof(max), "%s%s/pids.max", root, path + 1);
	snprintf(now, sizeof(now), "%s%s/pids.current", root, path + 1);
	most = limits_file(max);
	return most == FS_UNLIMITED ? most : most - limits_least(most, limits_file(now));
}

static uint64_t limits_cgroups(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	uint64_t least = FS_UNLIMITED;
	char line[4200];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0 || strstr(line, ":pids:"))
			least = limits_least(least, limits_cgroup(line));
	}
	if (f)
		fclose(f);
	return least;
}

static uint64_t limits_aio(void)
{
	const uint64_t max = limits_file("/proc/sys/fs/aio-max-nr");
	const uint64_t used = limits_file("/proc/sys/fs/aio-nr");

	if (max == FS_UNLIMITED || used == FS_UNLIMITED)
		return FS_UNLIMITED;
	return max - limits_least(max, used);
}

void fs_limits_read(struct fs_limits *l)
{
	struct rlimit limit;

	*l = (struct fs_limits){
		FS_UNLIMITED, FS_UNLIMITED, FS_UNLIMITED, FS_UNLIMITED, limits_aio()
	};
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		l->descriptors_soft = limits_rlimit(limit.rlim_cur);
		l->descriptors_hard = limits_rlimit(limit.rlim_max);
	}
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0)
		l->file_bytes = limits_rlimit(limit.rlim_cur);
	l->tasks = limits_least(limits_file("/proc/sys/kernel/threads-max"), limits_cgroups());
	if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0)
		l->tasks = limits_least(l->tasks, limits_rlimit(limit.rlim_cur));
}
