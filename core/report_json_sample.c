// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the slices of a stage say, as JSON: the interval, steadiness, and the slices themselves
 */
#include "core/reference.h"
#include "core/report_parts.h"

static json_t *json_ci95(const struct stage_result *r)
{
	const struct fs_interval *i = &r->interval;
	json_t *o;

	if (!(i->low <= i->high))
		return json_null();
	o = json_object();
	json_object_set_new(o, "low", fs_json_real(fs_report_ci95(r, i->low)));
	json_object_set_new(o, "high", fs_json_real(fs_report_ci95(r, i->high)));
	json_object_set_new(o, "reliable", json_boolean(i->reliable));
	json_object_set_new(o, "batches", json_integer(i->batches));
	json_object_set_new(o, "lag1", fs_json_real(i->lag1));
	json_object_set_new(o, "ess", fs_json_real(i->ess));
	return o;
}

static json_t *json_steady(const struct stage_result *r)
{
	const struct fs_steady *s = &r->steady;
	json_t *o;

	if (!s->judged)
		return json_null();
	o = json_object();
	json_object_set_new(o, "change", fs_json_real(s->change_at ? s->change : NAN));
	json_object_set_new(o, "change_at_s",
			    fs_json_real(s->change_at ?
					 (double)s->change_at * r->series_step_s : NAN));
	json_object_set_new(o, "slope_percent_per_min", fs_json_real(s->slope));
	json_object_set_new(o, "slope_low", fs_json_real(s->slope_low));
	json_object_set_new(o, "slope_high", fs_json_real(s->slope_high));
	json_object_set_new(o, "warmup_short", json_boolean(r->warmup_short));
	return o;
}

static json_t *json_differences(const struct fs_record *a, const struct fs_record *b)
{
	const uint64_t values[] = {
		b->t_ns - a->t_ns, b->ops - a->ops, b->off_ns - a->off_ns,
		b->cpu_ns - a->cpu_ns, b->wait_ns - a->wait_ns,
	};
	json_t *row = json_array();

	for (unsigned i = 0; i < FS_ARRAY_SIZE(values); i++)
		json_array_append_new(row, fs_json_count(values[i]));
	return row;
}

static json_t *json_slices(const struct stage_result *r)
{
	static const char *const columns[] = { "t_ns", "ops", "off_ns", "cpu_ns", "wait_ns" };
	json_t *o = json_object(), *names = json_array(), *rates = json_array(),
	       *workers = json_array();

	for (unsigned i = 0; i < FS_ARRAY_SIZE(columns); i++)
		json_array_append_new(names, json_string(columns[i]));
	for (unsigned i = 0; i < r->nseries; i++)
		json_array_append_new(rates, fs_json_real(r->series[i]));
	for (unsigned w = 0; w < r->stage->workers; w++) {
		const struct worker_result *k = &r->workers[w];
		json_t *rows = json_array();

		for (unsigned i = 1; i < k->nslices; i++)
			json_array_append_new(rows,
					      json_differences(&k->slices[i - 1], &k->slices[i]));
		json_array_append_new(workers, rows);
	}
	json_object_set_new(o, "step_s", fs_json_real(r->series_step_s));
	json_object_set_new(o, "ops_per_sec", rates);
	json_object_set_new(o, "columns", names);
	json_object_set_new(o, "workers", workers);
	return o;
}

static json_t *json_reference(const struct stage_result *r)
{
	json_t *o;

	if (r->reference.kind == REFERENCE_NONE)
		return json_null();
	o = json_object();
	json_object_set_new(o, "kind", json_string(fs_reference_names[r->reference.kind]));
	json_object_set_new(o, "ops_per_sec", fs_json_real(r->reference.ops_per_sec));
	json_object_set_new(o, "adjusted_ops_per_sec",
			    fs_json_real(r->reference.adjusted_ops_per_sec));
	json_object_set_new(o, "moved", fs_json_real(r->reference.moved));
	return o;
}

/* Whoever did not pass has no rate, so no series of rates either. */
void fs_json_samples(json_t *o, const struct stage_result *r)
{
	const bool known = r->status == STATUS_PASSED && r->nseries;

	json_object_set_new(o, "endpoint", fs_json_text(known ? fs_report_endpoint(r) : NULL));
	json_object_set_new(o, "ci95", known ? json_ci95(r) : json_null());
	json_object_set_new(o, "drift", known && r->steady.judged ?
			    json_string(fs_drift_names[r->steady.drift]) : json_null());
	json_object_set_new(o, "steady", known ? json_steady(r) : json_null());
	json_object_set_new(o, "reference", known ? json_reference(r) : json_null());
	json_object_set_new(o, "slices", known ? json_slices(r) : json_null());
}
