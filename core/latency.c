// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/latency.h"

#include <stdlib.h>

#include "core/worker.h"

#define LATENCY_OF_LOAD	2		/* histograms: service and response */

static unsigned latency_kinds(const struct fs_stressor *s, const struct fs_variant *v)
{
	const char *const *kinds = fs_kinds_of(s, v);
	unsigned n = 0;

	while (kinds && kinds[n])
		n++;
	return n ? n : 1;
}

/* Those of the loads come first. */
uint64_t fs_latency_histograms(const struct config *c, const struct stage *s)
{
	const uint64_t one = latency_kinds(s->stressor, s->variant) * (c->rate > 0 ? 2 : 1);

	if (c->latency == LATENCY_OFF)
		return 0;
	return LATENCY_OF_LOAD * s->nloads + (c->latency == LATENCY_ALL ? one * s->workers : one);
}

struct fs_latency_places fs_latency_places(struct area *a, unsigned stage,
					   const struct fs_stressor *s,
					   const struct fs_variant *v, unsigned worker)
{
	const struct area_plan *plan = &area_stage(a, stage)->plan;
	const unsigned kinds = latency_kinds(s, v), parts = plan->rate > 0 ? 2 : 1;
	const unsigned first = LATENCY_OF_LOAD * plan->loads +
			       (plan->latency == LATENCY_ALL ? worker * kinds * parts : 0);

	if (plan->latency == LATENCY_OFF)
		return (struct fs_latency_places){ NULL, NULL };
	return (struct fs_latency_places){
		.service = area_histogram(a, stage, first),
		.response = parts > 1 ? area_histogram(a, stage, first + kinds) : NULL,
	};
}

struct fs_latency_places fs_latency_load_places(struct area *a, unsigned stage, unsigned i)
{
	if (area_stage(a, stage)->plan.latency == LATENCY_OFF)
		return (struct fs_latency_places){ NULL, NULL };
	return (struct fs_latency_places){
		.service = area_histogram(a, stage, LATENCY_OF_LOAD * i),
		.response = area_histogram(a, stage, LATENCY_OF_LOAD * i + 1),
	};
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
	const struct fs_variant *v = r->stage->variant;
	const unsigned sets = area_stage(a, stage)->plan.latency == LATENCY_ALL ?
			      r->stage->workers : 1;
	struct fs_histogram *of_kind = NULL;

	for (unsigned w = 0; w < sets; w++) {
		const struct fs_latency_places p = fs_latency_places(a, stage, s, v, w);

		latency_add(&of_kind, p.service, kind);
		latency_add(&r->response, p.response, kind);
	}
	if (!of_kind)
		return;
	if (fs_kinds_of(s, v))
		fs_histogram_summary(&r->kinds[kind].latency, of_kind);
	latency_add(&r->service, of_kind, 0);
	free(of_kind);
}

void fs_latency_collect(struct stage_result *r, struct area *a, unsigned stage)
{
	const unsigned kinds = latency_kinds(r->stage->stressor, r->stage->variant);

	for (unsigned kind = 0; kind < kinds; kind++)
		latency_kind(r, a, stage, kind);
	for (unsigned w = 0; w < r->stage->workers; w++) {
		const uint64_t late = fs_load(&area_slot(a, stage, w)->late_ns);

		r->late_ns = late > r->late_ns ? late : r->late_ns;
	}
}

void fs_latency_load_collect(struct stage_result *r, struct area *a, unsigned stage, unsigned i)
{
	const struct fs_latency_places p = fs_latency_load_places(a, stage, i);

	latency_add(&r->loads[i].service, p.service, 0);
	latency_add(&r->loads[i].response, p.response, 0);
}
