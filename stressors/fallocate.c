// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fallocate - allocate, free, zero or move a range of a file
 *
 * Op:     one fallocate(2) of a chunk in one mode, or one ftruncate(2) by a chunk; with
 *         --fallocate-sync fsync also one fsync(2).
 * Fill:   makes the whole file again in the state that the mode works on: ftruncate(0),
 *         ftruncate(size), and for unwritten extents one fallocate(2), so that a refill
 *         costs little beside the ops it serves.
 * Path:   vfs_fallocate > fs fallocate > allocator or extent removal > journal.
 *         truncate: do_truncate > fs setattr.
 * Scales: share=none until the allocator or the journal saturates;
 *         share=file serialises on the inode's lock.
 */
#include <string.h>
#include <sys/stat.h>

#include "core/stressor.h"

struct fallocate_state {
	uint64_t bytes, chunk;		/* options */
	int state, order, sync;
	int fd, source;			/* source of unshare's clones; -1: none */
	int mode;
	uint64_t at, step;		/* offset of the next call; what each adds, modulo 2^64 */
	uint64_t done;			/* ops since the last fill */
	int64_t blocks;			/* st_blocks after it */
};

/* What the variants need beyond the kernel's mode bits. */
enum { FALLOCATE_UP = 1 << 16, FALLOCATE_DOWN = 1 << 17 };
#define FALLOCATE_MOVES	(FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)
#define FALLOCATE_CUTS	(FALLOCATE_UP | FALLOCATE_DOWN)
#define FALLOCATE_FREES	(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE | FALLOCATE_DOWN)
#define FALLOCATE_ZEROES (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_FL_INSERT_RANGE | \
			  FALLOC_FL_WRITE_ZEROES)
#define FALLOCATE_PUNCH	(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)

enum { FALLOCATE_HOLE, FALLOCATE_UNWRITTEN, FALLOCATE_WRITTEN, FALLOCATE_DIRTY };
static const char *const fallocate_states[] = { "hole", "unwritten", "written", "dirty", NULL };
enum { FALLOCATE_NEXT, FALLOCATE_ALTERNATE };
static const char *const fallocate_orders[] = { "next", "alternate", NULL };
static const char *const fallocate_syncs[] = { "none", "fsync", NULL };

static const struct fs_option fallocate_options[] = {
	FS_OPT_SIZE(struct fallocate_state, bytes, "64M", 1024, 1ull << 50,
		    "the file, or the range of it, of one worker"),
	FS_OPT_SIZE(struct fallocate_state, chunk, "16K", 512, 1ull << 40, "length of one call"),
	FS_OPT_ENUM(struct fallocate_state, state, "hole", fallocate_states,
		    "what the calls find; the default is the variant's"),
	FS_OPT_ENUM(struct fallocate_state, order, "next", fallocate_orders,
		    "next chunk, or every other one, which splits an extent with each call"),
	FS_OPT_ENUM(struct fallocate_state, sync, "none", fallocate_syncs,
		    "fsync: each call and an fsync(2) are one op"),
	FS_OPT_END
};

/* Works on an offset that each call moves on; the others on one offset, or the end of the file. */
static bool fallocate_walks(int mode)
{
	return !(mode & (FALLOCATE_MOVES | FALLOCATE_CUTS));
}

static int fallocate_check(const struct fs_variant *v, enum fs_share share, const void *state,
			   char why[256])
{
	const struct fallocate_state *s = state;
	const char *text = NULL;

	(void)share;
	if (s->bytes % s->chunk || s->bytes < 2 * s->chunk)
		text = "--fallocate-bytes must be a multiple of --fallocate-chunk, "
		       "at least two of it";
	else if (s->order == FALLOCATE_ALTERNATE && !fallocate_walks((int)v->arg))
		text = "--fallocate-order alternate: this mode does not walk through the file; "
		       "use next";
	else if ((v->arg == FALLOC_FL_KEEP_SIZE || v->arg == FALLOCATE_UP) &&
		 s->state != FALLOCATE_HOLE)
		text = "this mode starts from an empty file: use --fallocate-state hole";
	else if (v->arg == FALLOC_FL_UNSHARE_RANGE && s->state != FALLOCATE_WRITTEN)
		text = "unshare works on clones of written files: use --fallocate-state written";
	if (!text)
		return 0;
	memccpy(why, text, '\0', 256);
	return -EINVAL;
}

