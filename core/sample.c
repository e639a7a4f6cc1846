// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/sample.h"

#include <stdlib.h>
#include <string.h>

struct sample {				/* one stage, while it is worked on */
	struct stage_result *r;
	struct area *area;
	unsigned stage;
	struct fs_track *warmup, *window;	/* [workers] */
};

static struct fs_record sample_edge(uint64_t t_ns, uint64_t ops, uint64_t off_ns)
{
	return (struct fs_record){ .t_ns = t_ns, .ops = ops, .off_ns = off_ns };
}

static bool sample_track(struct fs_track *t, const struct fs_slices *s,
			 const struct fs_record *start, const struct fs_record *end)
{
	if (end->t_ns <= start->t_ns)
		return true;
	t->record = malloc((FS_RECORDS_MAX + 2) * sizeof(*t->record));
	if (t->record)
		t->n = fs_slices_between(s, start, end, t->record);
	return t->record;
}

/* From the release to the window, and the window. */
static bool sample_worker(struct sample *s, unsigned w, const struct snapshot_worker *a,
			  const struct snapshot_worker *b)
{
	const uint64_t from = s->r->start_monotonic_ns, to = s->r->end_monotonic_ns;
	const struct fs_slices *slices = &area_slot(s->area, s->stage, w)->slices;
	const int64_t off = (int64_t)fs_off_ns(a->off, from);
	const uint64_t before = off > 0 ? (uint64_t)off : 0;
	const struct fs_record release = sample_edge(s->area->gate.start_ns, 0, 0),
		start = sample_edge(from, a->ops, before),
		end = sample_edge(to, b->ops, before + s->r->workers[w].off_ns);

	return sample_track(&s->warmup[w], slices, &release, &start) &&
	       sample_track(&s->window[w], slices, &start, &end);
}

static unsigned sample_least(const struct fs_track *tracks, unsigned workers)
{
	unsigned least = FS_RECORDS_MAX + 1;

	for (unsigned w = 0; w < workers; w++)
		least = tracks[w].n < least ? tracks[w].n : least;
	return least ? least - 1 : 0;
}

/* The warm-up in steps of the window's length, then the window. */
static void sample_diagnose(struct sample *s)
{
	struct stage_result *r = s->r;
	const double warmup_s = (double)(r->start_monotonic_ns - s->area->gate.start_ns) / 1e9;
	double all[FS_SLICES_MAX];
	unsigned before = (unsigned)(warmup_s / r->series_step_s + 0.5);

	before = before < FS_SLICES_MAX - r->nseries ? before : FS_SLICES_MAX - r->nseries;
	if (before)
		fs_series(s->warmup, r->stage->workers, all, before);
	memcpy(all + before, r->series, r->nseries * sizeof(*all));
	/* Where the first pass is what is measured, there is no warm-up to be short. */
	r->warmup_short = !(r->stage->variant->flags & FS_COLD) &&
			  fs_warmup_short(all, before, before + r->nseries);
	fs_steady(r->series, r->nseries, r->series_step_s, &r->steady);
	fs_interval(r->series, r->nseries, &r->interval);
	r->interval.reliable &= r->steady.drift == DRIFT_NONE;
}

static void sample_series(struct sample *s)
{
	struct stage_result *r = s->r;
	const unsigned n = sample_least(s->window, r->stage->workers);

	r->series = n ? malloc(n * sizeof(*r->series)) : NULL;
	if (!r->series)
		return;
	r->nseries = n;
	r->series_step_s = r->measured_s / n;
	fs_series(s->window, r->stage->workers, r->series, n);
	sample_diagnose(s);
}

/* The longest time on the clock without a record, and the waits; then the slices to keep. */
static void sample_keep(struct sample *s, unsigned w)
{
	const unsigned rows = FS_SLICE_ROWS_MAX / s->r->stage->workers;
	struct worker_result *k = &s->r->workers[w];
	struct fs_track *t = &s->window[w];
	const struct fs_record *r = t->record;

	for (unsigned i = 1; i < t->n; i++) {
		const uint64_t timed = r[i].t_ns - r[i - 1].t_ns - (r[i].off_ns - r[i - 1].off_ns);

		k->longest_ns = timed > k->longest_ns ? timed : k->longest_ns;
	}
	k->wait_ns = r[t->n - 1].wait_ns - r[0].wait_ns;
	k->nslices = fs_slices_merge(t->record, t->n, rows < 8 ? 8 : rows);
	k->slices = t->record;
	t->record = NULL;
}

static void sample_waits(struct stage_result *r)
{
	r->wait_s = 0;
	for (unsigned w = 0; w < r->stage->workers; w++)
		r->wait_s += (double)r->workers[w].wait_ns / FS_NSEC_PER_SEC;
}

static bool sample_recorded(const struct sample *s)
{
	for (unsigned w = 0; w < s->r->stage->workers; w++) {
		if (!area_slot(s->area, s->stage, w)->slices.n)
			return false;
	}
	return true;
}

void fs_sample(struct stage_result *r, struct area *a, unsigned stage,
	       const struct snapshot *start, const struct snapshot *end)
{
	const unsigned n = r->stage->workers;
	struct fs_track *tracks = calloc(2 * n, sizeof(*tracks));
	struct sample s = { r, a, stage, tracks, tracks + n };
	bool good = tracks && sample_recorded(&s) && r->measured_s > 0;

	for (unsigned w = 0; good && w < n; w++)
		good = sample_worker(&s, w, &start->workers[w], &end->workers[w]);
	if (good) {
		sample_series(&s);
		for (unsigned w = 0; w < n; w++)
			sample_keep(&s, w);
		sample_waits(r);
	}
	for (unsigned w = 0; tracks && w < 2 * n; w++)
		free(tracks[w].record);
	free(tracks);
}
