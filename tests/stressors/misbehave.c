// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * misbehave - a stressor for the tests: getppid(2) that goes wrong in a chosen way at a chosen op
 *
 * Op:     getppid(2); the `at`-th one (each `at`-th one: tolerated) does what the variant says.
 * Path:   none of the filesystem's.
 */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "core/stressor.h"

struct misbehave_state {
	uint64_t at;			/* option */
	uint64_t done;
};

static const struct fs_option misbehave_options[] = {
	FS_OPT_COUNT(struct misbehave_state, at, "1000", 1, 1000000000, "which op"),
	FS_OPT_END
};

static bool misbehave_now(struct fs_worker *w)
{
	struct misbehave_state *s = fs_state(w);

	return ++s->done % s->at == 0;
}

static inline long misbehave_good(void)
{
	return syscall(SYS_getppid) > 0 ? 0 : -ESRCH;
}

static inline long misbehave_tolerated(struct fs_worker *w)
{
	return misbehave_now(w) ? -EAGAIN : misbehave_good();
}
FS_RUN_LOOP(misbehave_run_tolerated, misbehave_tolerated)

static inline long misbehave_fail(struct fs_worker *w)
{
	return misbehave_now(w) ? -EIO : misbehave_good();
}
FS_RUN_LOOP(misbehave_run_fail, misbehave_fail)

static inline long misbehave_crash(struct fs_worker *w)
{
	if (misbehave_now(w))
		raise(SIGSEGV);
	return misbehave_good();
}
FS_RUN_LOOP(misbehave_run_crash, misbehave_crash)

static inline long misbehave_hang(struct fs_worker *w)
{
	while (misbehave_now(w))
		pause();
	return misbehave_good();
}
FS_RUN_LOOP(misbehave_run_hang, misbehave_hang)

static uint64_t misbehave_run_idle(struct fs_worker *w, uint64_t n)
{
	(void)n;
	if (w->probing)
		fs_done(w, 1);
	return w->probing;
}

static inline long misbehave_nothing(struct fs_worker *w)
{
	(void)w;
	return misbehave_good();
}
FS_RUN_LOOP(misbehave_run_nothing, misbehave_nothing)

/* After that many, each fails with an errno that is tolerated. */
static inline long misbehave_dry(struct fs_worker *w)
{
	struct misbehave_state *s = fs_state(w);

	return s->done++ < s->at ? misbehave_good() : -EAGAIN;
}
FS_RUN_LOOP(misbehave_run_dry, misbehave_dry)

enum { MISBEHAVE_NOT, MISBEHAVE_SKIP, MISBEHAVE_MISMATCH, MISBEHAVE_STUCK };

/* The first worker fails, the others never come back. */
static int misbehave_stuck(struct fs_worker *w)
{
	if (w->probing)
		return 0;
	if (w->id == 0)
		return fs_fail(w, EIO, "the first worker's set-up");
	for (;;)
		pause();
}

static int misbehave_setup(struct fs_worker *w)
{
	if (w->variant->arg == MISBEHAVE_STUCK)
		return misbehave_stuck(w);
	return w->variant->arg == MISBEHAVE_SKIP ? -EOPNOTSUPP : 0;
}

static int misbehave_verify(struct fs_worker *w)
{
	return w->variant->arg == MISBEHAVE_MISMATCH ? fs_fail(w, EIO, "byte 17 is 3, should be 4") : 0;
}

static int misbehave_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	(void)state;
	need->bytes = strcmp(v->name, "huge") == 0 ? 1ull << 50 : 0;
	return 0;
}

static const struct fs_variant misbehave_variants[] = {
	{ .name = "tolerated", .op = "fails with EAGAIN at each `at`-th op", .run = misbehave_run_tolerated },
	{ .name = "fail", .op = "fails with EIO", .run = misbehave_run_fail },
	{ .name = "crash", .op = "dies of SIGSEGV", .run = misbehave_run_crash },
	{ .name = "hang", .op = "sleeps for ever", .run = misbehave_run_hang },
	{ .name = "idle", .op = "succeeds never", .run = misbehave_run_idle },
	{ .name = "skip", .op = "cannot be done here", .run = misbehave_run_nothing, .arg = MISBEHAVE_SKIP },
	{ .name = "mismatch", .op = "verify finds a mismatch", .run = misbehave_run_nothing,
	  .arg = MISBEHAVE_MISMATCH },
	{ .name = "dry", .op = "succeeds `at` times", .run = misbehave_run_dry },
	{ .name = "stuck", .op = "never comes to it: set-up hangs", .run = misbehave_run_nothing,
	  .arg = MISBEHAVE_STUCK, .share = FS_SHARE_FILE },
	{ .name = "huge", .op = "needs 1 PiB", .run = misbehave_run_nothing },
	{ .run = NULL }
};

static const int misbehave_tolerated_errnos[] = { EAGAIN, 0 };
static const int misbehave_unsupported[] = { EOPNOTSUPP, 0 };

const struct fs_stressor fs_stressor_misbehave = {
	.name = "misbehave", .summary = "test only: go wrong in a chosen way", .version = 1,
	.options = misbehave_options, .variants = misbehave_variants, .state_size = sizeof(struct misbehave_state),
	.tolerated = misbehave_tolerated_errnos, .unsupported = misbehave_unsupported,
	.need = misbehave_need, .setup = misbehave_setup, .verify = misbehave_verify,
};
