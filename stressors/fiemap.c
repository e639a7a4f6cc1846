// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fiemap - map all extents of a file
 *
 * Op:     one pass over a whole file: FS_IOC_FIEMAP with room for B extents, from the end of
 *         the last one on, until the kernel marks an extent as the last. ceil(extents / B)
 *         ioctls; no flags, so nothing is synced.
 * Fill:   what decides the cost is where the kernel finds the mapping, so that is the variant. warm
 *         needs no fill; first drops ext4's cached mappings; dirty writes its blocks anew and
 *         leaves them unallocated; cold remounts.
 * Path:   ioctl_fiemap > fs fiemap (iomap_fiemap, extent_fiemap) >
 *         mapping lookup per extent > copy to user space.
 * Scales: share=none until a lock of the filesystem is met once per extent;
 *         share=file meets on the inode's locks.
 */
#include "core/stressor.h"

struct fiemap_state {
	uint64_t extents, buffer;	/* options */
	int layout;
	struct fiemap *map;
	uint64_t expected;		/* extents that each pass must find; 0: any but none */
	unsigned files, next;		/* files to pass over in turn */
	int fd[64];
};

enum { FIEMAP_WARM, FIEMAP_FIRST, FIEMAP_DIRTY, FIEMAP_COLD };
enum { FIEMAP_IOCTLS, FIEMAP_EXTENTS, FIEMAP_EXTENT_RATE };

/* enum fs_layout */
static const char *const fiemap_layouts[] = { "punched", "sparse", "contiguous", NULL };

static const struct fs_option fiemap_options[] = {
	FS_OPT_COUNT(struct fiemap_state, extents, "1024", 1, 1 << 24,
		     "extents of a file (contiguous: half its blocks)"),
	FS_OPT_COUNT(struct fiemap_state, buffer, "512", 0, 1 << 20,
		     "extents an ioctl has room for; 0: it only counts"),
	FS_OPT_ENUM(struct fiemap_state, layout, "punched", fiemap_layouts,
		    "how the extents were made"),
	FS_OPT_END
};

static const struct fs_counter fiemap_counters[] = {
	[FIEMAP_IOCTLS] = { "ioctls_per_op", "ioctls", FS_COUNTER_PER_OP },
	[FIEMAP_EXTENTS] = { "extents_per_op", "extents", FS_COUNTER_PER_OP },
	[FIEMAP_EXTENT_RATE] = { "extents_per_sec", "extents/s", FS_COUNTER_PER_SEC },
	{ .name = NULL }
};

static bool fiemap_many_files(const struct fs_variant *v)
{
	return v->arg == FIEMAP_FIRST || v->arg == FIEMAP_COLD;
}

/* Punched, a file has all 2k blocks for a moment; ext4 gives half of them back, btrfs never. */
static int fiemap_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	const struct fiemap_state *s = state;
	const bool halved = v->arg == FIEMAP_FIRST && s->layout == FS_LAYOUT_PUNCHED;
	const uint64_t block = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t kept = s->extents * (halved ? 1 : 2);
	const uint64_t files = fiemap_many_files(v) ? FS_ARRAY_SIZE(s->fd) : 1;

	need->bytes = (kept * files + s->extents) * block;
	need->inodes = files;
	need->file_bytes = 2 * s->extents * block;
	need->descriptors = files;
	return 0;
}

static int fiemap_make(struct fs_worker *w, int fd)
{
	struct fiemap_state *s = fs_state(w);
	uint64_t got;
	int rc;

	if (!fs_leader(w))
		rc = fs_count_extents(fd, &got);
	else
		rc = fs_make_extents(w, fd, (enum fs_layout)s->layout, s->extents, &got);
	if (rc == -ENOTUNIQ)
		return fs_fail(w, ENOTUNIQ,
			       "made %llu extents, not %llu: --fiemap-layout punched is exact",
			       (unsigned long long)got, (unsigned long long)s->extents);
	if (rc == -EOPNOTSUPP && s->layout != FS_LAYOUT_SPARSE && fs_count_extents(fd, &got) == 0)
		return fs_fail(w, EOPNOTSUPP,
			       "no fallocate here: --fiemap-layout sparse does without");
	if (rc == 0 && !w->loads)
		s->expected = got;
	return rc;
}

