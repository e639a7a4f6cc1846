// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/regime.h"

#include "core/result.h"

#define REGIME_IDLE 0.05
#define REGIME_BUSY 0.5
#define REGIME_ALIEN_REQUESTS 0.001 /* per op */
#define REGIME_ALIEN_BYTES 16 /* per op */
#define REGIME_PACED 0.5 /* requests per op */
#define REGIME_LOG_SHARE 0.5
#define REGIME_FLUSHES 0.5 /* per op, or per write */
#define REGIME_TURNED_MIN 0.5
#define REGIME_TURNED_MAX 2

const char *const fs_regime_names[] = { NULL, "memory", "log", "device", "mixed" };

/* How long the device was busy, at most: flushes are not in busy_s, the rest may be too much. */
static double regime_busy_s(const struct device_io *io)
{
	return fmin(io->busy_s + (isfinite(io->flush_s) ? io->flush_s : 0), io->queue_s);
}

bool fs_regime_turned(const struct stage_result *r)
{
	return r->log_turnover >= REGIME_TURNED_MIN && r->log_turnover <= REGIME_TURNED_MAX;
}

/* 0 for what an old kernel does not count. */
static double regime_count(uint64_t n)
{
	return n == FS_UNKNOWN ? 0 : (double)n;
}

static bool regime_log(const struct stage_result *r)
{
	const struct device_io *io = &r->device_io;
	const double flushes = regime_count(io->flushes);

	if (r->log_bytes != FS_UNKNOWN)
		return (double)r->log_bytes >=
		       REGIME_LOG_SHARE * (double)(io->read_bytes + io->write_bytes);
	return flushes >= REGIME_FLUSHES * (double)r->ops ||
	       (flushes > 0 && flushes >= REGIME_FLUSHES * (double)io->writes);
}

enum regime fs_regime(const struct stage_result *r)
{
	const struct device_io *io = &r->device_io;
	const double timed_s = r->duty * r->measured_s, ops = (double)r->ops;
	const double requests = (double)(io->reads + io->writes) + regime_count(io->flushes) +
				regime_count(io->discards);
	const double bytes = (double)(io->read_bytes + io->write_bytes);
	const double busy_s = regime_busy_s(io);

	if (!io->known || !r->ops || !(timed_s > 0))
		return REGIME_UNKNOWN;
	if (busy_s < REGIME_IDLE * timed_s ||
	    (requests < REGIME_ALIEN_REQUESTS * ops && bytes < REGIME_ALIEN_BYTES * ops))
		return REGIME_MEMORY;
	if (fs_regime_turned(r))
		return REGIME_MIXED;
	if (regime_log(r))
		return REGIME_LOG;
	if (busy_s >= REGIME_BUSY * timed_s || requests >= REGIME_PACED * ops)
		return REGIME_DEVICE;
	return REGIME_MIXED;
}
