// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iomix - a fixed mix of kinds of I/O on one file, each with its own numbers
 *
 * Op:     the next of a seeded, endless sequence of 100 kinds, all on blocks of one
 *         written file; append and copy write to a second and a third. Read the kinds:
 *         their sum is the rate of the slowest one.
 * Fill:   cuts the appended file back to nothing.
 * Path:   page cache reads and writes; fdatasync, msync and sync_file_range wait for the device.
 * Scales: private files, so until the device, the journal or memory bandwidth.
 */
#include <string.h>
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
	unsigned kinds;			/* bits of enum iomix_kind */
	int file, appended, copied;
	char *block, *map;
	uint64_t blocks, page;
	uint64_t written, read, end;	/* of the sequential kinds; size of the appended file */
	int flags;			/* as the file has them */
	unsigned turn;			/* in slot */
	uint8_t slot[IOMIX_SLOTS];
};

static const struct fs_option iomix_options[] = {
	FS_OPT_SIZE(struct iomix_state, bytes, "32M", 1 << 16, 1ull << 50,
		    "the file that the kinds share, and the one copied to"),
	FS_OPT_SIZE(struct iomix_state, size, "4K", 512, 1 << 20, "a block"),
	FS_OPT_WEIGHTS(struct iomix_state, mix,
		       "pwrite-seq=18,pwrite-rnd=18,pread-seq=18,pread-rnd=18,"
		       "append=8,copy=4,fstat=6,fadvise=4,"
		       "setflags=2,mmap-msync=1,sync-range=2,fdatasync=1",
		       iomix_kinds, "weights; in proportion to their sum"),
	FS_OPT_FLAGS(struct iomix_state, kinds,
		     "pwrite-seq+pwrite-rnd+pread-seq+pread-rnd+append+copy+fstat+fadvise+"
		     "setflags+mmap-msync+sync-range+fdatasync",
		     iomix_kinds, "only these of the mix"),
	FS_OPT_END
};

/* Slots by weight: slot i goes to the kind in whose part of the sum (i + 1/2) / slots lies. */
static unsigned iomix_share_out(const struct iomix_state *s, uint8_t slot[IOMIX_SLOTS])
{
	unsigned sum = 0, upto = 0, kind = 0, seen = 0;

	for (unsigned k = 0; k < IOMIX_KINDS; k++)
		sum += s->kinds >> k & 1 ? s->mix[k] : 0;
	for (unsigned i = 0; i < IOMIX_SLOTS && sum; i++) {
		while (2 * IOMIX_SLOTS * upto <= (2 * i + 1) * sum) {
			upto += s->kinds >> kind & 1 ? s->mix[kind] : 0;
			kind++;
		}
		slot[i] = (uint8_t)(kind - 1);
		seen |= 1u << slot[i];
	}
	return seen;
}

static int iomix_check(const struct fs_variant *v, enum fs_share share, const void *state,
		       char why[256])
{
	const struct iomix_state *s = state;
	const char *text = NULL;
	uint8_t slot[IOMIX_SLOTS];
	unsigned wanted = 0;

	(void)v;
	(void)share;
	for (unsigned k = 0; k < IOMIX_KINDS; k++)
		wanted |= s->mix[k] ? s->kinds & 1u << k : 0;
	if (!wanted)
		text = "no kind of --iomix-kinds has a weight in --iomix-mix";
	else if (iomix_share_out(s, slot) != wanted)
		text = "--iomix-mix: a weight below a hundredth of their sum gets no op; "
		       "make it 0 or larger";
	else if (s->bytes % s->size || s->bytes < 2 * IOMIX_SYNCED * s->size)
		text = "--iomix-bytes must be a multiple of --iomix-size, at least 32 of it";
	if (!text)
		return 0;
	memccpy(why, text, '\0', 256);
	return -EINVAL;
}

static int iomix_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	const struct iomix_state *s = state;

	(void)v;
	need->bytes = 2 * s->bytes + IOMIX_APPENDS * s->size;
	need->inodes = 3;
	need->file_bytes = s->bytes > IOMIX_APPENDS * s->size ? s->bytes : IOMIX_APPENDS * s->size;
	need->descriptors = 3;
	return 0;
}

/* --- one function per kind -------------------------------------------------------------------- */

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

static inline long iomix_full(const struct iomix_state *s, ssize_t n)
{
	return n == (ssize_t)s->size ? 0 : n < 0 ? -errno : -EIO;
}

static long iomix_pwrite_seq(struct fs_worker *w, struct iomix_state *s)
{
	(void)w;
	return iomix_full(s, pwrite(s->file, s->block, s->size, (off_t)iomix_next(s, &s->written)));
}