static int fallocate_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	const struct fallocate_state *s = state;
	const unsigned files = v->arg == FALLOC_FL_UNSHARE_RANGE ? 2 : 1;

	need->bytes = v->arg == FALLOCATE_UP ? 0 : files * s->bytes;
	need->inodes = files;
	need->file_bytes = v->arg == FALLOC_FL_INSERT_RANGE ? 2 * s->bytes : s->bytes;
	need->descriptors = files;
	return 0;
}

static int fallocate_setup(struct fs_worker *w)
{
	struct fallocate_state *s = fs_state(w);
	int rc;

	if (w->probing)
		s->bytes = 4 * s->chunk;
	s->mode = (int)w->variant->arg;
	s->step = s->order == FALLOCATE_ALTERNATE ? 2 * s->chunk : s->chunk;
	w->round_ops = s->bytes / s->step;
	if (s->mode & FALLOC_FL_COLLAPSE_RANGE)
		w->round_ops--;		/* the range must end before the file does */
	if (s->mode & FALLOCATE_MOVES)
		s->step = 0;
	if (s->mode & FALLOCATE_DOWN)
		s->step = -s->step;
	s->source = -1;
	s->fd = fs_file_open(w, "file", O_CREAT | O_RDWR);
	if (s->fd < 0 || s->mode != FALLOC_FL_UNSHARE_RANGE)
		return s->fd;
	s->source = fs_file_open(w, "source", O_CREAT | O_RDWR);
	if (s->source < 0)
		return s->source;
	rc = fs_make_written(w, s->source, 0, s->bytes);
	return rc < 0 ? rc : fs_drop_pages(s->source);
}

/* The whole file, of all its workers. What was inserted is taken out again: that frees no block. */
static int fallocate_remake(struct fs_worker *w, struct fallocate_state *s)
{
	const uint64_t total = fs_range_total(w, s->bytes);
	const bool empty = s->mode == FALLOC_FL_KEEP_SIZE || s->mode == FALLOCATE_UP;
	int rc;

	if (s->mode & FALLOC_FL_INSERT_RANGE && s->done)
		return (int)fs_sys_fallocate(s->fd, FALLOC_FL_COLLAPSE_RANGE, 0,
					     (off_t)(s->done * s->chunk));
	rc = fs_make_hole(s->fd, empty ? 0 : total);
	if (rc < 0 || s->state == FALLOCATE_HOLE)
		return rc;
	if (s->source >= 0)
		return ioctl(s->fd, FICLONE, s->source) ? -errno : 0;
	if (s->state == FALLOCATE_UNWRITTEN)
		return (int)fs_sys_fallocate(s->fd, 0, 0, (off_t)total);
	if (s->state == FALLOCATE_DIRTY)
		return fs_make_dirty(w, s->fd, 0, total);
	rc = fs_make_written(w, s->fd, 0, total);
	return rc < 0 ? rc : fs_drop_pages(s->fd);
}

static int fallocate_fill(struct fs_worker *w, uint64_t n)
{
	struct fallocate_state *s = fs_state(w);
	const int rc = fs_leader(w) ? fallocate_remake(w, s) : 0;
	struct stat st;

	(void)n;
	if (rc < 0)
		return rc;
	if (fstat(s->fd, &st))
		return -errno;
	s->blocks = st.st_blocks;
	s->done = 0;
	s->at = s->mode & FALLOCATE_DOWN ? s->bytes : fs_range_start(w, s->bytes);
	return 0;
}

/* The call has been made: count it, and make it durable where that is part of the op. */
static inline long fallocate_done(struct fallocate_state *s)
{
	s->done++;
	if (s->sync && fsync(s->fd))
		return -errno;
	return (long)s->chunk;
}

static inline long fallocate_op(struct fs_worker *w)
{
	struct fallocate_state *s = fs_state(w);
	const long rc = fs_sys_fallocate(s->fd, s->mode, (off_t)s->at, (off_t)s->chunk);

	if (rc < 0)
		return rc;
	s->at += s->step;
	return fallocate_done(s);
}
FS_RUN_LOOP(fallocate_run, fallocate_op)

static inline long fallocate_truncate_op(struct fs_worker *w)
{
	struct fallocate_state *s = fs_state(w);

	s->at += s->step;
	return ftruncate(s->fd, (off_t)s->at) ? -errno : fallocate_done(s);
}
FS_RUN_LOOP(fallocate_truncate_run, fallocate_truncate_op)

