// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/slice.h"

#include <string.h>

void fs_slice_cut(struct fs_slices *s, const struct fs_record *r)
{
	if (s->n == 0)
		s->length_ns = FS_SLICE_NS;
	if (s->n == FS_RECORDS_MAX) {
		for (unsigned i = 0; i < FS_RECORDS_MAX / 2; i++)
			s->record[i] = s->record[2 * i + 1];
		s->n = FS_RECORDS_MAX / 2;
		s->length_ns *= 2;
	}
	s->record[s->n++] = *r;
}

static uint64_t slice_between(uint64_t a, uint64_t b, double share)
{
	return b > a ? a + (uint64_t)(share * (double)(b - a)) : a;
}

/*
 * Where t_ns lies among the records: the CPU times as linear between its neighbours, of the
 * reference what the next one knows, since there is no half of it.
 */
static void slice_interpolate(const struct fs_slices *s, struct fs_record *at)
{
	unsigned next = 0;

	while (next < s->n && s->record[next].t_ns < at->t_ns)
		next++;
	if (next > 0 && next < s->n) {
		const struct fs_record *a = &s->record[next - 1], *b = &s->record[next];
		const double share = (double)(at->t_ns - a->t_ns) / (double)(b->t_ns - a->t_ns);

		at->cpu_ns = slice_between(a->cpu_ns, b->cpu_ns, share);
		at->wait_ns = slice_between(a->wait_ns, b->wait_ns, share);
		at->ref_units = b->ref_units;
		at->ref_cpu_ns = b->ref_cpu_ns;
	} else if (s->n) {
		const struct fs_record *end = &s->record[next ? s->n - 1 : 0];

		at->cpu_ns = end->cpu_ns;
		at->wait_ns = end->wait_ns;
		at->ref_units = end->ref_units;
		at->ref_cpu_ns = end->ref_cpu_ns;
	}
}

static bool slice_follows(const struct fs_record *r, const struct fs_record *before)
{
	return r->t_ns > before->t_ns && r->ops >= before->ops && r->off_ns >= before->off_ns &&
	       r->t_ns - before->t_ns >= r->off_ns - before->off_ns;
}

unsigned fs_slices_between(const struct fs_slices *s, const struct fs_record *start,
			   const struct fs_record *end, struct fs_record *out)
{
	unsigned n = 0;

	out[n++] = *start;
	slice_interpolate(s, &out[0]);
	for (unsigned i = 0; i < s->n; i++) {
		if (slice_follows(&s->record[i], &out[n - 1]) && slice_follows(end, &s->record[i]))
			out[n++] = s->record[i];
	}
	out[n] = *end;
	slice_interpolate(s, &out[n]);
	return n + 1;
}

unsigned fs_slices_merge(struct fs_record *records, unsigned n, unsigned most)
{
	while (n > most && n > 2) {
		unsigned kept = 1;

		for (unsigned i = 2; i < n - 1; i += 2)
			records[kept++] = records[i];
		records[kept++] = records[n - 1];
		n = kept;
	}
	return n;
}

/* Ops and time on the clock until t_ns; *i: where to look, only ever forward. */
static void series_until(const struct fs_track *t, double t_ns, unsigned *i, double *ops,
			 double *timed)
{
	const struct fs_record *first = &t->record[0], *a, *b;
	double share;

	while (*i + 2 < t->n && (double)(t->record[*i + 1].t_ns - first->t_ns) < t_ns)
		++*i;
	a = &t->record[*i];
	b = &t->record[*i + 1];
	share = (t_ns - (double)(a->t_ns - first->t_ns)) / (double)(b->t_ns - a->t_ns);
	*ops = (double)(a->ops - first->ops) + share * (double)(b->ops - a->ops);
	*timed = t_ns - (double)(a->off_ns - first->off_ns) -
		 share * (double)(b->off_ns - a->off_ns);
}

static void series_add(const struct fs_track *t, double *rates, unsigned n)
{
	const double step = (double)(t->record[t->n - 1].t_ns - t->record[0].t_ns) / n;
	double ops = 0, timed = 0;
	unsigned at = 0;

	for (unsigned i = 0; i < n; i++) {
		double ops_until, timed_until;

		series_until(t, step * (i + 1), &at, &ops_until, &timed_until);
		if (timed_until - timed >= 1)
			rates[i] += (ops_until - ops) / (timed_until - timed) * FS_NSEC_PER_SEC;
		ops = ops_until;
		timed = timed_until;
	}
}

void fs_series(const struct fs_track *tracks, unsigned workers, double *rates, unsigned n)
{
	memset(rates, 0, n * sizeof(*rates));
	for (unsigned w = 0; w < workers; w++) {
		if (tracks[w].n > 1)
			series_add(&tracks[w], rates, n);
	}
}
