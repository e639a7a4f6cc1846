// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/observe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/group.h"
#include "core/message.h"
#include "core/report.h"
#include "platform/clock.h"
#include "platform/shown.h"

#define OBSERVE_EXIT_SETUP	3
#define OBSERVE_COME_UP_NS	(FS_NSEC_PER_SEC / 5)	/* as long as the shortest warm-up */

#define OBSERVE_PREFIX_MAX	(PATH_MAX + REPORT_KEY_MAX + 16)

/* --- before the run --------------------------------------------------------------------------- */

/* Where output files go: to the JSON, else here. Ends with a slash, or is empty. */
static void observe_directory(const struct config *c, char text[PATH_MAX])
{
	const char *slash = c->json ? strrchr(c->json, '/') : NULL;
	struct stat st;

	text[0] = '\0';
	if (!slash || slash - c->json + 2 > PATH_MAX)
		return;
	if (stat(c->json, &st) == 0 && !S_ISREG(st.st_mode))
		return;			/* /dev/stdout, a pipe */
	snprintf(text, PATH_MAX, "%.*s", (int)(slash - c->json) + 1, c->json);
}

static int observe_refuse(const char *option, const char *value, const char *why)
{
	char shown[FS_SHOWN_MAX];

	fs_error("%s %s: %s", option, fs_shown(value, shown), why);
	return OBSERVE_EXIT_SETUP;
}

static int observe_check_output(const struct config *c)
{
	char directory[PATH_MAX];
	const char *where;

	observe_directory(c, directory);
	where = directory[0] ? directory : ".";
	return c->nsnapshots && access(where, W_OK | X_OK) ?
	       observe_refuse("--snapshot: output in", where, strerror(errno)) : 0;
}

int fs_observe_open(struct session *s)
{
	const struct config *c = s->config;
	int status;

	if (fs_tracing_open(c, &s->tracing) < 0)
		return OBSERVE_EXIT_SETUP;
	status = observe_check_output(c);
	for (unsigned i = 0; i < c->nsnapshots && status == 0; i++) {
		const int rc = fs_copy_check(c->snapshots[i]);

		if (rc < 0)
			status = observe_refuse("--snapshot", c->snapshots[i],
						rc == -EINVAL ? "not a file" : strerror(-rc));
	}
	return status;
}

void fs_observe_close(struct session *s)
{
	fs_tracing_close(&s->tracing);
}

/* --- monitors --------------------------------------------------------------------------------- */

static void FS_PRINTF(2, 3) observe_warn(struct group *g, const char *fmt, ...)
{
	struct stage_result *r = g->flights[0].to->result;
	char text[sizeof(r->warnings[0])];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fs_warn_add(r->warnings, &r->nwarnings, "%s", text);
}

/* How often a stage runs: once for each repetition and place. */
static unsigned observe_runs(const struct config *c)
{
	const unsigned places = c->disk ? c->nfs : c->ntargets;

	return c->repeat * (places ? places : 1);
}

static void observe_prefix(const struct group *g, char text[OBSERVE_PREFIX_MAX])
{
	char directory[PATH_MAX], key[REPORT_KEY_MAX] = "all", run[16] = "";

	observe_directory(g->session->config, directory);
	if (g->n == 1)
		fs_report_key(g->flights[0].to->stage, key);
	if (observe_runs(g->session->config) > 1)
		snprintf(run, sizeof(run), ".r%u", g->session->run);
	snprintf(text, OBSERVE_PREFIX_MAX, "%s%s%s", directory, key, run);
}

/* Tids of all workers, with commas. NULL: out of memory. */
static char *observe_tids(const struct group *g)
{
	char *text = NULL;
	const char *comma = "";
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned i = 0; out && i < g->n; i++) {
		for (unsigned w = 0; w < fs_group_workers(&g->flights[i]); w++) {
			const uint32_t tid = fs_load(&area_slot(g->area, i, w)->tid);

			if (!tid)
				continue;
			fprintf(out, "%s%u", comma, tid);
			comma = ",";
		}
	}
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* What was mounted, or the whole device behind it. */
static void observe_device(const struct fs_target *t, char text[sizeof(t->source) + 8])
{
	if (strncmp(t->source, "/dev/", 5) == 0)
		snprintf(text, sizeof(t->source), "%s", t->source);
	else if (t->device[0])
		snprintf(text, sizeof(t->source), "/dev/%s", t->device);
	else
		text[0] = '\0';
}

/* A disk of ours is mounted where the stage is, and reached by way of it. */
static void observe_mount(const struct group *g, char text[PATH_MAX + 32])
{
	const struct flight *f = g->flights;

	while (fs_group_over(f) && f < &g->flights[g->n - 1])
		f++;
	if (g->session->has_disk)
		snprintf(text, PATH_MAX + 32, "/proc/%d/root%s", (int)f->child.pid,
			 g->session->disk.point);
	else
		snprintf(text, PATH_MAX + 32, "%s", g->facts->mount_point);
}