static uint64_t fallocate_size(const struct fs_worker *w, const struct fallocate_state *s)
{
	if (s->mode == FALLOC_FL_KEEP_SIZE)
		return 0;
	if (s->mode & FALLOCATE_CUTS)
		return s->at;
	if (s->mode & FALLOC_FL_COLLAPSE_RANGE)
		return s->bytes - s->done * s->chunk;
	if (s->mode & FALLOC_FL_INSERT_RANGE)
		return s->bytes + s->done * s->chunk;
	return fs_range_total(w, s->bytes);
}

/* The bytes that the file must have gained; 1/16 and 64 KiB are left to the filesystem's blocks. */
static int fallocate_verify_blocks(struct fs_worker *w, const struct stat *st)
{
	const struct fallocate_state *s = fs_state(w);
	const int64_t got = ((int64_t)st->st_blocks - s->blocks) * 512;
	const int64_t made = (int64_t)(s->done * s->chunk);
	int64_t want = 0;

	if (s->mode & FALLOCATE_FREES)
		want = s->state == FALLOCATE_HOLE ? 0 : -made;
	else if (s->state == FALLOCATE_HOLE && !(s->mode & (FALLOCATE_UP | FALLOC_FL_INSERT_RANGE)))
		want = made;
	if (got - want > made / 16 + 65536 || want - got > made / 16 + 65536)
		return fs_fail(w, EIO, "%llu ops allocated %lld bytes, not %lld",
			       (unsigned long long)s->done, (long long)got, (long long)want);
	return 0;
}

/* What the ops left standing is still there, and what they made reads as zero. */
static int fallocate_verify_bytes(struct fs_worker *w)
{
	const struct fallocate_state *s = fs_state(w);
	const bool written = s->state >= FALLOCATE_WRITTEN && !(s->mode & FALLOCATE_ZEROES);
	const uint64_t stride = s->order == FALLOCATE_ALTERNATE ? 2 * s->chunk : s->chunk;
	uint64_t at = fs_range_start(w, s->bytes), n = s->done, bytes = s->chunk, from = 0;
	int rc = 0;

	if (s->mode & (FALLOCATE_CUTS | FALLOC_FL_COLLAPSE_RANGE)) {
		bytes = fallocate_size(w, s);
		from = s->mode & FALLOCATE_CUTS ? 0 : s->done * s->chunk;
		n = 1;
	}
	for (uint64_t i = 0; i < n && rc == 0; i++, at += stride)
		rc = written ? fs_check_written(w, s->fd, at, at + from, bytes) :
			       fs_check_zero(w, s->fd, at, bytes);
	return rc;
}

static int fallocate_verify(struct fs_worker *w)
{
	struct fallocate_state *s = fs_state(w);
	struct stat st;
	int rc = 0;

	if (fstat(s->fd, &st))
		return -errno;
	if ((uint64_t)st.st_size != fallocate_size(w, s))
		return fs_fail(w, EIO, "size is %lld, not %llu", (long long)st.st_size,
			       (unsigned long long)fallocate_size(w, s));
	if (w->share != FS_SHARE_FILE && s->source < 0)
		rc = fallocate_verify_blocks(w, &st);
	if (rc == 0 && s->mode != FALLOC_FL_KEEP_SIZE)
		rc = fallocate_verify_bytes(w);
	return rc;
}

#define FALLOCATE_CALLS(what, call, text) \
	static const struct fs_calls fallocate_calls_##what[] = { \
		{ call, 1, text }, { .name = NULL } \
	}
FALLOCATE_CALLS(alloc, "fallocate", ", 0, ");
FALLOCATE_CALLS(keep_size, "fallocate", ", FALLOC_FL_KEEP_SIZE, ");
FALLOCATE_CALLS(punch, "fallocate", ", FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, ");
FALLOCATE_CALLS(zero, "fallocate", ", FALLOC_FL_ZERO_RANGE, ");
FALLOCATE_CALLS(collapse, "fallocate", ", FALLOC_FL_COLLAPSE_RANGE, 0, 16384");
FALLOCATE_CALLS(insert, "fallocate", ", FALLOC_FL_INSERT_RANGE, 0, 16384");
FALLOCATE_CALLS(unshare, "fallocate", ", FALLOC_FL_UNSHARE_RANGE, ");
FALLOCATE_CALLS(write_zeroes, "fallocate", NULL);	/* newer than most straces */
FALLOCATE_CALLS(truncate, "ftruncate", NULL);

#define FALLOCATE_VARIANT(title, mode, what, start, shared, sentence) \
	{ .name = title, .arg = mode, .op = sentence, .calls = fallocate_calls_##what, \
	  .defaults = start, .share = FS_SHARE_DIR | (shared), .fill = fallocate_fill, \
	  .run = mode & FALLOCATE_CUTS ? fallocate_truncate_run : fallocate_run }

