// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_mkfs.c - run mkfs.FSTYPE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/disk_inside.h"
#include "platform/task.h"

#define MKFS_ARGS_MAX	64
#define MKFS_NOT_FOUND	127
#define MKFS_REASON_MAX	300

/*
 * Quiet, over whatever is there, and with nothing left to be initialised in the background while we
 * measure. The second form is for a reserved backing file.
 */
static const struct {
	const char *fstype, *package, *args, *args_reserved;
} mkfs_known[] = {
	{ "ext2", "e2fsprogs", "-q -F", "-q -F -E nodiscard" },
	{ "ext3", "e2fsprogs", "-q -F -E lazy_itable_init=0,lazy_journal_init=0",
	  "-q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard" },
	{ "ext4", "e2fsprogs", "-q -F -E lazy_itable_init=0,lazy_journal_init=0",
	  "-q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard" },
	{ "xfs", "xfsprogs", "-q -f", "-q -f -K" },
	{ "btrfs", "btrfs-progs", "-q -f", "-q -f -K" },
	{ "f2fs", "f2fs-tools", "-q -f", "-q -f -t 0" },
	{ "bcachefs", "bcachefs-tools", "-q -f", "-q -f" },
	{ "nilfs2", "nilfs-tools", "-q -f", "-q -f -K" },
	{ "exfat", "exfatprogs", "-q", "-q" },
	{ "vfat", "dosfstools", "", "" },
};

/* Words are parted by blanks; there is no quoting. */
static int mkfs_split(char *words, char *argv[], int n)
{
	char *save, *word;

	for (word = strtok_r(words, " \t", &save); word && n < MKFS_ARGS_MAX - 2;
	     word = strtok_r(NULL, " \t", &save))
		argv[n++] = word;
	return word ? -E2BIG : n;
}

static _Noreturn void mkfs_exec(char *argv[], int out, pid_t parent)
{
	const int null = open("/dev/null", O_RDWR);
	const char *given = getenv("PATH");
	char path[4096];

	/* Not with us: a mkfs would hold the loop device. */
	if (fs_task_die_with(parent) < 0)
		_exit(MKFS_NOT_FOUND - 1);
	/* The system's programs are not on every user's path. */
	snprintf(path, sizeof(path), "%.4000s:/usr/sbin:/sbin", given ? given : "/usr/bin:/bin");
	setenv("PATH", path, 1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? MKFS_NOT_FOUND : MKFS_NOT_FOUND - 1);
}

/* Exit status, or 128 + signal, or -errno; what it had to say, as far as it fits, is in said. */
static int mkfs_run(char *argv[], char *said, size_t size)
{
	const pid_t self = getpid();
	size_t used = 0;
	int out[2], status;
	char more[512];
	ssize_t n;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		mkfs_exec(argv, out[1], self);
	close(out[1]);
	/* To the end, also when there is no room for it: a full pipe would hold it up. */
	while ((n = read(out[0], more, sizeof(more))) > 0) {
		const size_t fits = (size_t)n < size - 1 - used ? (size_t)n : size - 1 - used;

		memcpy(said + used, more, fits);
		used += fits;
	}
	said[used] = '\0';
	close(out[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The first line with text: what follows is often a page of usage. */
static int mkfs_failed(const char *program, int status, const char *said, char why[FS_DISK_WHY_MAX])
{
	const char *text = said + strspn(said, " \t\n");
	const size_t line = strcspn(text, "\n");
	const int fits = line < MKFS_REASON_MAX ? (int)line : MKFS_REASON_MAX;
	const bool cut = text[(size_t)fits + strspn(text + fits, " \t\n")];

	if (!fits)
		return fs_disk_fail(why, -EIO, "%s failed (%d) and does not say why", program,
				    status);
	return fs_disk_fail(why, -EIO, "%s failed (%d): %.*s%s", program, status, fits, text,
			    cut ? " ..." : "");
}

int fs_disk_mkfs(const struct fs_disk *disk, const char *opts, bool reserved,
		 char why[FS_DISK_WHY_MAX])
{
	char program[32], ours[128] = "", theirs[4096], said[1024], device[sizeof(disk->source)];
	const char *package = "that has it";
	char *argv[MKFS_ARGS_MAX] = { program };
	int n, status;

	for (size_t i = 0; i < FS_ARRAY_SIZE(mkfs_known); i++) {
		if (strcmp(mkfs_known[i].fstype, disk->fstype))
			continue;
		package = mkfs_known[i].package;
		strcpy(ours, reserved ? mkfs_known[i].args_reserved : mkfs_known[i].args);
	}
	snprintf(program, sizeof(program), "mkfs.%s", disk->fstype);
	if (snprintf(theirs, sizeof(theirs), "%s", opts ? opts : "") >= (int)sizeof(theirs))
		return fs_disk_fail(why, -E2BIG, "the options for %s are longer than %zu bytes",
				    program, sizeof(theirs) - 1);
	strcpy(device, disk->source);
	n = mkfs_split(ours, argv, 1);
	n = mkfs_split(theirs, argv, n);
	if (n < 0)
		return fs_disk_fail(why, n, "more than %d options for %s", MKFS_ARGS_MAX, program);
	argv[n] = device;
	status = mkfs_run(argv, said, sizeof(said));
	if (status == MKFS_NOT_FOUND)
		return fs_disk_fail(why, -ENOENT, "%s is not installed: install the package %s",
				    program, package);
	if (status < 0)
		return fs_disk_fail(why, status, "cannot run %s: %s", program, strerror(-status));
	return status ? mkfs_failed(program, status, said, why) : 0;
}
