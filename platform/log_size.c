// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/log_size.h"

#include <endian.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The first form of the geometry, which every XFS answers to anybody: a number of blocks is all
 * that is wanted of it. Layout: fs/xfs/libxfs/xfs_fs.h, struct xfs_fsop_geom_v1.
 */
struct log_xfs_geometry {
	uint32_t block_size, unused[3], log_blocks, unused2[3];
	uint64_t unused3[4];
	uint8_t uuid[16];
	uint32_t unused4[7];
};
#define LOG_XFS_GEOMETRY _IOR('X', 100, struct log_xfs_geometry)

static uint64_t log_size_xfs(int fd)
{
	struct log_xfs_geometry g;

	return ioctl(fd, LOG_XFS_GEOMETRY, &g) ? 0 : (uint64_t)g.block_size * g.log_blocks;
}

/*
 * The superblock keeps a copy of the journal's inode, for e2fsck: block map, then the upper and
 * the lower half of its size. jbd2's "each up to N blocks" is a fraction of the journal that has
 * differed between kernels. Layout: fs/ext4/ext4.h, struct ext4_super_block.
 */
enum { EXT4_SUPER = 1024, EXT4_BACKUP_TYPE = 0xfd, EXT4_BACKUP_SIZE = 0x10c + 15 * 4 };

static uint64_t log_size_ext4(const struct fs_target *t)
{
	const int fd = t->block_dev ? open(t->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	unsigned char super[1024];
	uint32_t size[2];
	struct stat st;
	bool read;

	if (fd < 0)
		return 0;
	read = !fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == t->block_dev &&
	       pread(fd, super, sizeof(super), EXT4_SUPER) == sizeof(super);
	close(fd);
	if (!read || super[EXT4_BACKUP_TYPE] != 1)
		return 0;
	memcpy(size, super + EXT4_BACKUP_SIZE, sizeof(size));
	return (uint64_t)le32toh(size[0]) << 32 | le32toh(size[1]);
}

uint64_t fs_log_size(int fd, const struct fs_target *t)
{
	if (t->magic == XFS_SUPER_MAGIC)
		return log_size_xfs(fd);
	return t->magic == EXT4_SUPER_MAGIC ? log_size_ext4(t) : 0;
}
