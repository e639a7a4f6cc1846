// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * revio - write a file from its end to its start
 *
 * Op:     one pwrite(2) of a block, offsets descending by a fixed stride;
 *         --revio-opts fsync and fdatasync add that call.
 * Fill:   the file becomes one hole of its full size again: ftruncate(0),
 *         ftruncate(size). A written file needs none.
 * Path:   vfs_write > fs write_iter > page cache and delayed allocation, or direct I/O; the
 *         allocator sees writes that never extend what came before.
 * Scales: share=none until memory bandwidth or write-back;
 *         share=file serialises on the inode's lock.
 */
#include <string.h>

#include "core/stressor.h"

struct revio_state {
	uint64_t bytes, size;		/* options */
	int layout;
	unsigned opts;
	int fd;
	void *block;
	uint64_t stride;
	uint64_t top, at;		/* end of the range; offset of the last write */
};

enum { REVIO_HOLE, REVIO_WRITTEN };
static const char *const revio_layouts[] = { "hole", "written", NULL };

enum {					/* bits, in the order of the names */
	REVIO_SYNC = 1 << 0, REVIO_DSYNC = 1 << 1, REVIO_DIRECT = 1 << 2, REVIO_FSYNC = 1 << 3,
	REVIO_FDATASYNC = 1 << 4, REVIO_NOATIME = 1 << 5, REVIO_FADV = 6,
};
static const char *const revio_opts[] = {
	"sync", "dsync", "direct", "fsync", "fdatasync", "noatime", "fadv-normal", "fadv-seq",
	"fadv-rnd", "fadv-willneed", "fadv-dontneed", "fadv-noreuse", NULL
};
static const int revio_advice[] = {	/* from bit REVIO_FADV on */
	POSIX_FADV_NORMAL, POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM, POSIX_FADV_WILLNEED,
	POSIX_FADV_DONTNEED, POSIX_FADV_NOREUSE
};

enum { REVIO_EXTENTS, REVIO_EXTENT_BYTES };
static const struct fs_counter revio_counters[] = {
	[REVIO_EXTENTS] = { "extents", "extents", FS_COUNTER_LAST },
	[REVIO_EXTENT_BYTES] = { "mean_extent_bytes", "bytes", FS_COUNTER_LAST },
	{ .name = NULL }
};

static const struct fs_option revio_options[] = {
	FS_OPT_SIZE(struct revio_state, bytes, "32M", 1024, 1ull << 50,
		    "the file, or the range of it, of one worker"),
	FS_OPT_SIZE(struct revio_state, size, "4K", 1, 1 << 30, "length of one write"),
	FS_OPT_ENUM(struct revio_state, layout, "hole", revio_layouts, "what the writes find"),
	FS_OPT_FLAGS(struct revio_state, opts, "none", revio_opts,
		     "open flags, advice given once, calls added to each write"),
	FS_OPT_END
};

static int revio_check(const struct fs_variant *v, enum fs_share share, const void *state,
		       char why[256])
{
	const struct revio_state *s = state;
	const char *text = NULL;

	(void)share;
	if (s->bytes % (s->size * (uint64_t)v->arg) || !s->bytes)
		text = "--revio-bytes must be a multiple of --revio-size (sparse: of twice that)";
	else if (s->opts & REVIO_DIRECT && s->size % 512)
		text = "--revio-opts direct needs a --revio-size that is a multiple of 512";
	if (!text)
		return 0;
	memccpy(why, text, '\0', 256);
	return -EINVAL;
}

static int revio_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	const struct revio_state *s = state;

	(void)v;
	need->bytes = s->bytes;
	need->inodes = 1;
	need->file_bytes = s->bytes;
	need->descriptors = 1;
	return 0;
}

static int revio_advise(const struct revio_state *s)
{
	int rc = 0;

	for (size_t i = 0; i < FS_ARRAY_SIZE(revio_advice) && rc == 0; i++) {
		if (s->opts & 1u << (REVIO_FADV + i))
			rc = posix_fadvise(s->fd, 0, 0, revio_advice[i]);
	}
	return -rc;
}

static int revio_setup(struct fs_worker *w)
{
	struct revio_state *s = fs_state(w);
	int flags = O_CREAT | O_RDWR, rc = 0;

	flags |= s->opts & REVIO_SYNC ? O_SYNC : 0;
	flags |= s->opts & REVIO_DSYNC ? O_DSYNC : 0;
	flags |= s->opts & REVIO_DIRECT ? O_DIRECT : 0;
	flags |= s->opts & REVIO_NOATIME ? O_NOATIME : 0;
	s->stride = s->size * (uint64_t)w->variant->arg;
	if (w->probing)
		s->bytes = 4 * s->stride;
	w->round_ops = s->bytes / s->stride;
	s->top = s->at = fs_range_start(w, s->bytes) + s->bytes;
	s->block = fs_buffer(w, s->size);
	if (!s->block)
		return -ENOMEM;
	s->fd = fs_file_open(w, "file", flags);
	if (s->fd < 0)
		return s->fd;
	if (fs_leader(w) && s->layout == REVIO_WRITTEN)
		rc = fs_make_written(w, s->fd, 0, fs_range_total(w, s->bytes));
	return rc < 0 ? rc : revio_advise(s);
}

