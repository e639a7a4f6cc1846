// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/fs_counters.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "platform/compiler.h"
#include "platform/sysfile.h"

#define MOUNT_SURE 4 /* the rounding may be as much as one part in this of a difference */

struct mount_file {
	uint64_t magic;			/* f_type; that of ext4 is also that of ext2 and ext3 */
	const char *found;		/* pattern; %s is the name of the block device */
	unsigned up;			/* components to take off what was found */
	const char *file;		/* below that */
	bool zero;			/* where it is not there, there is nothing to count */
	struct fs_mount_field fields[6];
};

/*
 * jbd2 (fs/jbd2/commit.c, journal.c): counted when a commit has ended. Logged blocks are buffers,
 * descriptors, revoke records and the commit record, and their average is cut off to an integer:
 * where it shows 9 of 27 transactions there were 243 to 269 blocks. Without a transaction there
 * are no averages.
 * ext4 (fs/ext4/fast_commit.c, sysfs.c): blocks of fast commits, since Linux 5.10, are in the
 * journal too, and not in jbd2's count. session_write_kbytes is what its disk or partition wrote.
 * XFS (fs/xfs/xfs_stats.h, xfs_log.c): per mount, 32 bits wide; log blocks are of 512 bytes and
 * include the rounding up of each write of the log.
 * btrfs (fs/btrfs/sysfs.c): since Linux 6.1; an fsync that writes the log tree alone is no commit.
 * f2fs (fs/f2fs/sysfs.c): with CONFIG_F2FS_STAT_FS. Older kernels count the background's among the
 * foreground's.
 */
static const struct mount_file mount_files[] = {
	{ EXT4_SUPER_MAGIC, "/proc/fs/jbd2/%s-*", 0, "info", false, {
		{ .name = "jbd2_transactions", .format = "%llu transactions%n", .unit = 1,
		  .label = "jbd2 transactions" },
		{ .name = "jbd2_requested", .unit = 1,
		  .format = "%*u transactions (%llu requested%n" },
		{ .name = "jbd2_handles", .format = "%llu handles per transaction%n", .unit = 1,
		  .average = true },
		{ .name = "jbd2_logged_bytes", .format = "%llu logged blocks per transaction%n",
		  .average = true, .log = true },
	} },
	{ EXT4_SUPER_MAGIC, "/proc/fs/ext4/%s", 0, "fc_info", true, {
		{ .name = "ext4_fast_commits", .format = "%llu commits%n", .unit = 1,
		  .label = "fast commits" },
		{ .name = "ext4_fast_commit_bytes", .format = "%llu numblks%n", .log = true },
	} },
	{ EXT4_SUPER_MAGIC, "/sys/fs/ext4/%s", 0, "session_write_kbytes", false, {
		{ .name = "ext4_written_bytes", .format = "%llu%n", .unit = 1024 },
	} },
	{ XFS_SUPER_MAGIC, "/sys/fs/xfs/%s", 0, "stats/stats", false, {
		{ .name = "xfs_transactions_sync", .format = "trans %llu%n", .unit = 1,
		  .wraps = true },
		{ .name = "xfs_transactions_async", .format = "trans %*u %llu%n", .unit = 1,
		  .wraps = true },
		{ .name = "xfs_log_writes", .format = "log %llu%n", .unit = 1, .wraps = true },
		{ .name = "xfs_log_bytes", .format = "log %*u %llu%n", .unit = 512, .wraps = true,
		  .log = true },
		{ .name = "xfs_log_forces", .format = "log %*u %*u %*u %llu%n", .unit = 1,
		  .wraps = true, .label = "xfs log forces" },
		{ .name = "xfs_log_force_sleeps", .format = "log %*u %*u %*u %*u %llu%n",
		  .unit = 1, .wraps = true },
	} },
	{ BTRFS_SUPER_MAGIC, "/sys/fs/btrfs/*/devices/%s", 2, "commit_stats", false, {
		{ .name = "btrfs_commits", .format = "commits %llu%n", .unit = 1,
		  .label = "btrfs commits" },
	} },
	{ F2FS_SUPER_MAGIC, "/sys/fs/f2fs/%s", 0, "cp_foreground_calls", false, {
		{ .name = "f2fs_foreground_checkpoints", .format = "%llu%n", .unit = 1,
		  .label = "f2fs checkpoints" },
	} },
	{ F2FS_SUPER_MAGIC, "/sys/fs/f2fs/%s", 0, "cp_background_calls", false, {
		{ .name = "f2fs_background_checkpoints", .format = "%llu%n", .unit = 1 },
	} },
};

