// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Latencies as JSON. A percentile that the samples are too few for is null.
 */
#include "core/report_parts.h"

static const struct {
	const char *name;
	size_t at;
} json_percentiles[] = {
	{ "p50", offsetof(struct fs_latency, p50) },
	{ "p90", offsetof(struct fs_latency, p90) },
	{ "p99", offsetof(struct fs_latency, p99) },
	{ "p999", offsetof(struct fs_latency, p999) },
};

static const struct fs_percentile *json_percentile(const struct fs_latency *l, unsigned i)
{
	return (const struct fs_percentile *)((const char *)l + json_percentiles[i].at);
}

/* {"p50": [low, high], ...}: 95 % intervals of order statistics. */
static json_t *json_intervals(const struct fs_latency *l)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < FS_ARRAY_SIZE(json_percentiles); i++) {
		const struct fs_percentile *p = json_percentile(l, i);
		json_t *ends = json_array();

		json_array_append_new(ends, fs_json_count(p->low_ns));
		json_array_append_new(ends, fs_json_count(p->high_ns));
		if (p->valid)
			json_object_set_new(o, json_percentiles[i].name, ends);
		else
			json_decref(ends);
	}
	return o;
}

json_t *fs_json_latency(const struct fs_latency *l)
{
	json_t *o;

	if (!l->samples)
		return json_null();
	o = json_object();
	json_object_set_new(o, "samples", fs_json_count(l->samples));
	json_object_set_new(o, "mean", fs_json_real(l->mean_ns));
	json_object_set_new(o, "min", fs_json_count(l->min_ns));
	for (unsigned i = 0; i < FS_ARRAY_SIZE(json_percentiles); i++) {
		const struct fs_percentile *p = json_percentile(l, i);

		json_object_set_new(o, json_percentiles[i].name,
				    fs_json_count(p->valid ? p->ns : FS_UNKNOWN));
	}
	json_object_set_new(o, "max", fs_json_count(l->max_ns));
	json_object_set_new(o, "intervals", json_intervals(l));
	return o;
}

/* [[low_ns, count], ...] of the cells that have any. */
static json_t *json_cells(const struct fs_histogram *h)
{
	json_t *cells = json_array();

	for (unsigned i = fs_histogram_next(h, 0); i < FS_HISTOGRAM_CELLS;
	     i = fs_histogram_next(h, i + 1)) {
		json_t *cell = json_array();

		json_array_append_new(cell, fs_json_count(fs_histogram_low(i)));
		json_array_append_new(cell, fs_json_count(h->cells[i]));
		json_array_append_new(cells, cell);
	}
	return cells;
}

static json_t *json_histogram(const struct fs_histogram *h)
{
	struct fs_latency l;
	json_t *o;

	if (!h)
		return json_null();
	fs_histogram_summary(&l, h);
	o = fs_json_latency(&l);
	if (l.samples)
		json_object_set_new(o, "histogram", json_cells(h));
	return o;
}

static json_t *json_load(const struct stage_result *r, unsigned i)
{
	const struct load_result *l = &r->loads[i];
	const bool passed = r->status == STATUS_PASSED;
	json_t *o = json_object();

	json_object_set_new(o, "key", fs_json_text(r->stage->loads[i].key));
	json_object_set_new(o, "asked_per_sec", fs_json_real(fs_load_asked(r->stage, i)));
	json_object_set_new(o, "achieved_per_sec",
			    fs_json_real(passed ? l->achieved_per_sec : NAN));
	json_object_set_new(o, "ops", fs_json_count(passed ? l->ops : FS_UNKNOWN));
	json_object_set_new(o, "missed", fs_json_tristate(passed ? l->missed : -1));
	json_object_set_new(o, "late_s", passed ? fs_json_seconds(l->late_ns) : json_null());
	json_object_set_new(o, "latency_ns", json_histogram(passed ? l->service : NULL));
	json_object_set_new(o, "response_ns", json_histogram(passed ? l->response : NULL));
	return o;
}

/* What ran beside the workers; null: nothing. */
static json_t *json_all_loads(const struct stage_result *r)
{
	json_t *list = r->stage->nloads ? json_array() : json_null();

	for (unsigned i = 0; i < r->stage->nloads; i++)
		json_array_append_new(list, json_load(r, i));
	return list;
}

void fs_json_latencies(json_t *o, const struct stage_result *r)
{
	const bool passed = r->status == STATUS_PASSED;

	json_object_set_new(o, "latency_ns", json_histogram(passed ? r->service : NULL));
	json_object_set_new(o, "response_ns", json_histogram(passed ? r->response : NULL));
	json_object_set_new(o, "late_s", r->response ? fs_json_seconds(r->late_ns) : json_null());
	json_object_set_new(o, "load", json_all_loads(r));
}