static const struct fs_variant fallocate_variants[] = {
	FALLOCATE_VARIANT("alloc", 0, alloc, NULL, FS_SHARE_FILE,
			  "fallocate(2), mode 0, of the next chunk: "
			  "allocate unwritten blocks in a hole"),
	FALLOCATE_VARIANT("keep-size", FALLOC_FL_KEEP_SIZE, keep_size, NULL, FS_SHARE_FILE,
			  "FALLOC_FL_KEEP_SIZE of the next chunk, "
			  "beyond the end of an empty file: preallocation"),
	FALLOCATE_VARIANT("punch", FALLOCATE_PUNCH, punch, "state=unwritten", FS_SHARE_FILE,
			  "FALLOC_FL_PUNCH_HOLE of the next chunk"),
	FALLOCATE_VARIANT("zero", FALLOC_FL_ZERO_RANGE, zero, "state=unwritten", FS_SHARE_FILE,
			  "FALLOC_FL_ZERO_RANGE of the next chunk"),
	FALLOCATE_VARIANT("collapse", FALLOC_FL_COLLAPSE_RANGE, collapse, "state=unwritten", 0,
			  "FALLOC_FL_COLLAPSE_RANGE of the first chunk "
			  "of a file of one extent without cached pages"),
	FALLOCATE_VARIANT("insert", FALLOC_FL_INSERT_RANGE, insert, "state=unwritten", 0,
			  "FALLOC_FL_INSERT_RANGE of a chunk at offset 0 "
			  "of a file of one extent without cached pages"),
	FALLOCATE_VARIANT("unshare", FALLOC_FL_UNSHARE_RANGE, unshare, "state=written", 0,
			  "FALLOC_FL_UNSHARE_RANGE of the next chunk of a clone (FICLONE)"),
	FALLOCATE_VARIANT("write-zeroes", FALLOC_FL_WRITE_ZEROES, write_zeroes, NULL, FS_SHARE_FILE,
			  "FALLOC_FL_WRITE_ZEROES of the next chunk: "
			  "allocate written blocks that hold zeroes"),
	FALLOCATE_VARIANT("truncate-up", FALLOCATE_UP, truncate, NULL, 0,
			  "ftruncate(2) to a size larger by one chunk, from an empty file on"),
	FALLOCATE_VARIANT("truncate-down", FALLOCATE_DOWN, truncate, "state=unwritten", 0,
			  "ftruncate(2) to a size smaller by one chunk, which frees its blocks"),
	{ .run = NULL }
};

/* The kernel's names, and the lists of flags that job files have. */
static const struct fs_mode_alias fallocate_aliases[] = {
	{ "default", "alloc" },
	{ "punch-hole", "punch" },
	{ "keep-size,punch-hole", "punch" },
	{ "punch-hole,keep-size", "punch" },
	{ "zero-range", "zero" },
	{ "keep-size,zero-range", "zero" },
	{ "zero-range,keep-size", "zero" },
	{ "collapse-range", "collapse" },
	{ "insert-range", "insert" },
	{ "unshare-range", "unshare" },
	{ .text = NULL }
};

static const int fallocate_unsupported[] = { EOPNOTSUPP, ENOTTY, ENOSYS, ENOTSUPP, 0 };

static const char fallocate_notes[] =
	"state:  hole = size without blocks; unwritten = one fallocate;\n"
	"        written = written, fsync, pages dropped; dirty = written, not synced\n"
	"refill: off the clock, when the calls have walked through the file; of a written or\n"
	"        dirty file that is device writes, and takes longer than the calls\n"
	"size:   keep-size and truncate-up start from an empty file, the others from a full one\n"
	"path:   vfs_fallocate > fs fallocate > allocator or extent removal > journal;\n"
	"        do_truncate > fs setattr\n"
	"scales: until allocator or journal saturate; --share file: one inode's lock";

const struct fs_stressor fs_stressor_fallocate = {
	.name = "fallocate", .summary = "allocate, free, zero or move a range of a file",
	.work_unit = "bytes", .notes = fallocate_notes, .version = 1,
	.classes = FS_CLASS_FILESYSTEM | FS_CLASS_OS, .in_class = "alloc alloc.fsync punch",
	.options = fallocate_options, .state_size = sizeof(struct fallocate_state),
	.variants = fallocate_variants, .mode_aliases = fallocate_aliases,
	.unsupported = fallocate_unsupported, .check = fallocate_check, .need = fallocate_need,
	.setup = fallocate_setup, .verify = fallocate_verify,
};
