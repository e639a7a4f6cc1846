// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/pace.h"

/* Slept short of the due time, for a wake-up takes tens of microseconds; the rest is spun. */
#define PACE_WAKE_NS	(60 * FS_NSEC_PER_USEC)
/* Slept at once at most, so that a stop is seen soon. */
#define PACE_SLEEP_NS	(FS_NSEC_PER_SEC / 20)

void fs_pace_init(struct worker *k, double rate, uint64_t *late_ns)
{
	k->pace.rate = rate;
	k->pace.wake_ns = k->load ? 0 : PACE_WAKE_NS;
	k->pace.late_ns = late_ns;
}

void fs_pace_begin(struct worker *k, uint64_t now)
{
	k->pace.step_ns = 0;
	k->pace.due_ns = (double)now;
}

static void pace_wait(struct worker *k, uint64_t due)
{
	uint64_t now = fs_now_ns();

	while (now + k->pace.wake_ns < due && !fs_worker_stopped(k)) {
		const uint64_t left = due - k->pace.wake_ns - now;

		fs_sleep_until(now + (left < PACE_SLEEP_NS ? left : PACE_SLEEP_NS));
		now = fs_now_ns();
	}
	while (now < due && !fs_worker_stopped(k))
		now = fs_now_ns();
	if (now > due && now - due > *k->pace.late_ns && k->seen_phase == AREA_MEASURE)
		fs_store(k->pace.late_ns, now - due);
}

uint64_t fs_pace_await(struct worker *k, uint64_t n)
{
	k->pace.due_ns += k->pace.step_ns;
	k->pace.step_ns = (double)n * FS_NSEC_PER_SEC / k->pace.rate;
	pace_wait(k, (uint64_t)k->pace.due_ns);
	return n;
}

void fs_pace_ended(struct worker *k, uint64_t now)
{
	const uint64_t due = (uint64_t)k->pace.due_ns;

	if (k->response && k->seen_phase == AREA_MEASURE && now > due)
		fs_histogram_add(&k->response[fs_worker_kind(k)], now - due);
}
