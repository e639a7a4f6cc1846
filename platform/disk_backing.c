// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_backing.c - what a disk is made of: a nameless file behind a loop device, or a device that
 * nobody uses
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "platform/disk_inside.h"
#include "platform/mountinfo.h"
#include "platform/sysfile.h"

#define DISK_LOOP_TRIES	64
#define DISK_MIB	((uint64_t)1024 * 1024)

int fs_disk_fail(char why[FS_DISK_WHY_MAX], int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, FS_DISK_WHY_MAX, fmt, args);
	va_end(args);
	return err;
}

/* Filling the place that holds the backing to the brim would hurt others, and then us by EIO. */
static int disk_room(const struct fs_disk_spec *spec, uint64_t available, const char *where,
		     char why[FS_DISK_WHY_MAX])
{
	char shown[FS_SHOWN_MAX];

	if (spec->bytes <= available / 10 * 9)
		return 0;
	return fs_disk_fail(why, -ENOSPC, "a disk of %" PRIu64 " MiB does not fit into "
			    "90 %% of the %" PRIu64 " MiB free in %s", spec->bytes / DISK_MIB,
			    available / DISK_MIB, fs_shown(where, shown));
}

int fs_disk_memory(const struct fs_disk_spec *spec, char why[FS_DISK_WHY_MAX])
{
	char text[4096];
	const char *at;

	fs_sysfile_read("/proc/meminfo", text, sizeof(text));
	at = strstr(text, "MemAvailable:");
	if (!at)
		return 0;
	return disk_room(spec, strtoull(at + strlen("MemAvailable:"), NULL, 10) * 1024, "memory",
			 why);
}

/* Not every filesystem has O_TMPFILE: a name that lives for a moment does as well. */
static int disk_nameless(const char *dir)
{
	char path[PATH_MAX + 32];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	snprintf(path, sizeof(path), "%s/.fsstress-disk.XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int fs_disk_backing(const struct fs_disk_spec *spec, char why[FS_DISK_WHY_MAX])
{
	const char *tmp = getenv("TMPDIR");
	const char *dir = spec->dir[0] ? spec->dir : tmp && *tmp ? tmp : "/var/tmp";
	char shown[FS_SHOWN_MAX];
	struct statvfs fs;
	int fd, err = 0;

	if (spec->kind == FS_DISK_MEM) {
		dir = "memory";
		fd = memfd_create("fsstress-disk", MFD_CLOEXEC);
	} else {
		fd = disk_nameless(dir);
	}
	if (fd < 0)
		return fs_disk_fail(why, -errno, "cannot make a backing file in %s: %s",
				    fs_shown(dir, shown), strerror(errno));
	if (spec->kind == FS_DISK_MEM)
		err = fs_disk_memory(spec, why);
	else if (!fstatvfs(fd, &fs))
		err = disk_room(spec, (uint64_t)fs.f_bavail * fs.f_frsize, dir, why);
	if (!err && fallocate(fd, 0, 0, (off_t)spec->bytes) &&
	    (errno != EOPNOTSUPP || ftruncate(fd, (off_t)spec->bytes)))
		err = fs_disk_fail(why, -errno, "cannot reserve %" PRIu64 " MiB in %s: %s",
				   spec->bytes / DISK_MIB, fs_shown(dir, shown),
				   strerror(errno));
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* One try: -EBUSY when another process took the device between the two calls. */
static int disk_loop_once(int control, int backing, struct fs_disk *disk)
{
	struct loop_config config = {
		.fd = (uint32_t)backing, .info.lo_flags = LO_FLAGS_AUTOCLEAR
	};
	const int n = ioctl(control, LOOP_CTL_GET_FREE);
	int fd, err = 0;

	if (n < 0)
		return -errno;
	snprintf(disk->source, sizeof(disk->source), "/dev/loop%d", n);
	fd = open(disk->source, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!ioctl(fd, LOOP_CONFIGURE, &config))
		disk->dev_fd = open(disk->source, O_RDONLY | O_CLOEXEC);
	if (disk->dev_fd < 0)
		err = -errno;
	close(fd);
	return err;
}

int fs_disk_loop(int backing, struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int err = -EBUSY;

	if (control < 0)
		return fs_disk_fail(why, -errno, "no loop devices here: /dev/loop-control: %s",
				    strerror(errno));
	for (int i = 0; i < DISK_LOOP_TRIES && (err == -EBUSY || err == -ENXIO); i++)
		err = disk_loop_once(control, backing, disk);
	close(control);
	if (err == -EINVAL || err == -ENOTTY)
		return fs_disk_fail(why, err, "cannot set up a loop device "
				    "(Linux 5.8 or newer is needed): %s", strerror(-err));
	if (err)
		return fs_disk_fail(why, err, "cannot set up a loop device: %s", strerror(-err));
	return 0;
}

struct disk_search {
	dev_t dev;
	char point[256];		/* "": not found */
};

static int disk_mounted(const struct fs_mountinfo *m, void *arg)
{
	struct disk_search *s = arg;
	struct stat st;

	/* btrfs mounts under an anonymous device: there the source tells. */
	if (m->dev == s->dev ||
	    (!strncmp(m->source, "/dev/", 5) && !stat(m->source, &st) &&
	     S_ISBLK(st.st_mode) && st.st_rdev == s->dev))
		snprintf(s->point, sizeof(s->point), "%.255s", m->point);
	return s->point[0] != '\0';
}

static bool disk_held(dev_t dev, char holder[256])
{
	const struct dirent *e;
	char path[64];
	DIR *d;

	holder[0] = '\0';
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(dev), minor(dev));
	d = opendir(path);
	while (d && !holder[0] && (e = readdir(d)))
		if (e->d_name[0] != '.')
			snprintf(holder, 256, "%s", e->d_name);
	if (d)
		closedir(d);
	return holder[0] != '\0';
}

/*
 * The exclusive open finds all uses, also swap, partitions and other namespaces' mounts; the other
 * tests can name them.
 */
int fs_disk_device_free(const char *device, char why[FS_DISK_WHY_MAX])
{
	struct disk_search search = { 0 };
	char holder[256];
	struct stat st;
	int fd;

	if (stat(device, &st))
		return fs_disk_fail(why, -errno, "%s: %s", device, strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return fs_disk_fail(why, -ENOTBLK, "%s is not a block device", device);
	search.dev = st.st_rdev;
	if (fs_mountinfo_each(disk_mounted, &search) > 0)
		return fs_disk_fail(why, -EBUSY, "%s is mounted on %s", device, search.point);
	if (disk_held(st.st_rdev, holder))
		return fs_disk_fail(why, -EBUSY, "%s is held by %s", device, holder);
	fd = open(device, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		return fs_disk_fail(why, -EBUSY,
				    "%s is in use (mounted elsewhere, swap, or a part of it)",
				    device);
	if (fd < 0)
		return fs_disk_fail(why, -errno, "cannot open %s: %s", device, strerror(errno));
	close(fd);
	return 0;
}
