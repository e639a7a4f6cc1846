/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regime.h - what the ops of a stage ran against: memory, the log, the device; pure function
 *
 * The same op costs a microsecond in the page cache and a millisecond on the device, so numbers
 * compare within a regime only. It is judged by what the device did in the window. Refills and
 * whoever else uses the device are in that, hence times are set against the timed part alone, which
 * errs away from `memory`.
 *
 *   memory  the device was busy for less than 5 % of the timed part: had all ops waited for all of
 *           it, that would be within what repetitions of a run differ by. Or it did less than one
 *           request in 1000 ops and moved less than 16 bytes an op: on a device shared with others
 *           a fast op would never be seen to be alone.
 *   log     not memory, and half of what was read and written, or more, are bytes of the log. Where
 *           these are not known: a cache flush for every second op or write, or more. Data that is
 *           written back is not flushed that often; a log is, each time that it is forced.
 *   device  neither, and the device was busy for half of the timed part, or did a request for
 *           every second op: the ops went at its pace.
 *   mixed   something between. Or: not memory, and what was logged in the window is 0.5 to 2 times
 *           the size of the log. Up to the moment when it is full for the first time a log is
 *           written without anything being written back to make room in it, afterwards with:
 *           these are two rates, and their average is none. Below 0.5 there is the first alone,
 *           above 2 the second prevails.
 */
#ifndef CORE_REGIME_H
#define CORE_REGIME_H

#include <stdbool.h>

enum regime {				/* frozen, with their names */
	REGIME_UNKNOWN,			/* no device, or one that does not count; printed as null */
	REGIME_MEMORY,
	REGIME_LOG,
	REGIME_DEVICE,
	REGIME_MIXED,
};
extern const char *const fs_regime_names[];	/* "memory", ... by enum regime */

struct stage_result;

/* Of ops, measured_s, duty, device_io, log_bytes and log_turnover. */
enum regime fs_regime(const struct stage_result *r);
/* Whether log_turnover says that the log became full in the window. */
bool fs_regime_turned(const struct stage_result *r);

#endif
