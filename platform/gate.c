// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/compiler.h"

void fs_futex_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	const struct timespec limit = {
		.tv_sec = (time_t)(timeout_ns / FS_NSEC_PER_SEC),
		.tv_nsec = (long)(timeout_ns % FS_NSEC_PER_SEC),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout_ns ? &limit : NULL, NULL, 0);
}

void fs_futex_wake_all(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void fs_barrier_init(struct fs_barrier *b, uint32_t parties)
{
	fs_store(&b->turn, 0);
	fs_store(&b->aborted, 0);
	fs_store_release(&b->state, (uint64_t)parties);
}

static bool gate_swap(uint64_t *state, uint64_t *old, uint64_t new)
{
	return __atomic_compare_exchange_n(state, old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void gate_release(struct fs_barrier *b)
{
	fs_add(&b->turn, 1);
	fs_futex_wake_all(&b->turn);
}

/*
 * Aborted: take back the arrival, so that nobody else can complete this meeting. False when that is
 * done; true when it is too late, because somebody has completed it and is about to bump the turn.
 */
static bool gate_too_late(struct fs_barrier *b)
{
	uint64_t old = fs_load_acquire(&b->state);

	do {
		if (old >> 32 == 0)
			return true;
	} while (!gate_swap(&b->state, &old, old - (1ull << 32)));
	return false;
}

/* The count is reset before the turn is bumped: nobody arrives for the next meeting in between. */
bool fs_barrier_wait(struct fs_barrier *b, uint64_t spin_ns)
{
	const uint32_t turn = fs_load_acquire(&b->turn);
	uint64_t old = fs_load_acquire(&b->state), arrived;
	uint64_t spin_end = spin_ns ? fs_now_ns() + spin_ns : 0;

	if (fs_load_acquire(&b->aborted))
		return false;
	do {
		arrived = (old >> 32) + 1;
		if (arrived == (uint32_t)old)
			arrived = 0;
	} while (!gate_swap(&b->state, &old, arrived << 32 | (uint32_t)old));
	if (arrived == 0)
		gate_release(b);
	while (fs_load_acquire(&b->turn) == turn) {
		if (fs_load_acquire(&b->aborted) && !gate_too_late(b))
			return false;
		if (spin_end && fs_now_ns() < spin_end)
			continue;
		fs_futex_wait(&b->turn, turn, FS_NSEC_PER_SEC / 10);
	}
	return true;
}

void fs_barrier_leave(struct fs_barrier *b)
{
	uint64_t old = fs_load_acquire(&b->state), new;

	do {
		const uint64_t arrived = old >> 32, parties = (uint32_t)old - 1;

		new = arrived == parties ? parties : arrived << 32 | parties;
	} while (!gate_swap(&b->state, &old, new));
	if (old >> 32 && !(new >> 32))
		gate_release(b);
}

void fs_barrier_abort(struct fs_barrier *b)
{
	fs_store_release(&b->aborted, 1);
	fs_futex_wake_all(&b->turn);
}
