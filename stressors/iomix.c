// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iomix - a fixed mix of kinds of I/O on one file, each with its own numbers
 *
 * Op:     mix: the next of a seeded, endless sequence of 100 kinds, all on blocks of one
 *         written file; append and copy write to a second and a third. Read the kinds:
 *         their sum is the rate of the slowest one.
 *         paced: one kind, while others work on the same file at rates of their own.
 * Fill:   mix: cuts the appended file back to nothing.
 * Path:   page cache reads and writes; fdatasync, msync and sync_file_range wait for the device.
 * Scales: private files, so until the device, the journal or memory bandwidth.
 */
#include <stdio.h>
#include <string.h>

#include "stressors/iomix.h"

enum { IOMIX_MIX, IOMIX_PACED };

static const struct fs_option iomix_options[] = {
	FS_OPT_SIZE(struct iomix_state, bytes, "32M", 1 << 16, 1ull << 50,
		    "the file that the kinds share, and the one copied to"),
	FS_OPT_SIZE(struct iomix_state, size, "4K", 512, 1 << 20, "a block"),
	FS_OPT_WEIGHTS(struct iomix_state, mix,
		       "pwrite-seq=18,pwrite-rnd=18,pread-seq=18,pread-rnd=18,"
		       "append=8,copy=4,fstat=6,fadvise=4,"
		       "setflags=2,mmap-msync=1,sync-range=2,fdatasync=1",
		       iomix_kinds, "weights; in proportion to their sum", .only = "mix"),
	FS_OPT_FLAGS(struct iomix_state, kinds,
		     "pwrite-seq+pwrite-rnd+pread-seq+pread-rnd+append+copy+fstat+fadvise+"
		     "setflags+mmap-msync+sync-range+fdatasync",
		     iomix_kinds, "only these of the mix", .only = "mix"),
	FS_OPT_ENUM(struct iomix_state, fg, "pread-rnd", iomix_kinds, "the kind that is the op",
		    .only = "paced"),
	FS_OPT_RATES(struct iomix_state, bg,
		     "pwrite-rnd@1000,fdatasync@10,fadvise@10,mmap-msync@100", iomix_kinds,
		     "kinds beside it, ops/s for each worker", .only = "paced"),
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

static const char *iomix_check_mix(const struct iomix_state *s)
{
	uint8_t slot[IOMIX_SLOTS];
	unsigned wanted = 0;

	for (unsigned k = 0; k < IOMIX_KINDS; k++)
		wanted |= s->mix[k] ? s->kinds & 1u << k : 0;
	if (!wanted)
		return "no kind of --iomix-kinds has a weight in --iomix-mix";
	if (iomix_share_out(s, slot) != wanted)
		return "--iomix-mix: a weight below a hundredth of their sum gets no op; "
		       "make it 0 or larger";
	return NULL;
}

static const char *iomix_check_paced(const struct iomix_state *s)
{
	if (s->fg == IOMIX_APPEND || s->bg[IOMIX_APPEND])
		return "append needs a file that is cut back: it goes with iomix.mix alone";
	return NULL;
}

static int iomix_check(const struct fs_variant *v, enum fs_share share, const void *state,
		       char why[256])
{
	const struct iomix_state *s = state;
	const char *text = v->arg == IOMIX_PACED ? iomix_check_paced(s) : iomix_check_mix(s);

	(void)share;
	if (!text && (s->bytes % s->size || s->bytes < 2 * IOMIX_SYNCED * s->size))
		text = "--iomix-bytes must be a multiple of --iomix-size, at least 32 of it";
	if (!text)
		return 0;
	memccpy(why, text, '\0', 256);
	return -EINVAL;
}

static int iomix_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	const struct iomix_state *s = state;
	const bool copies = s->fg == IOMIX_COPY, loaded = s->bg[IOMIX_COPY];

	if (v->arg == IOMIX_PACED) {
		need->bytes = (1u + copies + loaded) * s->bytes;
		need->inodes = 1u + copies + loaded;
		need->file_bytes = s->bytes;
		need->descriptors = 2;
		return 0;
	}
	need->bytes = 2 * s->bytes + IOMIX_APPENDS * s->size;
	need->inodes = 3;
	need->file_bytes = s->bytes > IOMIX_APPENDS * s->size ? s->bytes : IOMIX_APPENDS * s->size;
	need->descriptors = 3;
	return 0;
}

/* --- set-up, fill, op ------------------------------------------------------------------------- */

static bool iomix_has(const struct iomix_state *s, enum iomix_kind kind)
{
	return s->kinds >> kind & 1;
}

/* A load takes the file as it is. */
static int iomix_file(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	struct stat st;

	s->file = fs_file_open(w, "file", O_CREAT | O_RDWR);
	if (s->file < 0)
		return s->file;
	if (fs_leader(w))
		return fs_make_written(w, s->file, 0, s->bytes);
	if (fstat(s->file, &st))
		return -errno;
	s->bytes = (uint64_t)st.st_size / s->size * s->size;
	if (s->bytes < s->page)
		return fs_fail(w, ENODATA, "the file has %lld bytes, too few to work on",
			       (long long)st.st_size);
	return 0;
}

