// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/target.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "platform/compiler.h"
#include "platform/log_size.h"
#include "platform/mountinfo.h"
#include "platform/sysfile.h"

struct target_search {
	struct fs_target *t;
	dev_t dev, root_dev;		/* superblocks of the target and of the last mount on / */
};

static void target_copy(char *to, size_t size, const char *from)
{
	const size_t n = strnlen(from, size - 1);

	memcpy(to, from, n);
	to[n] = '\0';
}

/*
 * As the kernel knows it; what the user gave where that is not to be had (no /proc, longer than
 * PATH_MAX).
 */
static void target_path(int fd, const char *path, struct fs_target *t)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", fd);
	n = readlink(link, t->path, sizeof(t->path) - 1);
	if (n > 0 && t->path[0] == '/')
		t->path[n] = '\0';
	else
		target_copy(t->path, sizeof(t->path), path);
}

/* From fdinfo, which all kernels have that we meet; statx() tells it since 5.8 only. */
static uint64_t target_mount_id(int fd)
{
	char path[64], text[512];
	const char *id;

	snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fd);
	fs_sysfile_read(path, text, sizeof(text));
	id = strstr(text, "mnt_id:");
	return id ? strtoull(id + strlen("mnt_id:"), NULL, 10) : 0;
}

static int target_mount(const struct fs_mountinfo *m, void *arg)
{
	struct target_search *s = arg;
	struct fs_target *t = s->t;

	if (!strcmp(m->point, "/"))
		s->root_dev = m->dev;
	if (m->id == t->mount_id) {
		s->dev = m->dev;
		target_copy(t->mount_point, sizeof(t->mount_point), m->point);
		target_copy(t->fstype, sizeof(t->fstype), m->fstype);
		target_copy(t->source, sizeof(t->source), m->source);
		target_copy(t->mount_options, sizeof(t->mount_options), m->options);
		target_copy(t->super_options, sizeof(t->super_options), m->super_options);
	}
	return 0;
}

/* Of a mount that mountinfo does not list: the one a chroot lies on. ext2 counts as ext4. */
static void target_type_by_magic(struct fs_target *t)
{
	static const struct {
		uint64_t magic;
		const char *fstype;
	} types[] = {
		{ 0xef53, "ext4" }, { 0x58465342, "xfs" }, { 0x9123683e, "btrfs" },
		{ 0x01021994, "tmpfs" }, { 0x794c7630, "overlay" }, { 0xf2f52010, "f2fs" },
		{ 0x6969, "nfs" }, { 0x65735546, "fuse" },
	};

	for (size_t i = 0; !*t->fstype && i < FS_ARRAY_SIZE(types); i++) {
		if (types[i].magic == t->magic)
			target_copy(t->fstype, sizeof(t->fstype), types[i].fstype);
	}
}

/* The device of st_dev; where that is anonymous (btrfs), the one that was mounted. */
static dev_t target_block_device(const struct fs_target *t)
{
	struct stat st;

	if (major(t->dev))
		return t->dev;
	if (t->source[0] == '/' && !stat(t->source, &st) && S_ISBLK(st.st_mode))
		return st.st_rdev;
	return 0;
}

/*
 * A partition has no queue and no name that matters: its facts are those of the disk, its parent in
 * sysfs.
 */
static void target_device(struct fs_target *t)
{
	const dev_t dev = target_block_device(t);
	unsigned maj = major(dev), min = minor(dev);
	char path[128], text[PATH_MAX];
	ssize_t n;

	t->block_dev = dev;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", maj, min);
	if (!access(path, F_OK)) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev", maj, min);
		fs_sysfile_read(path, text, sizeof(text));
		if (sscanf(text, "%u:%u", &maj, &min) != 2)
			return;
	}
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", maj, min);
	n = readlink(path, text, sizeof(text) - 1);
	if (n <= 0)
		return;
	text[n] = '\0';
	t->device_major = maj;
	t->device_minor = min;
	target_copy(t->device, sizeof(t->device),
		    strrchr(text, '/') ? strrchr(text, '/') + 1 : text);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/rotational", maj, min);
	t->rotational = fs_sysfile_int(path, -1);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/write_cache", maj, min);
	if (fs_sysfile_read(path, text, sizeof(text)) > 0)
		t->write_cache = !strcmp(text, "write back");
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/scheduler", maj, min);
	fs_sysfile_choice(path, t->scheduler, sizeof(t->scheduler));
}

int fs_target_read(int fd, const char *path, struct fs_target *t)
{
	struct target_search search = { .t = t };
	struct statfs fs;
	struct stat st, root;

	memset(t, 0, sizeof(*t));
	t->rotational = t->write_cache = -1;
	target_path(fd, path, t);
	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return -errno;
	t->dev = st.st_dev;
	t->magic = (uint64_t)fs.f_type & UINT32_MAX;
	t->block_size = (uint64_t)(fs.f_frsize ? fs.f_frsize : fs.f_bsize);
	t->size_bytes = fs.f_blocks * t->block_size;
	t->free_bytes = fs.f_bavail * t->block_size;
	t->inodes = fs.f_files;
	t->free_inodes = fs.f_ffree;
	t->mount_id = target_mount_id(fd);
	fs_mountinfo_each(target_mount, &search);
	target_type_by_magic(t);
	t->in_memory = t->magic == TMPFS_MAGIC || t->magic == RAMFS_MAGIC;
	t->on_root = (!stat("/", &root) && root.st_dev == st.st_dev) ||
		     (search.dev && search.dev == search.root_dev);
	t->initramfs = t->on_root && (!strcmp(t->fstype, "rootfs") || !strcmp(t->fstype, "ramfs"));
	target_device(t);
	t->log_bytes = fs_log_size(fd, t);
	return 0;
}

int fs_device_stat(uint32_t major, uint32_t minor, uint64_t stat[17], unsigned *n)
{
	char path[64], text[512], *at = text, *end;

	*n = 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/iostats", major, minor);
	if (fs_sysfile_int(path, 1) == 0)
		return -ENOENT;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major, minor);
	if (fs_sysfile_read(path, text, sizeof(text)) <= 0)
		return -ENOENT;
	while (*n < 17) {
		stat[*n] = strtoull(at, &end, 10);
		if (end == at)
			break;
		at = end;
		(*n)++;
	}
	return 0;
}
