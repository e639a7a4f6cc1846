// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dearer - a stressor for the tests: an op that costs more the more of them there were, and one that does not
 *
 * Op:     spins; no system call.
 * Path:   none.
 * Scales: with the CPUs.
 */
#include "core/stressor.h"

#define DEARER_SPINS	2000		/* of the first op */
#define DEARER_OPS	2048		/* that make it one dearer */
#define DEARER_SOON_OPS	(1 << 21)	/* in which it gets a tenth dearer: the first seconds */

enum { DEARER_EVEN, DEARER_AGES, DEARER_SOON };

static inline long dearer_spin(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : : "r"(i) : "memory");
	return 0;
}

static inline long dearer_op(struct fs_worker *w)
{
	const uint64_t ops = *w->ops;

	if (w->variant->arg == DEARER_AGES)
		return dearer_spin(DEARER_SPINS + ops / DEARER_OPS * 64);
	if (w->variant->arg == DEARER_SOON)
		return dearer_spin(DEARER_SPINS + (ops < DEARER_SOON_OPS ? ops : DEARER_SOON_OPS) / 10486);
	return dearer_spin(DEARER_SPINS);
}
FS_RUN_LOOP(dearer_run, dearer_op)

static const struct fs_calls dearer_calls[] = { { .name = NULL } };

static const struct fs_variant dearer_variants[] = {
	{ .name = "even", .arg = DEARER_EVEN, .op = "spin", .calls = dearer_calls, .run = dearer_run,
	  .flags = FS_MEM },
	{ .name = "ages", .arg = DEARER_AGES, .op = "spin, longer with each thousand ops", .calls = dearer_calls,
	  .run = dearer_run, .flags = FS_MEM },
	{ .name = "soon", .arg = DEARER_SOON, .op = "spin, a tenth longer after the first two million ops",
	  .calls = dearer_calls, .run = dearer_run, .flags = FS_MEM },
	{ .run = NULL }
};

const struct fs_stressor fs_stressor_dearer = {
	.name = "dearer", .summary = "test only: spin, for longer and longer", .version = 1,
	.variants = dearer_variants,
};
