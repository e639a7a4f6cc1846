// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a load does: one op each time one is due, asleep in between.
 */
#include "core/load.h"

#include <string.h>

#include "core/latency.h"
#include "core/pace.h"
#include "core/registry.h"

const struct fs_stressor *fs_load_stressor(const struct area_load *load)
{
	return fs_registry_find(load->stressor)->stressor;
}

void fs_load_init(struct worker *k, unsigned i)
{
	const struct area_load *load = &k->stage->plan.load[i];
	const struct fs_latency_places p = fs_latency_load_places(k->area, k->stage_index, i);

	k->load = i + 1;
	k->stressor = fs_load_stressor(load);
	k->service = p.service;
	k->response = p.response;
	k->pub.load = true;
	k->pub.stamp = true;
	k->pub.variant = fs_variant_find(k->stressor, load->variant);
	k->pub.ops = &k->slot->load[i].ops;
	memcpy(k->pub.state, load->state, k->stressor->state_size);
}

/* Loads of all workers start one after the other, spread over a period. */
static void load_begin(struct worker *k)
{
	const struct area_plan *plan = &k->stage->plan;
	const unsigned i = k->load - 1, which = k->pub.id * plan->loads + i;
	const double period = FS_NSEC_PER_SEC / plan->load[i].rate;

	fs_pace_init(k, plan->load[i].rate, &k->slot->load[i].late_ns);
	fs_pace_begin(k, k->area->gate.start_ns +
			 (uint64_t)(period * which / (k->pub.workers * plan->loads)));
}

static void load_run(struct worker *k)
{
	load_begin(k);
	while (fs_pace_await(k, 1), !fs_worker_stopped(k)) {
		k->seen_phase = fs_load(&k->area->gate.phase);
		k->pub.variant->run(&k->pub, 1);
		fs_pace_ended(k, fs_now_ns());
	}
}

int fs_load_task(struct worker *k)
{
	const struct area_plan *plan = &k->stage->plan;
	int rc;

	fs_rng_seed(&k->pub.rng, plan->seed, plan->load[k->load - 1].key, k->pub.id);
	rc = k->stressor->setup ? k->stressor->setup(&k->pub) : 0;
	if (rc >= 0) {
		fs_worker_gate(k);
		if (plan->probing)
			k->pub.variant->run(&k->pub, 1);
		else
			load_run(k);
	}
	if (k->stressor->teardown)
		k->stressor->teardown(&k->pub);
	return rc;
}
