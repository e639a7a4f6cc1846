// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/latency.h"

#include <stdlib.h>

#include "core/worker.h"

static unsigned latency_kinds(const struct fs_stressor *s)
{
	unsigned n = 0;

	while (s->kinds && s->kinds[n])
		n++;
	return n ? n : 1;
}

uint64_t fs_latency_histograms(const struct fs_stressor *s, enum latency latency, double rate,
			       uint64_t workers)
{
	const unsigned one = latency_kinds(s) * (rate > 0 ? 2 : 1);

	if (latency == LATENCY_OFF)
		return 0;
	return latency == LATENCY_ALL ? one * workers : one;
}

struct fs_latency_places fs_latency_places(struct area *a, unsigned stage,
					   const struct fs_stressor *s, unsigned worker)
{
	const struct area_plan *plan = &area_stage(a, stage)->plan;
	const unsigned kinds = latency_kinds(s), parts = plan->rate > 0 ? 2 : 1;
	const unsigned first = plan->latency == LATENCY_ALL ? worker * kinds * parts : 0;

	if (plan->latency == LATENCY_OFF)
		return (struct fs_latency_places){ NULL, NULL };
	return (struct fs_latency_places){
		.service = area_histogram(a, stage, first),
		.response = parts > 1 ? area_histogram(a, stage, first + kinds) : NULL,
	};
}

unsigned fs_latency_load_histograms(enum latency latency)
{
	return latency == LATENCY_OFF ? 0 : 2;
}

struct fs_latency_places fs_latency_load_places(struct area *a, unsigned stage,
						const struct fs_stressor *s, unsigned i)
{
	const struct area_plan *plan = &area_stage(a, stage)->plan;
	const enum latency latency = (enum latency)plan->latency;
	const unsigned each = fs_latency_load_histograms(latency);
	const unsigned first = (unsigned)fs_latency_histograms(s, latency, plan->rate,
							       plan->workers) + i * each;

	if (!each)
		return (struct fs_latency_places){ NULL, NULL };
	return (struct fs_latency_places){ area_histogram(a, stage, first),
					   area_histogram(a, stage, first + 1) };
}

uint64_t fs_op_timed(struct fs_worker *w, uint64_t before, long rc)
{
	const uint64_t took = fs_now_ns() - before;
	struct worker *k = fs_worker_of(w);

	if (w->stamp && fs_kinds_of(k->stressor, w->variant)) {
		w->kinds[w->kind].timed_ns += took;
		w->kinds[w->kind].timed++;
	}
	if (rc >= 0 && k->service && k->seen_phase == AREA_MEASURE)
		fs_histogram_add(&k->service[fs_worker_kind(k)], took);
	return w->stamp ? fs_now_ns() : 0;
}

/* One kind over all workers, added to *sum, which is made on first use. */
static void latency_add(struct fs_histogram **sum, const struct fs_histogram *kinds, unsigned kind)
{
	if (!kinds)
		return;
	if (!*sum)
		*sum = calloc(1, sizeof(**sum));
	if (*sum)
		fs_histogram_merge(*sum, &kinds[kind]);
}

static void latency_kind(struct stage_result *r, struct area *a, unsigned stage, unsigned kind)
{
	const struct fs_stressor *s = r->stage->stressor;
	const unsigned sets = area_stage(a, stage)->plan.latency == LATENCY_ALL ?
			      r->stage->workers : 1;
	struct fs_histogram *of_kind = NULL;

	for (unsigned w = 0; w < sets; w++) {
		const struct fs_latency_places p = fs_latency_places(a, stage, s, w);

		latency_add(&of_kind, p.service, kind);
		latency_add(&r->response, p.response, kind);
	}
	if (!of_kind)
		return;
	if (s->kinds)
		fs_histogram_summary(&r->kinds[kind].latency, of_kind);
	latency_add(&r->service, of_kind, 0);
	free(of_kind);
}

void fs_latency_collect(struct stage_result *r, struct area *a, unsigned stage)
{
	for (unsigned kind = 0; kind < latency_kinds(r->stage->stressor); kind++)
		latency_kind(r, a, stage, kind);
	for (unsigned w = 0; w < r->stage->workers; w++) {
		const uint64_t late = fs_load(&area_slot(a, stage, w)->late_ns);

		r->late_ns = late > r->late_ns ? late : r->late_ns;
	}
}

void fs_latency_load_collect(struct load_result *l, const struct stage *planned, struct area *a,
			     unsigned stage, unsigned i)
{
	const struct fs_latency_places p = fs_latency_load_places(a, stage, planned->stressor, i);

	latency_add(&l->service, p.service, 0);
	latency_add(&l->response, p.response, 0);
}
