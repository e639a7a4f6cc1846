// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report.h"

#define PROGRESS_LIVE_NS (FS_NSEC_PER_SEC / 4)

/* --- the live line ---------------------------------------------------------------------------- */

static bool progress_utf8(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned i = 0; i < FS_ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strstr(value, "UTF-8") || strstr(value, "utf8");
	}
	return false;
}

static const char *progress_spark(double share, bool utf8)
{
	static const char *const fine[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	static const char *const plain[] = { "_", ".", "-", "=", "+", "*", "%", "#" };
	const int last = FS_ARRAY_SIZE(fine) - 1;
	int level = (int)(share * last + 0.5);

	level = level < 0 ? 0 : level > last ? last : level;
	return utf8 ? fine[level] : plain[level];
}

/* The last rates between 0 and the greatest of them. */
static void progress_sparks(const struct progress *p, bool utf8, char *text, size_t size)
{
	const unsigned n = p->looks < PROGRESS_SPARKS ? p->looks : PROGRESS_SPARKS;
	double greatest = 0;
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		greatest = p->sparks[i] > greatest ? p->sparks[i] : greatest;
	text[0] = '\0';
	for (unsigned i = 0; i < n && at + 4 < size; i++) {
		const double rate = p->sparks[(p->looks - n + i) % PROGRESS_SPARKS];
		const char *spark = progress_spark(greatest > 0 ? rate / greatest : 0, utf8);

		at += (size_t)snprintf(text + at, size - at, "%s", spark);
	}
}

/* Two standard errors of the mean of the rates so far, as if they were independent. */
static double progress_error(const struct progress *p)
{
	const double n = p->looks, mean = p->sum / n;
	const double variance = (p->squares - n * mean * mean) / (n - 1);

	return p->looks > 2 && mean > 0 ? 2 * sqrt(fmax(variance, 0) / n) / mean : NAN;
}

char *fs_progress_line(const struct progress *p, const char *key, double at_s, double of_s,
		       bool utf8, char text[FS_PROGRESS_LINE])
{
	const double error = progress_error(p);
	char sparks[4 * PROGRESS_SPARKS + 1], half[32] = "";

	if (isfinite(error))
		snprintf(half, sizeof(half), " %s%.1f%%", utf8 ? "±" : "+-", 100 * error);
	progress_sparks(p, utf8, sparks, sizeof(sparks));
	snprintf(text, FS_PROGRESS_LINE, "%.100s  %.1f of %.4g s  %.0f ops/s%s  %s", key, at_s,
		 of_s, p->sparks[(p->looks - 1) % PROGRESS_SPARKS], half, sparks);
	return text;
}

static void progress_show(const struct progress *p, uint64_t now)
{
	const struct group *g = p->group;
	char text[FS_PROGRESS_LINE];

	fs_progress_line(p, g->flights[0].to->stage->key,
			 (double)(now - g->window_start_ns) / FS_NSEC_PER_SEC,
			 (double)g->session->config->timeout_ns / FS_NSEC_PER_SEC, progress_utf8(),
			 text);
	fprintf(stderr, "\r\033[K  %s", text);
	fflush(stderr);
}

/* --- looking ---------------------------------------------------------------------------------- */

void fs_progress_begin(struct progress *p, struct group *g)
{
	const struct config *c = g->session->config;
	bool room = true;

	*p = (struct progress){ .group = g };
	p->live = !c->quiet && isatty(STDERR_FILENO);
	p->step_ns = c->interval_ns ? c->interval_ns : p->live ? PROGRESS_LIVE_NS : 0;
	p->pairs = p->step_ns ? calloc(2 * g->n, sizeof(*p->pairs)) : NULL;
	for (unsigned i = 0; p->pairs && i < 2 * g->n; i++)
		room &= fs_snapshot_alloc(&p->pairs[i], fs_group_workers(&g->flights[i / 2])) == 0;
	if (!p->pairs || !room) {
		p->step_ns = 0;
		return;
	}
	for (unsigned i = 0; i < g->n; i++)
		fs_snapshot_take(&p->pairs[2 * i], g->area, i);
	p->due_ns = g->window_start_ns + p->step_ns;
}

uint64_t fs_progress_until(const struct progress *p, uint64_t end)
{
	return p->step_ns && p->due_ns < end ? p->due_ns : end;
}

static double progress_rate(struct progress *p, unsigned stage)
{
	struct snapshot *before = &p->pairs[2 * stage + p->looks % 2],
			*now = &p->pairs[2 * stage + (p->looks + 1) % 2];

	fs_snapshot_take(now, p->group->area, stage);
	return fs_stats_rate(before, now, fs_group_workers(&p->group->flights[stage]));
}

void fs_progress_look(struct progress *p)
{
	const uint64_t now = fs_now_ns();
	const struct config *c;
	double first = 0;

	if (!p->step_ns || now + p->step_ns / 2 < p->due_ns)
		return;
	c = p->group->session->config;
	for (unsigned i = 0; i < p->group->n; i++) {
		const double rate = progress_rate(p, i);

		first = i ? first : rate;
		if (c->interval_ns)
			fprintf(fs_report_people(c), "%s %.3f %.2f\n",
				p->group->flights[i].to->stage->key,
				(double)(now - p->group->window_start_ns) / FS_NSEC_PER_SEC, rate);
	}
	if (c->interval_ns)
		fflush(fs_report_people(c));
	p->sparks[p->looks++ % PROGRESS_SPARKS] = first;
	p->sum += first;
	p->squares += first * first;
	p->due_ns += p->step_ns;
	if (p->live)
		progress_show(p, now);
}

void fs_progress_end(struct progress *p)
{
	fs_progress_look(p);
	if (p->live && p->looks) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	for (unsigned i = 0; p->pairs && i < 2 * p->group->n; i++)
		fs_snapshot_free(&p->pairs[i]);
	free(p->pairs);
}
