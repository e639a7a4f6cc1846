// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config.h"
#include "core/message.h"
#include "core/worker.h"
#include "platform/clock.h"
#include "platform/shown.h"

#define TRACING_LIMIT_NS	FS_NSEC_PER_SEC		/* perf's answer */
#define TRACING_TAKE_NS		FS_NSEC_PER_MSEC

enum tracing_turn {			/* who may speak to perf */
	TRACING_SUPERVISOR,
	TRACING_ANY_WORKER,
	TRACING_ONE_WORKER,		/* is about to */
};

const char *fs_tracing_perf_error(int rc)
{
	return rc == -EPIPE ? "perf has gone" :
	       rc == -ETIMEDOUT ? "perf does not answer within 1 s" :
	       rc == -EAGAIN ? "perf does not read what it is told" : strerror(-rc);
}

/* --- the supervisor --------------------------------------------------------------------------- */

/*
 * perf before 5.12 does not know ping. To have it pause costs more than 1 s: with its events it
 * pauses what tells it of new processes and their names.
 */
static int tracing_ping(const struct fs_control *perf)
{
	const int rc = fs_control_say(perf, "ping", TRACING_LIMIT_NS);

	return rc == -ETIMEDOUT ? fs_control_say(perf, "disable", TRACING_LIMIT_NS) : rc;
}

static int tracing_open_perf(const char *fifos, struct tracing *t)
{
	char *commands = strdup(fifos), *comma = commands ? strchr(commands, ',') : NULL;
	char shown[FS_SHOWN_MAX];
	const char *which = fifos;
	int rc = -ENOMEM;

	if (comma)
		*comma = '\0';
	if (commands)
		rc = fs_control_open(commands, comma ? comma + 1 : NULL, &t->perf, &which);
	if (rc < 0)
		fs_error("--perf-control %s: %s", fs_shown(which, shown),
			 rc == -ENXIO ? "nobody reads it; start perf first" :
			 rc == -EINVAL ? "not a FIFO; make it with mkfifo" : strerror(-rc));
	free(commands);
	if (rc < 0)
		return rc;
	rc = tracing_ping(&t->perf);
	if (rc < 0)
		fs_error("--perf-control %s: %s", fs_shown(fifos, shown),
			 fs_tracing_perf_error(rc));
	return rc;
}

static int tracing_open_marker(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing/trace_marker",
					     "/sys/kernel/debug/tracing/trace_marker" };
	int fd = -1;

	for (unsigned i = 0; i < FS_ARRAY_SIZE(paths) && fd < 0; i++)
		fd = open(paths[i], O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		fs_error("--trace-marker: %s: %s; it needs root and "
			 "mount -t tracefs none /sys/kernel/tracing", paths[0], strerror(errno));
	return fd;
}

int fs_tracing_open(const struct config *c, struct tracing *t)
{
	*t = (struct tracing){ .perf = { -1, -1 }, .marker = -1 };
	if (c->trace_marker) {
		t->marker = tracing_open_marker();
		if (t->marker < 0)
			return -ENOENT;
	}
	return c->perf_control ? tracing_open_perf(c->perf_control, t) : 0;
}

void fs_tracing_close(struct tracing *t)
{
	fs_control_close(&t->perf);
	if (t->marker >= 0)
		close(t->marker);
	t->marker = -1;
}

void fs_tracing_lend(const struct tracing *t, struct area *a)
{
	a->tracing = (struct area_tracing){
		.rounds = t->marker >= 0 || (t->perf.commands >= 0 && a->nstages == 1),
		.perf_commands = t->perf.commands, .perf_answers = t->perf.answers,
		.marker = t->marker, .turn = TRACING_SUPERVISOR,
	};
}

static void tracing_keep(int fd)
{
	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, 0);
}

void fs_tracing_keep(const struct area *a)
{
	if (!a->tracing.rounds)
		return;
	tracing_keep(a->tracing.perf_commands);
	tracing_keep(a->tracing.perf_answers);
	tracing_keep(a->tracing.marker);
}

static bool tracing_take(struct area *a, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&a->tracing.turn, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* After a failure perf, which may be slow only, is told and not waited for. The first failure. */
static int tracing_say(const struct fs_control *perf, struct area *a, const char *command)
{
	const bool failed = fs_load(&a->tracing.failed);
	const int rc = fs_control_say(perf, command, failed ? 0 : TRACING_LIMIT_NS);

	if (rc < 0)
		fs_store(&a->tracing.failed, 1);
	return failed ? 0 : rc;
}

int fs_tracing_begin(const struct tracing *t, struct area *a, bool rounds)
{
	if (t->perf.commands < 0)
		return 0;
	if (!rounds)
		return tracing_say(&t->perf, a, "enable");
	fs_store_release(&a->tracing.turn, TRACING_ANY_WORKER);
	return 0;
}

/* A worker that was killed while it spoke is not waited for longer than perf would be. */
int fs_tracing_end(const struct tracing *t, struct area *a)
{
	const uint64_t limit = fs_now_ns() + TRACING_LIMIT_NS;

	if (t->perf.commands < 0)
		return 0;
	while (!tracing_take(a, TRACING_ANY_WORKER, TRACING_SUPERVISOR) &&
	       fs_load(&a->tracing.turn) == TRACING_ONE_WORKER && fs_now_ns() < limit)
		fs_sleep_until(fs_now_ns() + TRACING_TAKE_NS);
	fs_store_release(&a->tracing.turn, TRACING_SUPERVISOR);
	return tracing_say(&t->perf, a, "disable");
}

static int tracing_mark(int fd, const char *key, const char *what)
{
	char line[AREA_KEY_MAX + 64];
	const int n = snprintf(line, sizeof(line), "fsstress %s %s\n", key, what);

	return write(fd, line, (size_t)n) < 0 ? -errno : 0;
}

int fs_tracing_mark(const struct tracing *t, const char *key, const char *what)
{
	return t->marker < 0 ? 0 : tracing_mark(t->marker, key, what);
}

/* --- the workers ------------------------------------------------------------------------------ */

bool fs_tracing_rounds(const struct area *a)
{
	return a->tracing.rounds;
}

/* All are at the same moment of the same round: of those who come here one is the first. */
static bool tracing_first(struct area_stage *s, uint64_t moment)
{
	uint64_t last = fs_load(&s->round_told);

	return last < moment &&
	       __atomic_compare_exchange_n(&s->round_told, &last, moment, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void tracing_tell_perf(struct worker *k, const char *command)
{
	struct area *a = k->area;
	const struct fs_control perf = { a->tracing.perf_commands, a->tracing.perf_answers };
	int rc;

	if (perf.commands < 0 || !tracing_take(a, TRACING_ANY_WORKER, TRACING_ONE_WORKER))
		return;
	rc = tracing_say(&perf, a, command);
	tracing_take(a, TRACING_ONE_WORKER, TRACING_ANY_WORKER);
	if (rc < 0)
		fs_area_warn(k->stage, "--perf-control: %s: the profile is not of the window",
			     fs_tracing_perf_error(rc));
}

void fs_tracing_round(struct worker *k, uint64_t round, bool begins)
{
	char what[64];

	if (!tracing_first(k->stage, 2 * round + !begins))
		return;
	if (begins)
		tracing_tell_perf(k, "enable");
	if (k->area->tracing.marker >= 0) {
		snprintf(what, sizeof(what), "round %" PRIu64 " %s", round,
			 begins ? "begin" : "end");
		(void)tracing_mark(k->area->tracing.marker, k->stage->plan.key, what);
	}
	if (!begins)
		tracing_tell_perf(k, "disable");
}
