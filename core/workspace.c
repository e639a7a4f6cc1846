// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/workspace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/remove.h"
#include "platform/sysfile.h"

#define WORKSPACE_MARKER_MAX	512
#define WORKSPACE_TRIES		16
#define WORKSPACE_BOOT_DIGITS	8	/* of the boot id, in the name */
#define WORKSPACE_DIR_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Who made a workspace. A pid is only one together with its boot, pid namespace and start time. */
struct maker {
	char host[72], boot_id[40];
	unsigned pid;
	unsigned long long start_ticks, pid_ns;
};

/*
 * Field 22 of /proc/PID/stat; 0: there is no such task, or it is dead and waits for its parent. The
 * name before it may hold blanks and brackets.
 */
static unsigned long long workspace_start_ticks(unsigned pid)
{
	unsigned long long ticks = 0;
	char path[64], text[1024], state = 'Z';
	const char *end;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fs_sysfile_read(path, text, sizeof(text));
	end = strrchr(text, ')');
	if (end)
		sscanf(end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u"
		       " %*d %*d %*d %*d %*d %*d %llu", &state, &ticks);
	return strchr("ZXx", state) ? 0 : ticks;
}

/* Names of hosts become parts of file names and of one-word fields. */
static void workspace_host(char host[72])
{
	struct utsname u = { .nodename = "" };

	uname(&u);
	snprintf(host, 72, "%s", u.nodename[0] ? u.nodename : "unknown");
	for (char *c = host; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
			*c = '_';
}

static void workspace_maker(unsigned pid, struct maker *m)
{
	struct stat st;

	memset(m, 0, sizeof(*m));
	workspace_host(m->host);
	if (fs_sysfile_read("/proc/sys/kernel/random/boot_id", m->boot_id, sizeof(m->boot_id)) <= 0)
		strcpy(m->boot_id, "unknown");
	m->pid = pid;
	m->start_ticks = workspace_start_ticks(pid);
	m->pid_ns = stat("/proc/self/ns/pid", &st) ? 0 : (unsigned long long)st.st_ino;
}

static void workspace_name(const struct maker *m, uint32_t random, char name[NAME_MAX + 1])
{
	const size_t label = strcspn(m->host, ".");

	snprintf(name, NAME_MAX + 1, FS_WORKSPACE_PREFIX "%.*s.%.8s.%u.%08x",
		 label > 32 ? 32 : (int)label, m->host, m->boot_id, m->pid, random);
}

static uint32_t workspace_random(void)
{
	uint32_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
		random = (uint32_t)getpid();
	return random;
}

/*
 * Whether this host has given that name, on this boot or another one: into made its pid and the
 * beginning of the boot id.
 */
static bool workspace_parse_name(const char *name, const struct maker *me, struct maker *made)
{
	const char *boot = strchr(name + strlen(FS_WORKSPACE_PREFIX), '.');
	char again[NAME_MAX + 1];
	unsigned random;

	*made = *me;
	if (!boot || sscanf(boot, ".%8[0-9a-f].%u.%8x", made->boot_id, &made->pid, &random) != 3)
		return false;
	workspace_name(made, random, again);
	return strlen(made->boot_id) == WORKSPACE_BOOT_DIGITS && made->pid && !strcmp(name, again);
}

static struct flock workspace_whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

/*
 * The lock comes before the text: a marker that can be read is locked while its maker lives. A
 * filesystem without locks (NFS without lockd) leaves the maker's pid to tell.
 */
static int workspace_mark(struct workspace *ws, const struct maker *m)
{
	struct flock lock = workspace_whole_file();
	char text[WORKSPACE_MARKER_MAX];
	ssize_t written;
	int n;

	ws->marker_fd = openat(ws->dir_fd, FS_MARKER_NAME,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ws->marker_fd < 0)
		return -errno;
	fcntl(ws->marker_fd, F_OFD_SETLK, &lock);
	n = snprintf(text, sizeof(text),
		     "fsstress 1\nhost %s\nboot %s\npid %u\nstart %llu\npidns %llu\n",
		     m->host, m->boot_id, m->pid, m->start_ticks, m->pid_ns);
	written = write(ws->marker_fd, text, (size_t)n);
	if (written < 0)
		return -errno;
	return written == n ? 0 : -ENOSPC;
}

/* false: there is no marker, or it is not one of ours. */
static bool workspace_read_marker(int fd, struct maker *m)
{
	char text[WORKSPACE_MARKER_MAX];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	n = pread(fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "fsstress 1\nhost %71s\nboot %39s\npid %u\nstart %llu\npidns %llu\n",
		      m->host, m->boot_id, &m->pid, &m->start_ticks, &m->pid_ns) == 5;
}

static void workspace_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int fs_workspace_create(int target_fd, unsigned pid, struct workspace *ws)
{
	struct maker m;
	int err = -EEXIST;

	*ws = (struct workspace){ .target_fd = -1, .dir_fd = -1, .marker_fd = -1 };
	workspace_maker(pid, &m);
	for (int i = 0; err == -EEXIST && i < WORKSPACE_TRIES; i++) {
		workspace_name(&m, workspace_random(), ws->name);
		err = mkdirat(target_fd, ws->name, 0700) ? -errno : 0;
	}
	if (err)
		return err;
	ws->dir_fd = openat(target_fd, ws->name, WORKSPACE_DIR_FLAGS);
	/* A umask or a default ACL may have taken from the mode. */
	if (ws->dir_fd < 0 || fchmod(ws->dir_fd, 0700))
		err = -errno;
	if (!err)
		err = workspace_mark(ws, &m);
	if (!err && (ws->target_fd = fcntl(target_fd, F_DUPFD_CLOEXEC, 0)) < 0)
		err = -errno;
	if (err) {
		if (ws->marker_fd >= 0)
			unlinkat(ws->dir_fd, FS_MARKER_NAME, 0);
		unlinkat(target_fd, ws->name, AT_REMOVEDIR);
		fs_workspace_release(ws);
	}
	return err;
}

int fs_workspace_lost(const struct workspace *ws)
{
	struct stat st;

	if (fstat(ws->dir_fd, &st))
		return -errno;
	return st.st_nlink ? 0 : -ENOENT;
}

void fs_workspace_release(struct workspace *ws)
{
	workspace_close(&ws->marker_fd);
	workspace_close(&ws->dir_fd);
	workspace_close(&ws->target_fd);
}

/*
 * The marker goes last, so that `clean` still knows what an interrupted removal leaves; it is
 * closed before, because NFS keeps an open file in its directory under another name.
 */
int fs_workspace_remove(struct workspace *ws, char what[NAME_MAX + 1])
{
	int err = fs_workspace_lost(ws);

	what[0] = '\0';
	if (err == -ENOENT) {
		err = 0;
	} else if (err) {
		strcpy(what, ws->name);
	} else {
		err = fs_remove_contents(ws->dir_fd, FS_MARKER_NAME, what);
		workspace_close(&ws->marker_fd);
		if (!err)
			err = fs_remove_contents(ws->dir_fd, NULL, what);
		if (!err)
			err = fs_remove_directory(ws->target_fd, ws->name);
		if (err && !what[0])
			strcpy(what, ws->name);
	}
	fs_workspace_release(ws);
	return err;
}

int fs_workspace_sweep(int target_fd, const char *name, char what[NAME_MAX + 1])
{
	struct workspace ws = { .target_fd = -1, .marker_fd = -1 };

	snprintf(ws.name, sizeof(ws.name), "%s", name);
	strcpy(what, ws.name);
	ws.dir_fd = openat(target_fd, name, WORKSPACE_DIR_FLAGS);
	if (ws.dir_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	ws.target_fd = fcntl(target_fd, F_DUPFD_CLOEXEC, 0);
	if (ws.target_fd < 0) {
		fs_workspace_release(&ws);
		return -EMFILE;
	}
	return fs_workspace_remove(&ws, what);
}

static bool workspace_locked(int marker_fd)
{
	struct flock lock = workspace_whole_file();

	return !fcntl(marker_fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static bool workspace_maker_gone(const struct maker *made, const struct maker *me)
{
	return strcmp(made->boot_id, me->boot_id) || made->pid_ns != me->pid_ns ||
	       !made->start_ticks || workspace_start_ticks(made->pid) != made->start_ticks;
}

static DIR *workspace_opendir(int dir_fd)
{
	const int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* Private to us, and with nothing in it but, at most, a marker. */
static bool workspace_bare(int dir_fd)
{
	DIR *d = workspace_opendir(dir_fd);
	const struct dirent *e;
	struct stat st;
	bool bare = d && !fstat(dir_fd, &st) && st.st_uid == geteuid() &&
		    (st.st_mode & ACCESSPERMS) == S_IRWXU;

	while (bare && (errno = 0, e = readdir(d)))
		bare = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		       !strcmp(e->d_name, FS_MARKER_NAME);
	bare = bare && !errno;
	if (d)
		closedir(d);
	return bare;
}

/* The marker of a maker that has not come to its end: what there is begins as this host's does. */
static bool workspace_marker_begun(int fd, const struct maker *me)
{
	char begin[128], text[sizeof(begin)];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	snprintf(begin, sizeof(begin), "fsstress 1\nhost %s\nboot ", me->host);
	n = pread(fd, text, strlen(begin), 0);
	return n >= 0 && !memcmp(text, begin, (size_t)n);
}

/*
 * A maker that was killed between mkdir(2) and the last byte of the marker leaves a directory that
 * only its name says to be ours: believed where a user's directory cannot be meant.
 */
static bool workspace_begun(int dir_fd, int marker_fd, const char *name, const struct maker *me,
			    struct leftover *l)
{
	struct maker made;

	if (!workspace_parse_name(name, me, &made) || !workspace_bare(dir_fd) ||
	    (marker_fd >= 0 && !workspace_marker_begun(marker_fd, me)))
		return false;
	strcpy(l->host, me->host);
	l->host_ours = true;
	l->pid = made.pid;
	/* Who cannot see himself in /proc cannot see who is gone. */
	l->maker_gone = me->start_ticks &&
			(strncmp(made.boot_id, me->boot_id, WORKSPACE_BOOT_DIGITS) ||
			 !workspace_start_ticks(made.pid));
	l->lock_free = l->maker_gone && (marker_fd < 0 || !workspace_locked(marker_fd));
	return true;
}

static bool workspace_marked(int marker_fd, const struct maker *me, struct leftover *l)
{
	struct maker made;

	if (!workspace_read_marker(marker_fd, &made))
		return false;
	strcpy(l->host, made.host);
	l->host_ours = !strcmp(made.host, me->host);
	l->pid = made.pid;
	l->maker_gone = workspace_maker_gone(&made, me);
	l->lock_free = l->maker_gone && !workspace_locked(marker_fd);
	return true;
}

/* Whether `name` is a workspace, described in *l. */
static bool workspace_inspect(int target_fd, const char *name, const struct maker *me,
			      struct leftover *l)
{
	bool known, ours;
	int dir_fd, fd;

	if (strncmp(name, FS_WORKSPACE_PREFIX, strlen(FS_WORKSPACE_PREFIX)))
		return false;
	dir_fd = openat(target_fd, name, WORKSPACE_DIR_FLAGS);
	if (dir_fd < 0)
		return false;
	fd = openat(dir_fd, FS_MARKER_NAME,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	known = fd >= 0 || errno == ENOENT;
	ours = (fd >= 0 && workspace_marked(fd, me, l)) ||
	       (known && workspace_begun(dir_fd, fd, name, me, l));
	snprintf(l->name, sizeof(l->name), "%s", name);
	workspace_close(&fd);
	close(dir_fd);
	return ours;
}

int fs_workspace_find(int target_fd, int (*found)(const struct leftover *l, void *arg), void *arg)
{
	DIR *d = workspace_opendir(target_fd);
	const struct dirent *e;
	struct leftover l;
	struct maker me;
	int n = 0;

	if (!d)
		return -errno;
	workspace_maker((unsigned)getpid(), &me);
	while ((e = readdir(d))) {
		if (!workspace_inspect(target_fd, e->d_name, &me, &l))
			continue;
		n++;
		if (found && found(&l, arg) < 0)
			break;
	}
	closedir(d);
	return n;
}