static void observe_start_monitors(struct group *g)
{
	const struct config *c = g->session->config;
	char prefix[OBSERVE_PREFIX_MAX], dev[sizeof(g->facts->source) + 8], mount[PATH_MAX + 32];
	char *tids = observe_tids(g);
	const struct monitor_facts facts = {
		.prefix = prefix, .tids = tids, .dev = dev, .mount = mount,
		.stage = g->n == 1 ? g->flights[0].stage->plan.key : "all", .area_fd = g->area_fd,
	};

	observe_prefix(g, prefix);
	observe_device(g->facts, dev);
	observe_mount(g, mount);
	for (unsigned i = 0; i < c->nmonitors; i++) {
		int rc = -ENOMEM;

		g->monitors[i].command = c->monitors[i];
		if (tids)
			rc = fs_monitor_start(g->session, &g->monitors[i], &facts);
		if (rc < 0)
			observe_warn(g, "monitor not started: %s", strerror(-rc));
	}
	free(tids);
}

/* --- the window ------------------------------------------------------------------------------- */

static void observe_copies(struct group *g, unsigned end)
{
	const struct config *c = g->session->config;
	char shown[FS_SHOWN_MAX];

	for (unsigned i = 0; i < c->nsnapshots; i++) {
		int rc;

		g->copies[i].path = c->snapshots[i];
		rc = fs_copy_read(&g->copies[i], end);
		if (rc < 0)
			observe_warn(g, "--snapshot %s: %s", fs_shown(c->snapshots[i], shown),
				     strerror(-rc));
	}
}

/* Returns the first error. */
static int observe_mark(const struct group *g, const char *what)
{
	int first = 0;

	for (unsigned i = 0; i < g->n; i++) {
		const int rc = fs_tracing_mark(&g->session->tracing, g->flights[i].stage->plan.key,
					       what);

		first = first ? first : rc;
	}
	return first;
}

/* With several stages at once somebody is always timed. */
static bool observe_rounds(const struct group *g)
{
	const struct fs_variant *v = g->flights[0].to->stage->variant;

	return g->n == 1 && (v->fill || v->drain);
}

static void observe_perf(struct group *g, int rc)
{
	if (rc < 0)
		observe_warn(g, "--perf-control: %s: the profile is not of the window",
			     fs_tracing_perf_error(rc));
}

void fs_observe_begin(struct group *g)
{
	int rc;

	g->observed = true;
	observe_copies(g, 0);
	observe_perf(g, fs_tracing_begin(&g->session->tracing, g->area, observe_rounds(g)));
	rc = observe_mark(g, "window begin");
	if (rc < 0)
		observe_warn(g, "--trace-marker: %s", rc == -EBADF ?
			     "tracing is off: echo 1 >/sys/kernel/tracing/tracing_on" :
			     strerror(-rc));
}

void fs_observe_start(struct group *g, uint64_t warmup_ns)
{
	if (g->probing)
		return;
	if (g->session->config->nmonitors) {
		observe_start_monitors(g);
		if (!warmup_ns)
			fs_session_wait(g->session, NULL, NULL, fs_now_ns() + OBSERVE_COME_UP_NS,
					0);
	}
	if (!warmup_ns)
		fs_observe_begin(g);
}

void fs_observe_stop(struct group *g)
{
	if (g->observed) {
		(void)observe_mark(g, "window end");
		observe_perf(g, fs_tracing_end(&g->session->tracing, g->area));
		observe_copies(g, 1);
	}
	fs_monitors_tell(g->monitors, FS_WATCHERS_MAX);
}

/* --- after the stage -------------------------------------------------------------------------- */

static void observe_judge_monitor(struct group *g, const struct monitor *m)
{
	char what[96], shown[FS_SHOWN_MAX];

	if (fs_monitor_failed(m, what))
		observe_warn(g, "monitor '%s' %s", fs_shown(m->command, shown), what);
}

static void observe_write_copy(struct group *g, struct copy *c, const char *prefix)
{
	char shown[FS_SHOWN_MAX];
	const int rc = c->text[0] && c->text[1] ? fs_copy_write(c, prefix) : 0;

	if (rc < 0)
		observe_warn(g, "--snapshot %s: output: %s", fs_shown(c->path, shown),
			     strerror(-rc));
	fs_copy_free(c);
}

void fs_observe_end(struct group *g)
{
	const struct config *c = g->session->config;
	char prefix[OBSERVE_PREFIX_MAX];

	if (g->probing)
		return;
	observe_prefix(g, prefix);
	fs_monitors_end(g->session, g->monitors, FS_WATCHERS_MAX);
	for (unsigned i = 0; i < c->nmonitors; i++)
		observe_judge_monitor(g, &g->monitors[i]);
	for (unsigned i = 0; i < c->nsnapshots; i++)
		observe_write_copy(g, &g->copies[i], prefix);
}