static int revio_fill(struct fs_worker *w, uint64_t n)
{
	struct revio_state *s = fs_state(w);

	(void)n;
	s->at = s->top;
	if (s->layout != REVIO_HOLE || !fs_leader(w))
		return 0;
	return fs_make_hole(s->fd, fs_range_total(w, s->bytes));
}

static inline long revio_op(struct fs_worker *w)
{
	struct revio_state *s = fs_state(w);
	ssize_t n;

	s->at -= s->stride;
	n = pwrite(s->fd, s->block, s->size, (off_t)s->at);
	if (fs_unlikely((uint64_t)n != s->size))
		return n < 0 ? -errno : -EIO;
	if ((s->opts & REVIO_FSYNC && fsync(s->fd)) ||
	    (s->opts & REVIO_FDATASYNC && fdatasync(s->fd)))
		return -errno;
	return n;
}
FS_RUN_LOOP(revio_run, revio_op)

/* What the writes of this pass left behind. */
static int revio_verify(struct fs_worker *w)
{
	struct revio_state *s = fs_state(w);
	const bool gaps = s->layout == REVIO_HOLE && s->stride > s->size;
	int rc = 0;

	for (uint64_t at = s->at; at < s->top && rc == 0; at += s->stride) {
		rc = fs_check_bytes(w, s->fd, at, s->block, s->size);
		if (rc == 0 && gaps)
			rc = fs_check_zero(w, s->fd, at + s->size, s->stride - s->size);
	}
	return rc;
}

/*
 * Extents of a whole pass, so that their number does not depend on where the window ended: the pass
 * is finished here, unless each write was made durable by itself and has its place already.
 */
static int revio_measure(struct fs_worker *w)
{
	struct revio_state *s = fs_state(w);
	const bool durable = s->opts & (REVIO_SYNC | REVIO_DSYNC | REVIO_FSYNC | REVIO_FDATASYNC);
	const uint64_t bottom = s->top - s->bytes;
	uint64_t extents, written;
	long rc = 0;

	while (!durable && s->at > bottom && rc >= 0)
		rc = revio_op(w);
	if (rc >= 0 && fsync(s->fd))
		rc = -errno;
	if (rc >= 0)
		rc = fs_count_extents_in(s->fd, bottom, s->bytes, &extents);
	if (rc == -EOPNOTSUPP || rc == -ENOTTY)
		return 0;
	if (rc < 0)
		return (int)rc;
	written = (s->top - s->at) / s->stride * s->size;
	fs_set(w, REVIO_EXTENTS, extents);
	fs_set(w, REVIO_EXTENT_BYTES, extents ? written / extents : 0);
	return 0;
}

static const struct fs_calls revio_calls[] = {
	{ "pwrite64", 1, ", 4096, " },
	{ .name = NULL }
};

static const struct fs_variant revio_variants[] = {
	{
		.name = "sparse", .arg = 2, .share = FS_SHARE_DIR | FS_SHARE_FILE,
		.op = "pwrite(2) of a block two blocks before the last one: "
		      "every other block stays a hole",
		.run = revio_run, .calls = revio_calls, .fill = revio_fill,
	}, {
		.name = "dense", .arg = 1, .share = FS_SHARE_DIR | FS_SHARE_FILE,
		.op = "pwrite(2) of the block before the last one: "
		      "the extent count judges the allocator",
		.run = revio_run, .calls = revio_calls, .fill = revio_fill,
	},
	{ .run = NULL }
};

/* EINVAL: O_DIRECT, or its alignment, where the filesystem has none. */
static const int revio_unsupported[] = { EINVAL, EOPNOTSUPP, 0 };

static const char revio_notes[] =
	"layout: hole = one hole of the full size, made again, off the clock, after each pass;\n"
	"        written = written, fsync, cached, overwritten in each pass\n"
	"counts: extents once, after the window, the end of the pass and an fsync;\n"
	"        absent where there is no FIEMAP\n"
	"path:   vfs_write > fs write_iter > page cache, delayed allocation (or direct I/O)\n"
	"scales: until memory bandwidth or write-back; --share file: own ranges of one inode";

const struct fs_stressor fs_stressor_revio = {
	.name = "revio", .summary = "write a file from its end to its start", .work_unit = "bytes",
	.notes = revio_notes, .version = 1,
	.classes = FS_CLASS_IO | FS_CLASS_OS, .in_class = "sparse dense",
	.options = revio_options, .variants = revio_variants, .counters = revio_counters,
	.unsupported = revio_unsupported, .state_size = sizeof(struct revio_state),
	.check = revio_check, .need = revio_need, .setup = revio_setup, .verify = revio_verify,
	.measure = revio_measure,
};
