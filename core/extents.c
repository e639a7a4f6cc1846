// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extents.c - files of a known number of extents; see stressor.h
 */
#include <sys/vfs.h>

#include "core/worker.h"

/* Blocks of local filesystems; what claims another size means the size of a request. */
enum { EXTENT_BLOCK_MIN = 512, EXTENT_BLOCK_MAX = 65536 };

/* Not st_blksize, which is what I/O should use: a piece of several blocks may be split in two. */
uint64_t fs_block_size(int fd)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct statfs st;

	if (fstatfs(fd, &st) || st.f_bsize < EXTENT_BLOCK_MIN || st.f_bsize > EXTENT_BLOCK_MAX)
		return page;
	return (uint64_t)st.f_bsize;
}

/* No room for extents: the kernel only counts. */
int fs_count_extents_in(int fd, uint64_t start, uint64_t bytes, uint64_t *extents)
{
	struct fiemap map = { .fm_start = start, .fm_length = bytes };

	if (ioctl(fd, FS_IOC_FIEMAP, &map))
		return -errno;
	*extents = map.fm_mapped_extents;
	return 0;
}

int fs_count_extents(int fd, uint64_t *extents)
{
	return fs_count_extents_in(fd, 0, FIEMAP_MAX_OFFSET, extents);
}

/* Every block with an odd number becomes a hole, so k extents remain of 2k blocks. */
static int extents_punch(const struct fs_worker *w, int fd, uint64_t k, uint64_t block)
{
	long rc = 0;

	for (uint64_t i = 1; i < 2 * k && rc == 0; i += 2) {
		rc = fs_sys_fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				      (off_t)(i * block), (off_t)block);
		if (rc == 0)
			rc = fs_abandoned(w);
	}
	return (int)rc;
}

static int extents_lay_out(struct fs_worker *w, int fd, enum fs_layout layout, uint64_t k)
{
	const uint64_t block = fs_block_size(fd);
	int rc = fs_make_hole(fd, 2 * k * block);

	if (rc == 0 && layout == FS_LAYOUT_SPARSE)
		return fs_make_blocks(w, fd, k, 2);
	if (rc == 0)
		rc = (int)fs_sys_fallocate(fd, 0, 0, (off_t)(2 * k * block));
	if (rc == 0 && layout == FS_LAYOUT_PUNCHED)
		rc = extents_punch(w, fd, k, block);
	return rc;
}

int fs_make_extents(struct fs_worker *w, int fd, enum fs_layout layout, uint64_t k,
		    uint64_t *extents)
{
	int rc = extents_lay_out(w, fd, layout, k);

	*extents = 0;
	if (rc == 0 && fsync(fd))
		rc = -errno;
	if (rc == 0)
		rc = fs_count_extents(fd, extents);
	if (rc == 0 && layout != FS_LAYOUT_CONTIGUOUS && *extents != k)
		rc = -ENOTUNIQ;
	return rc;
}
