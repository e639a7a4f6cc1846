/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - threads and processes wait for each other: futexes and a barrier, in shared memory
 *
 * All futexes are process-shared, so that threads and processes use one harness.
 */
#ifndef PLATFORM_GATE_H
#define PLATFORM_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/compiler.h"

/* Sleep while *word is value, at most timeout_ns (0: no limit). Wakes for anything: look again. */
void fs_futex_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns);
void fs_futex_wake_all(uint32_t *word);

/* A barrier that parties may leave, and that can be aborted for good. */
struct fs_barrier {
	uint64_t state;			/* aborted << 63 | arrived << 32 | parties */
	uint32_t turn;			/* futex word: bumped when a meeting is complete */
};

#define FS_BARRIER_ABORTED ((uint64_t)1 << 63)

void fs_barrier_init(struct fs_barrier *b, uint32_t parties);
/*
 * Wait until all parties are here: true. False when the barrier was aborted before the last of them
 * came: one word holds both, so a meeting is complete for all of its parties or for none. A waiter
 * spins for up to spin_ns before it sleeps: for parties that are all running, a wake-up costs more
 * than the wait.
 */
bool fs_barrier_wait(struct fs_barrier *b, uint64_t spin_ns);
/* One party goes for good; completes a meeting that waits for nobody else. */
void fs_barrier_leave(struct fs_barrier *b);
/* Who waits for others leaves at once, nobody waits any more. */
void fs_barrier_abort(struct fs_barrier *b);

static inline bool fs_barrier_aborted(const struct fs_barrier *b)
{
	return fs_load_acquire(&b->state) & FS_BARRIER_ABORTED;
}

#endif