/* Under names made once, since cold opens them again and again. */
static int fiemap_open(struct fs_worker *w, int flags)
{
	struct fiemap_state *s = fs_state(w);

	for (unsigned i = 0; i < s->files; i++) {
		s->fd[i] = fs_file_open(w, s->files > 1 ? fs_name(w, i) : "extents", flags);
		if (s->fd[i] < 0)
			return s->fd[i];
	}
	return 0;
}

static int fiemap_setup(struct fs_worker *w)
{
	struct fiemap_state *s = fs_state(w);
	int rc;

	s->files = fiemap_many_files(w->variant) && !w->probing ? FS_ARRAY_SIZE(s->fd) : 1;
	if (w->probing && s->extents > 8)
		s->extents = 8;
	if (fiemap_many_files(w->variant))
		w->round_ops = s->files;
	s->map = fs_buffer(w, sizeof(*s->map) + s->buffer * sizeof(s->map->fm_extents[0]));
	if (!s->map)
		return -ENOMEM;
	*s->map = (struct fiemap){ .fm_extent_count = (uint32_t)s->buffer };
	rc = fs_make_names(w, s->files);
	if (rc == 0)
		rc = fiemap_open(w, O_CREAT | O_RDWR);
	for (unsigned i = 0; i < s->files && rc == 0; i++)
		rc = fiemap_make(w, s->fd[i]);
	return rc;
}

static int fiemap_fill_first(struct fs_worker *w, uint64_t n)
{
	struct fiemap_state *s = fs_state(w);

	for (unsigned i = 0; i < s->files && i < n; i++) {
		if (ioctl(s->fd[i], EXT4_IOC_CLEAR_ES_CACHE))
			return -errno;
	}
	s->next = 0;
	return 0;
}

/* ftruncate(0) throws away what write-back may have allocated meanwhile. */
static int fiemap_fill_dirty(struct fs_worker *w, uint64_t n)
{
	struct fiemap_state *s = fs_state(w);
	const uint64_t stride = s->layout == FS_LAYOUT_CONTIGUOUS ? 1 : 2;
	int rc;

	(void)n;
	s->expected = 0;
	if (!fs_leader(w))
		return 0;
	rc = fs_make_hole(s->fd[0], 2 * s->extents * fs_block_size(s->fd[0]));
	return rc < 0 ? rc : fs_make_blocks(w, s->fd[0], s->extents, stride);
}

static int fiemap_fill_cold(struct fs_worker *w, uint64_t n)
{
	struct fiemap_state *s = fs_state(w);
	const int rc = fs_remount(w);

	(void)n;
	s->next = 0;
	return rc < 0 ? rc : fiemap_open(w, O_RDWR);
}

/* Go on behind the last extent mapped, unless it is the file's last or none was mapped. */
static inline bool fiemap_advance(struct fiemap *map)
{
	const struct fiemap_extent *last;

	if (map->fm_extent_count == 0 || map->fm_mapped_extents == 0)
		return false;
	last = &map->fm_extents[map->fm_mapped_extents - 1];
	if (last->fe_flags & FIEMAP_EXTENT_LAST)
		return false;
	map->fm_start = last->fe_logical + last->fe_length;
	return true;
}

static inline long fiemap_op(struct fs_worker *w)
{
	struct fiemap_state *s = fs_state(w);
	struct fiemap *map = s->map;
	const int fd = s->fd[s->next];
	uint64_t extents = 0, ioctls = 0;

	s->next = s->next + 1 < s->files ? s->next + 1 : 0;
	map->fm_start = 0;
	do {
		map->fm_length = FIEMAP_MAX_OFFSET - map->fm_start;
		if (ioctl(fd, FS_IOC_FIEMAP, map))
			return -errno;
		extents += map->fm_mapped_extents;
		ioctls++;
	} while (fiemap_advance(map));
	if (fs_unlikely(s->expected ? extents != s->expected : !extents && !w->load))
		return fs_fail(w, EIO, "a pass found %llu extents, not %llu (0: any)",
			       (unsigned long long)extents, (unsigned long long)s->expected);
	fs_count(w, FIEMAP_IOCTLS, ioctls);
	fs_count(w, FIEMAP_EXTENTS, extents);
	fs_count(w, FIEMAP_EXTENT_RATE, extents);
	return (long)extents;
}
FS_RUN_LOOP(fiemap_run, fiemap_op)

