// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unlink - a stressor for the tests: rounds with a fill, names, and one directory each or for all
 *
 * Op:     unlinkat(2) of an empty, closed, single-link file.
 * Fill:   creates, untimed, the names that the round removes.
 * Path:   do_unlinkat > lock parent inode > vfs_unlink > fs unlink > iput > evict.
 * Scales: share=none until the journal saturates; share=dir serialises on one inode lock.
 */
#include "core/stressor.h"

struct unlink_state {
	uint64_t files;			/* option */
	uint64_t made, next;		/* names made by the fill; the next one to remove */
};

static const struct fs_option unlink_options[] = {
	FS_OPT_COUNT(struct unlink_state, files, "512", 1, 1000000, "names that a round removes"),
	FS_OPT_END
};

static int unlink_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	const struct unlink_state *s = state;

	(void)v;
	need->inodes = s->files;
	return 0;
}

static int unlink_setup(struct fs_worker *w)
{
	struct unlink_state *s = fs_state(w);

	w->round_ops = w->probing ? 1 : s->files;
	return fs_make_names(w, w->round_ops);
}

static int unlink_fill(struct fs_worker *w, uint64_t n)
{
	struct unlink_state *s = fs_state(w);

	s->next = 0;
	s->made = n;
	return fs_make_files(w, fs_dir(w), n);
}

static inline long unlink_op(struct fs_worker *w)
{
	struct unlink_state *s = fs_state(w);

	return fs_sys(unlinkat(fs_dir(w), fs_name(w, s->next++), 0));
}
FS_RUN_LOOP(unlink_run, unlink_op)

/* What a round that was cut has left. */
static int unlink_drain(struct fs_worker *w, uint64_t n)
{
	struct unlink_state *s = fs_state(w);

	(void)n;
	for (; s->next < s->made; s->next++) {
		if (unlinkat(fs_dir(w), fs_name(w, s->next), 0))
			return -errno;
	}
	return 0;
}

static const struct fs_calls unlink_calls[] = { { "unlinkat", 1, NULL }, { .name = NULL } };

static const struct fs_variant unlink_variants[] = {
	{ .name = "", .op = "unlinkat(2) of one empty file", .calls = unlink_calls, .share = FS_SHARE_DIR,
	  .run = unlink_run, .fill = unlink_fill, .drain = unlink_drain },
	{ .run = NULL }
};

const struct fs_stressor fs_stressor_unlink = {
	.name = "unlink", .summary = "test only: remove one name from a directory", .version = 1,
	.options = unlink_options, .variants = unlink_variants, .state_size = sizeof(struct unlink_state),
	.need = unlink_need, .setup = unlink_setup,
};
