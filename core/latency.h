/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - where a stage's latencies are counted in the shared area, and what becomes of them
 *
 * Service time is from an op's start to its end. Under an open loop (--rate) response time is from
 * when the op should have started, so that what had to wait behind a slow op shows. Histograms are
 * counted in by all workers of a stage while one op of a batch is timed, and by one worker each
 * where all ops are, since then the shared lines would cost more than short ops do.
 */
#ifndef CORE_LATENCY_H
#define CORE_LATENCY_H

#include "core/area.h"
#include "core/config.h"
#include "core/result.h"

/* How many histograms a planned stage needs, its loads included. */
uint64_t fs_latency_histograms(const struct config *c, const struct stage *s);

struct fs_latency_places {		/* [kinds, at least one]; NULL: not counted */
	struct fs_histogram *service, *response;
};
/* Of one worker, in an area that was made for as many as fs_latency_histograms() says. */
struct fs_latency_places fs_latency_places(struct area *a, unsigned stage,
					   const struct fs_stressor *s,
					   const struct fs_variant *v, unsigned worker);

/* Of load i of a stage, all workers together. */
struct fs_latency_places fs_latency_load_places(struct area *a, unsigned stage, unsigned i);

/* Add up the histograms of all workers into the result. Without memory they stay unknown. */
void fs_latency_collect(struct stage_result *r, struct area *a, unsigned stage);
void fs_latency_load_collect(struct stage_result *r, struct area *a, unsigned stage, unsigned i);

#endif