static int iomix_files(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	int rc = iomix_file(w);

	if (rc == 0 && iomix_has(s, IOMIX_APPEND))
		rc = s->appended = fs_file_open(w, "appended", O_CREAT | O_RDWR);
	if (rc >= 0 && iomix_has(s, IOMIX_COPY))
		rc = s->copied = fs_file_open(w, "copied", O_CREAT | O_RDWR);
	if (rc >= 0 && iomix_has(s, IOMIX_COPY))
		rc = fs_make_written(w, s->copied, 0, s->bytes);
	if (rc >= 0 && iomix_has(s, IOMIX_MSYNC))
		rc = fs_map(w, s->file, s->bytes, (void **)&s->map);
	/* Where the flags cannot be read, the trial of the kind will say so, and what to do. */
	if (rc >= 0 && iomix_has(s, IOMIX_SETFLAGS) && ioctl(s->file, FS_IOC_GETFLAGS, &s->flags))
		s->flags = 0;
	return rc < 0 ? rc : 0;
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

/* Ops until the appended file is as long as it may be. */
static uint64_t iomix_round(const struct iomix_state *s)
{
	unsigned appends = 0;

	for (unsigned i = 0; i < IOMIX_SLOTS; i++)
		appends += s->slot[i] == IOMIX_APPEND;
	return appends ? IOMIX_APPENDS / appends * IOMIX_SLOTS : 0;
}

static int iomix_setup(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	const bool paced = w->variant->arg == IOMIX_PACED;
	int rc;

	s->kinds = paced ? 1u << s->fg : iomix_share_out(s, s->slot);
	s->page = (uint64_t)sysconf(_SC_PAGESIZE);
	if (w->probing)
		s->bytes = 2 * IOMIX_SYNCED * s->size;
	s->block = fs_buffer(w, s->size);
	if (!s->block)
		return -ENOMEM;
	rc = iomix_files(w);
	s->blocks = s->bytes / s->size;
	if (paced)
		return rc;
	w->round_ops = iomix_round(s);
	if (rc == 0)
		rc = iomix_try(w, s->kinds);
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

static inline long iomix_paced_op(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);

	return iomix_call[s->fg](w, s);
}
FS_RUN_LOOP(iomix_paced_run, iomix_paced_op)

static bool iomix_load(const struct fs_variant *v, const void *state, unsigned i, char text[128])
{
	const struct iomix_state *s = state;

	for (unsigned k = 0; v->arg == IOMIX_PACED && k < IOMIX_KINDS; k++) {
		if (!s->bg[k] || i--)
			continue;
		snprintf(text, 128, "iomix.paced.%s@%u", iomix_kinds[k], s->bg[k]);
		return true;
	}
	return false;
}

/* Sizes and flags are as the kinds leave them; whose bytes a block holds is not told apart. */
static int iomix_verify(struct fs_worker *w)
{
	struct iomix_state *s = fs_state(w);
	struct stat file, appended = { .st_size = (off_t)s->end };
	int flags = s->flags;

	if (fstat(s->file, &file) ||
	    (iomix_has(s, IOMIX_APPEND) && fstat(s->appended, &appended)))
		return -errno;
	if ((uint64_t)file.st_size != s->bytes || (uint64_t)appended.st_size != s->end)
		return fs_fail(w, EIO, "sizes are %lld and %lld, not %llu and %llu",
			       (long long)file.st_size, (long long)appended.st_size,
			       (unsigned long long)s->bytes, (unsigned long long)s->end);
	if (iomix_has(s, IOMIX_SETFLAGS) && ioctl(s->file, FS_IOC_GETFLAGS, &flags))
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

static const struct fs_calls iomix_paced_calls[] = {
	{ "pread64", 1, ", 4096, " }, { .name = NULL }
};

static const struct fs_variant iomix_variants[] = {
	{
		.name = "mix", .arg = IOMIX_MIX, .batch_multiple = IOMIX_SLOTS,
		.share = FS_SHARE_DIR,
		.op = "the next of a seeded sequence of 100 kinds of I/O; "
		      "each kind has its own count and time",
		.calls = iomix_calls, .run = iomix_run, .fill = iomix_fill,
	}, {
		.name = "paced", .arg = IOMIX_PACED, .share = FS_SHARE_DIR, .flags = FS_LOAD,
		.op = "one kind of I/O, closed loop, while other kinds work on the same file at "
		      "rates of their own",
		.calls = iomix_paced_calls, .run = iomix_paced_run,
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
	"read:   mix: count and time of each kind; their sum is the rate of the slowest one;\n"
	"        paced: the op's own rate; each load has its rate, asked and achieved, and\n"
	"        its latency; one that misses its rate says load_missed\n"
	"scales: private files: until the device, the journal or memory bandwidth";

const struct fs_stressor fs_stressor_iomix = {
	.name = "iomix", .summary = "a fixed mix of kinds of I/O, each with its own numbers",
	.notes = iomix_notes, .classes = FS_CLASS_FILESYSTEM | FS_CLASS_OS, .version = 1,
	.in_class = "mix",
	.options = iomix_options, .variants = iomix_variants, .kinds = iomix_kinds,
	.unsupported = iomix_unsupported, .state_size = sizeof(struct iomix_state),
	.check = iomix_check, .need = iomix_need, .setup = iomix_setup, .verify = iomix_verify,
	.load = iomix_load,
};