static long iomix_pwrite_rnd(struct fs_worker *w, struct iomix_state *s)
{
	return iomix_full(s, pwrite(s->file, s->block, s->size, (off_t)iomix_random(w, s)));
}

static long iomix_pread_seq(struct fs_worker *w, struct iomix_state *s)
{
	(void)w;
	return iomix_full(s, pread(s->file, s->block, s->size, (off_t)iomix_next(s, &s->read)));
}

static long iomix_pread_rnd(struct fs_worker *w, struct iomix_state *s)
{
	return iomix_full(s, pread(s->file, s->block, s->size, (off_t)iomix_random(w, s)));
}

static long iomix_append(struct fs_worker *w, struct iomix_state *s)
{
	const ssize_t n = pwrite(s->appended, s->block, s->size, (off_t)s->end);

	(void)w;
	s->end += n > 0 ? (uint64_t)n : 0;
	return iomix_full(s, n);
}

static long iomix_copy(struct fs_worker *w, struct iomix_state *s)
{
	off_t from = (off_t)iomix_random(w, s), to = from;
	const long n = fs_sys_copy_file_range(s->file, &from, s->copied, &to, s->size);

	return n == (long)s->size ? 0 : n < 0 ? n : -EIO;
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

/* --- set-up, fill, op ------------------------------------------------------------------------- */

static int iomix_files(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	int rc;

	s->file = fs_file_open(w, "file", O_CREAT | O_RDWR);
	s->appended = fs_file_open(w, "appended", O_CREAT | O_RDWR);
	s->copied = fs_file_open(w, "copied", O_CREAT | O_RDWR);
	if (s->file < 0 || s->appended < 0 || s->copied < 0)
		return s->file < 0 ? s->file : s->appended < 0 ? s->appended : s->copied;
	rc = fs_make_written(w, s->file, 0, s->bytes);
	if (rc == 0 && s->kinds & 1u << IOMIX_COPY)
		rc = fs_make_written(w, s->copied, 0, s->bytes);
	if (rc == 0 && s->kinds & 1u << IOMIX_MSYNC)
		rc = fs_map(w, s->file, s->bytes, (void **)&s->map);
	/* Where the flags cannot be read, the trial of the kind will say so, and what to do. */
	if (rc == 0 && s->kinds & 1u << IOMIX_SETFLAGS &&
	    ioctl(s->file, FS_IOC_GETFLAGS, &s->flags))
		s->flags = 0;
	return rc;
}

/* Every kind once, so that what cannot work here is named before anything is counted. */
static int iomix_try(struct fs_worker *w, unsigned wanted)
{
	struct iomix_state *s = fs_state(w);
	unsigned good = 0;
	char text[256], *at = text;
	long rc, first = 0;

	for (unsigned k = 0; k < IOMIX_KINDS; k++) {
		rc = wanted >> k & 1 ? iomix_call[k](w, s) : 0;
		good |= rc < 0 ? 0 : wanted & 1u << k;
		first = first ? first : rc < 0 ? rc : 0;
	}
	if (!first)
		return 0;
	for (unsigned k = 0; k < IOMIX_KINDS; k++) {
		if (!(good >> k & 1))
			continue;
		if (at > text)
			*at++ = '+';
		at = stpcpy(at, iomix_kinds[k]);
	}
	*at = '\0';
	return fs_fail(w, (int)-first,
		       "not every kind works here; this would run: --iomix-kinds %s", text);
}

/* Fisher and Yates, from a stream of its own. */
static void iomix_shuffle(struct fs_worker *w, struct iomix_state *s)
{
	struct fs_rng rng;

	fs_rng_seed(&rng, fs_rng_next(&w->rng), "shuffle", w->id);
	for (unsigned i = IOMIX_SLOTS - 1; i > 0; i--) {
		const unsigned j = (unsigned)fs_rng_below(&rng, i + 1);
		const uint8_t kind = s->slot[i];

		s->slot[i] = s->slot[j];
		s->slot[j] = kind;
	}
}

static int iomix_setup(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	unsigned wanted = iomix_share_out(s, s->slot), appends = 0;
	int rc;

	if (w->probing)
		s->bytes = 2 * IOMIX_SYNCED * s->size;
	s->page = (uint64_t)sysconf(_SC_PAGESIZE);
	s->blocks = s->bytes / s->size;
	for (unsigned i = 0; i < IOMIX_SLOTS; i++)
		appends += s->slot[i] == IOMIX_APPEND;
	w->round_ops = appends ? IOMIX_APPENDS / appends * IOMIX_SLOTS : 0;
	s->block = fs_buffer(w, s->size);
	if (!s->block)
		return -ENOMEM;
	s->kinds = wanted;
	rc = iomix_files(w);
	if (rc == 0)
		rc = iomix_try(w, wanted);
	iomix_shuffle(w, s);
	return rc;
}

static int iomix_fill(struct fs_worker *w, uint64_t n)
{
	struct iomix_state *s = fs_state(w);

	(void)n;
	s->end = 0;
	return ftruncate(s->appended, 0) ? -errno : 0;
}

static inline long iomix_op(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);

	w->kind = s->slot[s->turn];
	s->turn = s->turn + 1 < IOMIX_SLOTS ? s->turn + 1 : 0;
	return iomix_call[w->kind](w, s);
}
FS_RUN_LOOP_KINDS(iomix_run, iomix_op)

