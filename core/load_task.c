// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a load does: one op each time one is due, asleep in between.
 */
#include "core/load.h"

#include <string.h>

#include "core/latency.h"
#include "core/registry.h"

/* Slept at once at most, so that the end is seen soon. */
#define LOAD_SLEEP_NS	(FS_NSEC_PER_SEC / 20)

void fs_load_init(struct worker *k, unsigned i, const struct fs_stressor *of_stage)
{
	const struct area_load *load = &k->stage->plan.load[i];
	const struct fs_latency_places p =
		fs_latency_load_places(k->area, k->stage_index, of_stage, i);

	k->load = i + 1;
	k->stressor = fs_registry_find(load->stressor)->stressor;
	k->service = p.service;
	k->response = p.response;
	k->pub.load = true;
	k->pub.stamp = true;
	k->pub.variant = fs_variant_find(k->stressor, load->variant);
	k->pub.ops = &k->slot->load[i].ops;
	memcpy(k->pub.state, load->state, k->stressor->state_size);
}

static bool load_goes_on(const struct worker *k)
{
	return fs_helping(&k->pub) && !fs_worker_stopped(k);
}

/* False when the worker has left meanwhile. No spinning: the CPU may be the worker's. */
static bool load_await(struct worker *k, uint64_t due)
{
	uint64_t now;

	while (load_goes_on(k) && (now = fs_now_ns()) < due)
		fs_sleep_until(due - now < LOAD_SLEEP_NS ? due : now + LOAD_SLEEP_NS);
	return load_goes_on(k);
}

static void load_op(struct worker *k, uint64_t due)
{
	struct area_load_count *count = &k->slot->load[k->load - 1];
	const uint64_t start = fs_now_ns();

	k->seen_phase = fs_load(&k->area->gate.phase);
	if (k->seen_phase == AREA_MEASURE && start - due > count->late_ns)
		fs_store(&count->late_ns, start - due);
	k->pub.variant->run(&k->pub, 1);
	if (k->response && k->seen_phase == AREA_MEASURE)
		fs_histogram_add(k->response, fs_now_ns() - due);
}

/* The first one is due within a period, at a time of its own. In a trial it is the only one. */
static void load_run(struct worker *k)
{
	const struct area_plan *plan = &k->stage->plan;
	const double step = FS_NSEC_PER_SEC / plan->load[k->load - 1].rate;
	const double which = k->pub.id * plan->loads + k->load - 1;
	const double first = (double)k->area->gate.start_ns +
			     step * which / (k->pub.workers * plan->loads);

	if (plan->probing) {
		load_op(k, fs_now_ns());
		return;
	}
	for (double i = 0; load_await(k, (uint64_t)(first + i * step)); i++)
		load_op(k, (uint64_t)(first + i * step));
}

int fs_load_task(struct worker *k)
{
	const struct area_plan *plan = &k->stage->plan;
	int rc;

	fs_rng_seed(&k->pub.rng, plan->seed, plan->load[k->load - 1].key, k->pub.id);
	rc = k->stressor->setup ? k->stressor->setup(&k->pub) : 0;
	if (rc >= 0) {
		fs_worker_gate(k, &k->stage->loads_done);
		load_run(k);
	}
	if (k->stressor->teardown)
		k->stressor->teardown(&k->pub);
	return rc;
}
