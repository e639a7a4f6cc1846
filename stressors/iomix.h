/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iomix.h - the kinds of I/O of iomix: one call each, on blocks of one file
 */
#ifndef STRESSORS_IOMIX_H
#define STRESSORS_IOMIX_H

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/stressor.h"

enum iomix_kind {
	IOMIX_PWRITE_SEQ, IOMIX_PWRITE_RND, IOMIX_PREAD_SEQ, IOMIX_PREAD_RND,
	IOMIX_APPEND, IOMIX_COPY, IOMIX_FSTAT, IOMIX_FADVISE,
	IOMIX_SETFLAGS, IOMIX_MSYNC, IOMIX_SYNC_RANGE, IOMIX_FDATASYNC, IOMIX_KINDS
};

static const char *const iomix_kinds[] = {
	"pwrite-seq", "pwrite-rnd", "pread-seq", "pread-rnd",
	"append", "copy", "fstat", "fadvise",
	"setflags", "mmap-msync", "sync-range", "fdatasync", NULL
};

#define IOMIX_SLOTS	100
#define IOMIX_APPENDS	4096		/* at most, until the file is cut back */
#define IOMIX_SYNCED	16		/* blocks of one sync_file_range */

struct iomix_state {
	uint64_t bytes, size;		/* options */
	uint8_t mix[IOMIX_KINDS];
	unsigned kinds;			/* bits of enum iomix_kind; an option of mix */
	int fg;				/* options of paced */
	uint32_t bg[IOMIX_KINDS];
	int file, appended, copied;
	char *block, *map;
	uint64_t blocks, page;
	uint64_t written, read, end;	/* of the sequential kinds; size of the appended file */
	int flags;			/* as the file has them */
	unsigned turn;			/* in slot */
	uint8_t slot[IOMIX_SLOTS];
};

static uint64_t iomix_next(const struct iomix_state *s, uint64_t *at)
{
	const uint64_t now = *at;

	*at = now + s->size < s->bytes ? now + s->size : 0;
	return now;
}

static uint64_t iomix_random(struct fs_worker *w, const struct iomix_state *s)
{
	return fs_rng_below(&w->rng, s->blocks) * s->size;
}

/* The file of a load is another's, which may be making it anew. */
static inline long iomix_full(const struct fs_worker *w, const struct iomix_state *s, ssize_t n)
{
	if (n == (ssize_t)s->size || (w->load && n >= 0))
		return 0;
	return n < 0 ? -errno : -EIO;
}

static long iomix_pwrite_seq(struct fs_worker *w, struct iomix_state *s)
{
	return iomix_full(w, s, pwrite(s->file, s->block, s->size,
				       (off_t)iomix_next(s, &s->written)));
}

static long iomix_pwrite_rnd(struct fs_worker *w, struct iomix_state *s)
{
	return iomix_full(w, s, pwrite(s->file, s->block, s->size, (off_t)iomix_random(w, s)));
}

static long iomix_pread_seq(struct fs_worker *w, struct iomix_state *s)
{
	return iomix_full(w, s, pread(s->file, s->block, s->size, (off_t)iomix_next(s, &s->read)));
}

static long iomix_pread_rnd(struct fs_worker *w, struct iomix_state *s)
{
	return iomix_full(w, s, pread(s->file, s->block, s->size, (off_t)iomix_random(w, s)));
}

static long iomix_append(struct fs_worker *w, struct iomix_state *s)
{
	const ssize_t n = pwrite(s->appended, s->block, s->size, (off_t)s->end);

	s->end += n > 0 ? (uint64_t)n : 0;
	return iomix_full(w, s, n);
}

static long iomix_copy(struct fs_worker *w, struct iomix_state *s)
{
	off_t from = (off_t)iomix_random(w, s), to = from;
	const long n = fs_sys_copy_file_range(s->file, &from, s->copied, &to, s->size);

	return n == (long)s->size || (w->load && n >= 0) ? 0 : n < 0 ? n : -EIO;
}

static long iomix_fstat(struct fs_worker *w, struct iomix_state *s)
{
	struct stat st;

	(void)w;
	return fs_sys_fstat(s->file, &st);
}

static long iomix_fadvise(struct fs_worker *w, struct iomix_state *s)
{
	return -posix_fadvise(s->file, (off_t)iomix_random(w, s), (off_t)s->size,
			      POSIX_FADV_WILLNEED);
}

static long iomix_setflags(struct fs_worker *w, struct iomix_state *s)
{
	(void)w;
	s->flags ^= FS_NODUMP_FL;
	return fs_sys(ioctl(s->file, FS_IOC_SETFLAGS, &s->flags));
}

static long iomix_msync(struct fs_worker *w, struct iomix_state *s)
{
	char *page = s->map + fs_rng_below(&w->rng, s->bytes / s->page) * s->page;

	(*(volatile char *)page)++;
	return fs_sys(msync(page, s->page, MS_SYNC));
}

/* The blocks that pwrite-seq wrote last. */
static long iomix_sync_range(struct fs_worker *w, struct iomix_state *s)
{
	const uint64_t length = IOMIX_SYNCED * s->size;
	const uint64_t start = s->written > length ? s->written - length : 0;

	(void)w;
	return fs_sys_sync_file_range(s->file, (off_t)start, (off_t)length,
				      SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

static long iomix_fdatasync(struct fs_worker *w, struct iomix_state *s)
{
	(void)w;
	return fs_sys(fdatasync(s->file));
}

static long (*const iomix_call[IOMIX_KINDS])(struct fs_worker *w, struct iomix_state *s) = {
	[IOMIX_PWRITE_SEQ] = iomix_pwrite_seq, [IOMIX_PWRITE_RND] = iomix_pwrite_rnd,
	[IOMIX_PREAD_SEQ] = iomix_pread_seq, [IOMIX_PREAD_RND] = iomix_pread_rnd,
	[IOMIX_APPEND] = iomix_append, [IOMIX_COPY] = iomix_copy, [IOMIX_FSTAT] = iomix_fstat,
	[IOMIX_FADVISE] = iomix_fadvise, [IOMIX_SETFLAGS] = iomix_setflags,
	[IOMIX_MSYNC] = iomix_msync, [IOMIX_SYNC_RANGE] = iomix_sync_range,
	[IOMIX_FDATASYNC] = iomix_fdatasync,
};

#endif