/* Sizes and flags are as the kinds leave them; whose bytes a block holds is not told apart. */
static int iomix_verify(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	struct stat file, appended;
	int flags = s->flags;

	if (fstat(s->file, &file) || fstat(s->appended, &appended))
		return -errno;
	if ((uint64_t)file.st_size != s->bytes || (uint64_t)appended.st_size != s->end)
		return fs_fail(w, EIO, "sizes are %lld and %lld, not %llu and %llu",
			       (long long)file.st_size, (long long)appended.st_size,
			       (unsigned long long)s->bytes, (unsigned long long)s->end);
	if (s->kinds & 1u << IOMIX_SETFLAGS && ioctl(s->file, FS_IOC_GETFLAGS, &flags))
		return -errno;
	if ((flags ^ s->flags) & FS_NODUMP_FL)
		return fs_fail(w, EIO, "the file's flags are 0x%x, not 0x%x",
			       (unsigned)flags, (unsigned)s->flags);
	return 0;
}

static const struct fs_calls iomix_calls[] = {
	{ "pwrite64", 18 + 18 + 8, ", 4096, " }, { "pread64", 18 + 18, ", 4096, " },
	{ "copy_file_range", 4, ", 4096, 0" }, { "fstat", 6, NULL },
	{ "fadvise64", 4, ", 4096, POSIX_FADV_WILLNEED" }, { "ioctl", 2, "FS_IOC_SETFLAGS" },
	{ "sync_file_range", 2, "SYNC_FILE_RANGE_WRITE|SYNC_FILE_RANGE_WAIT_AFTER" },
	{ "msync", 1, "MS_SYNC" }, { "fdatasync", 1, NULL }, { .name = NULL }
};

static const struct fs_variant iomix_variants[] = {
	{
		.name = "mix", .share = FS_SHARE_DIR, .batch_multiple = IOMIX_SLOTS,
		.op = "the next of a seeded sequence of 100 kinds of I/O; "
		      "each kind has its own count and time",
		.calls = iomix_calls, .run = iomix_run, .fill = iomix_fill,
	},
	{ .run = NULL }
};

static const int iomix_unsupported[] = { EOPNOTSUPP, ENOTTY, ENOSYS, EINVAL, EXDEV, ENODEV, 0 };

static const char iomix_notes[] =
	"files:  one written and synced, in the page cache; a second for append, cut back\n"
	"        after 4096; a third for copy\n"
	"kinds:  pwrite, pread: one block, sequential or random; append: pwrite at the end;\n"
	"        copy: copy_file_range of a random block to the same place of the third file;\n"
	"        fadvise: WILLNEED of a cached block; setflags: toggles NODUMP;\n"
	"        mmap-msync: a store to a random page of a shared mapping, msync(MS_SYNC) of it;\n"
	"        sync-range: write, and wait for, the 16 blocks that pwrite-seq wrote last\n"
	"        (on overlay and tmpfs the kernel finds nothing to do); fdatasync: of the file\n"
	"read:   count and time of each kind; their sum is the rate of the slowest one\n"
	"scales: private files: until the device, the journal or memory bandwidth";

const struct fs_stressor fs_stressor_iomix = {
	.name = "iomix", .summary = "a fixed mix of kinds of I/O, each with its own numbers",
	.notes = iomix_notes, .classes = FS_CLASS_FILESYSTEM | FS_CLASS_OS, .version = 1,
	.options = iomix_options, .variants = iomix_variants, .kinds = iomix_kinds,
	.unsupported = iomix_unsupported, .state_size = sizeof(struct iomix_state),
	.check = iomix_check, .need = iomix_need, .setup = iomix_setup, .verify = iomix_verify,
};
