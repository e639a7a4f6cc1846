// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/pressure.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/compiler.h"
#include "platform/sysfile.h"

#define PRESSURE_TEXT_MAX 1024		/* what is looked for comes first */

/* --- which files ------------------------------------------------------------------------------ */

static int pressure_open(const char *root, const char *path)
{
	char at[PATH_MAX];

	snprintf(at, sizeof(at), "%s%s", root, path);
	return open(at, O_RDONLY | O_CLOEXEC);
}

static bool pressure_is_named(const char *root, const char *pid, const char *name)
{
	char at[PATH_MAX], text[32];

	snprintf(at, sizeof(at), "%s/proc/%.32s/comm", root, pid);
	return fs_sysfile_read(at, text, sizeof(text)) > 0 && !strcmp(text, name);
}

/* Into pid, or "" where there is none. */
static void pressure_find_thread(const char *root, const char *name, char pid[32])
{
	char at[PATH_MAX];
	const struct dirent *e;
	DIR *proc;

	pid[0] = '\0';
	snprintf(at, sizeof(at), "%s/proc", root);
	proc = opendir(at);
	while (proc && !pid[0] && (e = readdir(proc))) {
		if (!strchr("0123456789", e->d_name[0]) ||
		    !pressure_is_named(root, e->d_name, name))
			continue;
		snprintf(pid, 32, "%.31s", e->d_name);
	}
	if (proc)
		closedir(proc);
}

static void pressure_open_lazyinit(const char *root, const struct fs_target *t,
				   struct fs_pressure_files *f)
{
	char pid[32], path[64];

	f->lazyinit_known = !strcmp(t->fstype, "ext4") && pressure_is_named(root, "2", "kthreadd");
	if (!f->lazyinit_known)
		return;
	pressure_find_thread(root, "ext4lazyinit", pid);
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (pid[0])
		f->fd[FS_PRESSURE_LAZYINIT] = pressure_open(root, path);
}

void fs_pressure_open(const char *root, const struct fs_target *t, struct fs_pressure_files *f)
{
	static const char *const paths[] = {
		[FS_PRESSURE_STAT] = "/proc/stat",
		[FS_PRESSURE_MEMINFO] = "/proc/meminfo",
		[FS_PRESSURE_CPU] = "/proc/pressure/cpu",
		[FS_PRESSURE_IO] = "/proc/pressure/io",
		[FS_PRESSURE_MEMORY] = "/proc/pressure/memory",
	};
	char path[64];

	f->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	f->lazyinit_known = false;
	for (unsigned i = 0; i < FS_PRESSURE_FILES; i++)
		f->fd[i] = i < FS_ARRAY_SIZE(paths) ? pressure_open(root, paths[i]) : -1;
	if (!t)
		return;
	pressure_open_lazyinit(root, t, f);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/md/sync_action", t->device_major,
		 t->device_minor);
	f->fd[FS_PRESSURE_MD] = pressure_open(root, path);
}

void fs_pressure_close(struct fs_pressure_files *f)
{
	for (unsigned i = 0; i < FS_PRESSURE_FILES; i++) {
		if (f->fd[i] >= 0)
			close(f->fd[i]);
	}
}

/* --- reading them ----------------------------------------------------------------------------- */

/* "" also for a thread that has ended: -ESRCH. */
static const char *pressure_text(const struct fs_pressure_files *f, enum fs_pressure_file file,
				 char text[PRESSURE_TEXT_MAX])
{
	const ssize_t n =
		f->fd[file] < 0 ? 0 : pread(f->fd[file], text, PRESSURE_TEXT_MAX - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/*
 * "cpu user nice system idle iowait irq softirq steal guest ...", in ticks. Stolen time is somebody
 * else's work, guest time is in user already.
 */
static void pressure_stat(const char *text, struct fs_pressure *p)
{
	const uint64_t tick_ns = FS_NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
	const int n = sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice,
			     &system, &idle, &iowait, &irq, &softirq, &steal);

	if (n >= 7)
		p->busy_ns = (user + nice + system + irq + softirq) * tick_ns;
	if (n == 8)
		p->steal_ns = steal * tick_ns;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=US\nfull ...": the total of one of them. */
static uint64_t pressure_total(const char *text, const char *kind)
{
	const char *line = strstr(text, kind), *total = line ? strstr(line, "total=") : NULL;
	unsigned long long us;

	return total && sscanf(total, "total=%llu", &us) == 1 ? us : UINT64_MAX;
}

void fs_pressure_read(const struct fs_pressure_files *f, struct fs_pressure *p)
{
	char text[PRESSURE_TEXT_MAX];

	p->busy_ns = p->steal_ns = UINT64_MAX;
	pressure_stat(pressure_text(f, FS_PRESSURE_STAT, text), p);
	p->cpu_some_us = pressure_total(pressure_text(f, FS_PRESSURE_CPU, text), "some");
	p->io_some_us = pressure_total(pressure_text(f, FS_PRESSURE_IO, text), "some");
	p->io_full_us = pressure_total(text, "full");
	p->memory_some_us = pressure_total(pressure_text(f, FS_PRESSURE_MEMORY, text), "some");
	p->memory_full_us = pressure_total(text, "full");
	pressure_text(f, FS_PRESSURE_MEMINFO, text);
	p->dirty_bytes = fs_sysfile_meminfo(text, "Dirty");
	p->writeback_bytes = fs_sysfile_meminfo(text, "Writeback");
	p->lazyinit = f->lazyinit_known ? *pressure_text(f, FS_PRESSURE_LAZYINIT, text) != 0 : -1;
	pressure_text(f, FS_PRESSURE_MD, text);
	snprintf(p->sync_action, sizeof(p->sync_action), "%.*s", (int)strcspn(text, "\n"), text);
	p->cpus = f->cpus;
}