/*
 * The op has compared each pass, unless loads may change the file; what is left: the kernel still
 * agrees with itself afterwards.
 */
static int fiemap_verify(struct fs_worker *w)
{
	struct fiemap_state *s = fs_state(w);
	uint64_t extents;

	for (unsigned i = 0; i < s->files && s->expected; i++) {
		const int rc = fs_count_extents(s->fd[i], &extents);

		if (rc < 0)
			return rc;
		if (extents != s->expected)
			return fs_fail(w, EIO, "file %u has %llu extents, not %llu", i,
				       (unsigned long long)extents,
				       (unsigned long long)s->expected);
	}
	return 0;
}

static const struct fs_calls fiemap_calls[] = {
	{ "ioctl", 1, "FS_IOC_FIEMAP, {fm_start=0, " },
	{ "ioctl", 1, "FS_IOC_FIEMAP, {fm_start=4190208, " },
	{ .name = NULL }
};

static const struct fs_variant fiemap_variants[] = {
	{
		.name = "warm", .arg = FIEMAP_WARM, .flags = FS_MEM | FS_LOAD,
		.share = FS_SHARE_DIR | FS_SHARE_FILE,
		.op = "one more pass over the extents of a file passed over before: "
		      "the mapping is in memory",
		.run = fiemap_run, .calls = fiemap_calls,
	}, {
		.name = "first", .arg = FIEMAP_FIRST, .flags = FS_MEM, .share = FS_SHARE_DIR,
		.op = "the first pass over a file whose cached mappings were dropped "
		      "(ext4; metadata blocks stay)",
		.run = fiemap_run, .calls = fiemap_calls, .fill = fiemap_fill_first,
	}, {
		.name = "dirty", .arg = FIEMAP_DIRTY, .flags = FS_MEM,
		.share = FS_SHARE_DIR | FS_SHARE_FILE,
		.op = "a pass over a file of written, never synced blocks: delayed allocation",
		.run = fiemap_run, .calls = fiemap_calls, .fill = fiemap_fill_dirty,
	}, {
		.name = "cold", .arg = FIEMAP_COLD, .flags = FS_IO | FS_COLD | FS_REMOUNT,
		.share = FS_SHARE_DIR,
		.op = "the first pass over a file since its filesystem was mounted: "
		      "the device is read",
		.run = fiemap_run, .calls = fiemap_calls, .fill = fiemap_fill_cold,
	},
	{ .run = NULL }
};

static const int fiemap_unsupported[] = { EOPNOTSUPP, ENOTTY, ENOTSUPP, 0 };

static const char fiemap_notes[] =
	"layout: punched = fallocated, then every other block punched;\n"
	"        sparse = every other block written, then fsync;\n"
	"        contiguous = allocated in one piece, as many extents as the filesystem gave\n"
	"check:  set-up counts the extents; a pass that finds another number fails\n"
	"        (dirty, and beside a load: any but none)\n"
	"files:  first and cold pass over 64 files a round, each once; warm and dirty over one\n"
	"path:   ioctl_fiemap > iomap_fiemap or the filesystem's own >\n"
	"        a lookup and a copy per extent\n"
	"scales: until a lock is taken once per extent; --share file: all workers on one inode";

const struct fs_stressor fs_stressor_fiemap = {
	.name = "fiemap", .summary = "map all extents of a file", .work_unit = "extents",
	.notes = fiemap_notes,
	.classes = FS_CLASS_FILESYSTEM | FS_CLASS_OS, .version = 1, .in_class = "warm first dirty",
	.options = fiemap_options, .variants = fiemap_variants, .counters = fiemap_counters,
	.unsupported = fiemap_unsupported, .state_size = sizeof(struct fiemap_state),
	.need = fiemap_need, .setup = fiemap_setup, .verify = fiemap_verify,
};
