// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/gate.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/posix_types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/compiler.h"

/*
 * The kernel's timespecs are not libc's on 32-bit machines: two longs for SYS_futex, whatever
 * time_t is, and 64 bits each for SYS_futex_time64, which is all that some of these machines have,
 * and which old kernels and filters refuse.
 */
static void gate_futex(uint32_t *word, int op, uint32_t value, uint64_t timeout_ns)
{
	const uint64_t sec = timeout_ns / FS_NSEC_PER_SEC, nsec = timeout_ns % FS_NSEC_PER_SEC;

#ifdef SYS_futex_time64
	const int64_t wide[2] = { (int64_t)sec, (int64_t)nsec };

	if (!syscall(SYS_futex_time64, word, op, value, timeout_ns ? wide : NULL, NULL, 0) ||
	    (errno != ENOSYS && errno != EPERM))
		return;
#endif
#ifdef SYS_futex
	const __kernel_long_t native[2] = { (__kernel_long_t)sec, (__kernel_long_t)nsec };

	syscall(SYS_futex, word, op, value, timeout_ns ? native : NULL, NULL, 0);
#endif
}

void fs_futex_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	gate_futex(word, FUTEX_WAIT, value, timeout_ns);
}

void fs_futex_wake_all(uint32_t *word)
{
	gate_futex(word, FUTEX_WAKE, INT_MAX, 0);
}

void fs_barrier_init(struct fs_barrier *b, uint32_t parties)
{
	fs_store(&b->turn, 0);
	fs_store_release(&b->state, (uint64_t)parties);
}

static uint32_t gate_arrived(uint64_t state)
{
	return (uint32_t)((state & ~FS_BARRIER_ABORTED) >> 32);
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
 * Whether the meeting of this turn cannot become complete any more. Nobody arrives once the barrier
 * is aborted, and nobody arrives for the next meeting before the turn is bumped: so those who have
 * arrived are of this one if the turn, looked at after them, is still the same. If nobody has, it
 * is complete, and the turn about to be bumped.
 */
static bool gate_in_vain(const struct fs_barrier *b, uint32_t turn)
{
	const uint64_t state = fs_load_acquire(&b->state);

	return state & FS_BARRIER_ABORTED && gate_arrived(state) &&
	       fs_load_acquire(&b->turn) == turn;
}

/* The count is reset before the turn is bumped: nobody arrives for the next meeting in between. */
bool fs_barrier_wait(struct fs_barrier *b, uint64_t spin_ns)
{
	const uint32_t turn = fs_load_acquire(&b->turn);
	const uint64_t spin_end = spin_ns ? fs_now_ns() + spin_ns : 0;
	uint64_t old = fs_load_acquire(&b->state), arrived;

	do {
		if (old & FS_BARRIER_ABORTED)
			return false;
		arrived = gate_arrived(old) + 1;
		if (arrived == (uint32_t)old)
			arrived = 0;
	} while (!gate_swap(&b->state, &old, arrived << 32 | (uint32_t)old));
	if (arrived == 0)
		gate_release(b);
	while (fs_load_acquire(&b->turn) == turn) {
		if (gate_in_vain(b, turn))
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
		new = old - 1;
		if (!(old & FS_BARRIER_ABORTED) && gate_arrived(new) == (uint32_t)new)
			new = (uint32_t)new;
	} while (!gate_swap(&b->state, &old, new));
	if (gate_arrived(old) && !gate_arrived(new))
		gate_release(b);
}

void fs_barrier_abort(struct fs_barrier *b)
{
	__atomic_fetch_or(&b->state, FS_BARRIER_ABORTED, __ATOMIC_ACQ_REL);
	fs_futex_wake_all(&b->turn);
}