/* --- text ------------------------------------------------------------------------------------- */

static bool mount_scan(const char *text, const char *format, unsigned long long *value)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		int end = -1;

		line += *line == '\n';
		if (sscanf(line, format, value, &end) >= 1 && end >= 0)
			return true;
	}
	return false;
}

/* first: of the file, or what is being read; a count of none has no average. */
static void mount_counter(struct fs_mount_counter *c, const struct fs_mount_counter *first,
			  const char *text)
{
	unsigned long long value;

	c->least = c->most = UINT64_MAX;
	if (mount_scan(text, c->field->format, &value)) {
		c->least = c->most = value;
		if (c->field->average) {
			c->least = value * first->least;
			c->most = c->least + (first->least ? first->least - 1 : 0);
		}
	} else if (c->field->average && first->least == 0) {
		c->least = c->most = 0;
	}
}

static void mount_parse(const struct mount_file *f, const char *text, struct fs_mount_counters *c)
{
	const struct fs_mount_counter *first = &c->at[c->n];

	for (unsigned i = 0; i < FS_ARRAY_SIZE(f->fields) && f->fields[i].name; i++) {
		struct fs_mount_counter *counter = &c->at[c->n++];

		counter->field = &f->fields[i];
		mount_counter(counter, first, text);
		if (f->zero && !*text)
			counter->least = counter->most = 0;
	}
}

bool fs_mount_counters_parse(uint64_t magic, unsigned n, const char *text,
			     struct fs_mount_counters *c)
{
	for (unsigned i = 0; i < FS_ARRAY_SIZE(mount_files); i++) {
		if (mount_files[i].magic != magic || n--)
			continue;
		mount_parse(&mount_files[i], text, c);
		return true;
	}
	return false;
}

/* --- files ------------------------------------------------------------------------------------ */

/* What the kernel calls a block device: the last component of its place in sysfs. */
static bool mount_device(uint64_t dev, char *name, size_t size)
{
	char path[64], link[PATH_MAX];
	const char *last;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	n = dev ? readlink(path, link, sizeof(link) - 1) : -1;
	if (n <= 0)
		return false;
	link[n] = '\0';
	last = strrchr(link, '/');
	return last && snprintf(name, size, "%s", last + 1) < (int)size;
}

static void mount_text(const struct mount_file *f, const char *device, char *text, size_t size)
{
	char pattern[256], path[PATH_MAX];
	glob_t found;

	text[0] = '\0';
	snprintf(pattern, sizeof(pattern), f->found, device);
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return;
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	for (unsigned i = 0; i < f->up; i++)
		*strrchr(path, '/') = '\0';
	strncat(strncat(path, "/", sizeof(path) - strlen(path) - 1), f->file,
		sizeof(path) - strlen(path) - 2);
	fs_sysfile_read(path, text, size);
}

void fs_mount_counters_read(const struct fs_target *t, struct fs_mount_counters *c)
{
	char device[64], text[8192];

	c->n = 0;
	if (!t || !mount_device(t->block_dev, device, sizeof(device)))
		return;
	c->block_size = t->block_size;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(mount_files); i++) {
		if (mount_files[i].magic != t->magic)
			continue;
		mount_text(&mount_files[i], device, text, sizeof(text));
		mount_parse(&mount_files[i], text, c);
	}
}

/* --- differences ------------------------------------------------------------------------------ */

uint64_t fs_mount_counters_delta(const struct fs_mount_counters *start,
				 const struct fs_mount_counters *end, unsigned i)
{
	const struct fs_mount_counter *a = &start->at[i], *b = &end->at[i];
	const struct fs_mount_field *f = b->field;
	const uint64_t unit = f->unit ? f->unit : end->block_size;
	uint64_t spread, twice;

	if (i >= start->n || a->least == UINT64_MAX || b->least == UINT64_MAX)
		return UINT64_MAX;
	spread = (a->most - a->least) + (b->most - b->least);
	twice = (b->least + b->most) - (a->least + a->most);
	if (a->least == b->least && a->most == b->most)
		return 0;
	if (f->wraps)
		twice = 2 * (uint64_t)(uint32_t)(b->least - a->least);
	if (twice > INT64_MAX || (f->wraps && twice / 2 > INT32_MAX) || MOUNT_SURE * spread > twice)
		return UINT64_MAX;
	return twice * unit / 2;
}
