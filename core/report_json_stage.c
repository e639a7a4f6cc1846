// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One stage as JSON. Every key of the schema is always there; null says that the value is not
 * known.
 */
#include <string.h>

#include "core/key.h"
#include "core/registry.h"
#include "core/report_parts.h"
#include "platform/errno_name.h"

static json_t *json_classes(const struct fs_stressor *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; s && fs_class_names[i]; i++) {
		if (s->classes & 1u << i)
			json_array_append_new(list, json_string(fs_class_names[i]));
	}
	return list;
}

static json_t *json_options(const struct stage *s)
{
	const struct fs_option *o = s->stressor ? s->stressor->options : NULL;
	json_t *all = json_object();

	for (; o && o->name; o++) {
		char text[256];
		uint64_t number;

		if (o->kind == FS_OPTION_SIZE || o->kind == FS_OPTION_COUNT) {
			memcpy(&number, s->state + o->offset, sizeof(number));
			json_object_set_new(all, o->name, fs_json_count(number));
		} else {
			fs_option_print(o, s->state, text, sizeof(text));
			json_object_set_new(all, o->name, json_string(text));
		}
	}
	return all;
}

static json_t *json_cpus(const int *cpus, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; cpus && i < n; i++)
		json_array_append_new(list, fs_json_int(cpus[i]));
	return list;
}

static json_t *json_calls(const struct fs_variant *v)
{
	json_t *list;

	if (!v || !v->calls)
		return json_null();
	list = json_array();
	for (const struct fs_calls *c = v->calls; c->name; c++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(c->name));
		json_object_set_new(o, "n", json_integer(c->n));
		json_object_set_new(o, "args", fs_json_text(c->args));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_need(const struct fs_need *n)
{
	json_t *o = json_object();

	json_object_set_new(o, "bytes", fs_json_count(n->bytes));
	json_object_set_new(o, "inodes", fs_json_count(n->inodes));
	json_object_set_new(o, "file_bytes", fs_json_count(n->file_bytes));
	json_object_set_new(o, "descriptors", fs_json_count(n->descriptors));
	json_object_set_new(o, "aio_slots", fs_json_count(n->aio_slots));
	return o;
}

static void json_planned(json_t *o, const struct run_result *run, const struct stage *s)
{
	const unsigned helpers = s->helper_cpus ? s->workers * fs_stage_helpers(s) : 0;

	json_object_set_new(o, "stressor", fs_json_text(s->stressor ? s->stressor->name : s->key));
	json_object_set_new(o, "variant", fs_json_text(s->variant ? s->variant->name : NULL));
	json_object_set_new(o, "key", fs_json_text(s->key));
	json_object_set_new(o, "workload_version",
			    s->stressor ? json_integer(s->stressor->version) : json_null());
	json_object_set_new(o, "classes", json_classes(s->stressor));
	json_object_set_new(o, "options", json_options(s));
	json_object_set_new(o, "share", json_string(fs_share_name(s->share)));
	json_object_set_new(o, "workers", json_integer(s->workers));
	json_object_set_new(o, "asked", fs_json_text(s->asked));
	json_object_set_new(o, "task", json_string(s->process ? "process" : "thread"));
	json_object_set_new(o, "together", json_boolean(s->together));
	json_object_set_new(o, "oversubscribed", json_boolean(s->oversubscribed));
	json_object_set_new(o, "cpus", json_cpus(s->cpus, s->workers));
	json_object_set_new(o, "helper_cpus", json_cpus(s->helper_cpus, helpers));
	json_object_set_new(o, "timeout_s",
			    s->ops ? json_null() : fs_json_seconds(run->config->timeout_ns));
	json_object_set_new(o, "ops_limit", fs_json_given(s->ops));
	json_object_set_new(o, "need", json_need(&s->need));
	json_object_set_new(o, "notes", fs_json_lines(s->notes, FS_ARRAY_SIZE(s->notes)));
	json_object_set_new(o, "op", fs_json_text(s->variant ? s->variant->op : NULL));
	json_object_set_new(o, "op_calls", json_calls(s->variant));
}

static json_t *json_time_s(const struct stage_result *r)
{
	const struct {
		const char *name;
		double value;
	} times[] = {
		{ "prepare_s", r->prepare_s },
		{ "settle_s", r->settle_s },
		{ "warmup_s", r->warmup_s },
		{ "measured_s", r->measured_s },
		{ "verify_s", r->verify_s },
		{ "teardown_s", r->teardown_s },
		{ "wall_s", r->wall_s },
		{ "off_s", r->off_s },
		{ "duty", r->duty },
	};
	json_t *o = json_object();

	for (unsigned i = 0; i < FS_ARRAY_SIZE(times); i++)
		json_object_set_new(o, times[i].name, fs_json_real(times[i].value));
	json_object_set_new(o, "settled",
			    fs_json_tristate(isfinite(r->settle_s) ? r->settled : -1));
	return o;
}

static json_t *json_pair(const char *a, json_t *va, const char *b, json_t *vb)
{
	json_t *o = json_object();

	json_object_set_new(o, a, va);
	json_object_set_new(o, b, vb);
	return o;
}

static json_t *json_edge(uint64_t realtime_ns, uint64_t monotonic_ns)
{
	return json_pair("realtime_ns", fs_json_count(realtime_ns),
			 "monotonic_ns", fs_json_count(monotonic_ns));
}

static json_t *json_window(const struct stage_result *r)
{
	return json_pair("start", json_edge(r->start_realtime_ns, r->start_monotonic_ns),
			 "end", json_edge(r->end_realtime_ns, r->end_monotonic_ns));
}

static void json_usage(json_t *o, const struct stage_result *r)
{
	static const struct fs_usage unknown = {
		.voluntary = FS_UNKNOWN, .involuntary = FS_UNKNOWN,
		.minor = FS_UNKNOWN, .major = FS_UNKNOWN,
	};
	const struct fs_usage u = r->usage_known ? r->usage : unknown;
	json_t *cpu = json_pair("user", fs_json_real(r->user_s),
				"system", fs_json_real(r->system_s));

	json_object_set_new(cpu, "machine_busy", fs_json_real(r->machine_busy_s));
	json_object_set_new(cpu, "run_queue_wait", fs_json_real(r->wait_s));
	json_object_set_new(cpu, "steal", fs_json_real(r->environment.steal_s));
	json_object_set_new(o, "cpu_s", cpu);
	json_object_set_new(o, "context_switches",
			    json_pair("voluntary", fs_json_count(u.voluntary),
				      "involuntary", fs_json_count(u.involuntary)));
	json_object_set_new(o, "page_faults", json_pair("minor", fs_json_count(u.minor),
							"major", fs_json_count(u.major)));
	json_object_set_new(o, "rss_max_kib", fs_json_count(r->rss_max_kib));
}

/* {"instructions": {"user": of an op, "kernel": ...}, ...}; null without a PMU. */
static json_t *json_perf(const struct stage_result *r)
{
	json_t *all = json_object();
	bool known = false;

	for (unsigned i = 0; i < FS_PERF_EVENTS; i++) {
		const struct fs_perf_event *e = &fs_perf_events[i];
		json_t *event = json_object_get(all, e->name);

		if (!event) {
			event = json_object();
			json_object_set_new(all, e->name, event);
		}
		known |= r->perf[i] != FS_UNKNOWN;
		json_object_set_new(event, e->where,
				    fs_json_real(fs_report_per_op(r->perf[i], r->ops)));
	}
	if (known && r->status == STATUS_PASSED)
		return all;
	json_decref(all);
	return json_null();
}

static json_t *json_errors(const struct stage_result *r)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < AREA_ERRNOS_MAX; i++) {
		if (r->tolerated[i].count)
			json_object_set_new(o, fs_errno_name(r->tolerated[i].err),
					    fs_json_count(r->tolerated[i].count));
	}
	return o;
}

static json_t *json_metrics(const struct stage_result *r)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < r->nmetrics; i++)
		json_object_set_new(all, r->metrics[i].name,
				    json_pair("value", fs_json_real(r->metrics[i].value),
					      "unit", fs_json_text(r->metrics[i].unit)));
	if (isfinite(r->interval.trimmed) && r->status == STATUS_PASSED)
		json_object_set_new(all, REPORT_TRIMMED,
				    json_pair("value", fs_json_real(r->interval.trimmed),
					      "unit", json_string("ops/s")));
	return all;
}

static json_t *json_kinds(const struct stage_result *r)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < r->nkinds; i++) {
		json_t *o = json_pair("ops", fs_json_count(r->kinds[i].ops),
				      "share", fs_json_real(r->kinds[i].share));

		json_object_set_new(o, "mean_ns", fs_json_real(r->kinds[i].mean_ns));
		json_object_set_new(o, "time_share", fs_json_real(r->kinds[i].time_share));
		json_object_set_new(o, "latency_ns", fs_json_latency(&r->kinds[i].latency));
		json_object_set_new(all, r->kinds[i].name, o);
	}
	return all;
}

static json_t *json_rounds(const struct worker_result *w)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < w->nrounds; i++) {
		const struct area_round *round = &w->rounds[i];
		const uint64_t stamps[] = { round->fill, round->run, round->run_end,
					    round->drain_end };
		json_t *o = json_array();

		for (unsigned j = 0; j < FS_ARRAY_SIZE(stamps); j++)
			json_array_append_new(o, fs_json_int((int64_t)stamps[j]));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_workers(const struct stage_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; fs_report_measured(r) && i < r->stage->workers; i++) {
		const struct worker_result *w = &r->workers[i];
		json_t *o = json_pair("cpu", fs_json_int(w->cpu), "tid", json_integer(w->tid));

		json_object_set_new(o, "ops", fs_json_count(w->ops));
		json_object_set_new(o, "pin_lost", json_boolean(w->pin_lost));
		json_object_set_new(o, "batch", fs_json_count(w->batch));
		json_object_set_new(o, "cpu_start", fs_json_int(w->cpu_start));
		json_object_set_new(o, "cpu_end", fs_json_int(w->cpu_end));
		json_object_set_new(o, "off_s", fs_json_seconds(w->off_ns));
		json_object_set_new(o, "wait_s",
				    fs_json_real(w->nslices ? (double)w->wait_ns / 1e9 : NAN));
		json_object_set_new(o, "rounds", json_rounds(w));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_stage_warnings(const struct stage_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->nwarnings; i++)
		json_array_append_new(list, fs_json_text(r->warnings[i]));
	return list;
}

/* Whoever did not pass has no rate, whatever was counted. */
static void json_rates(json_t *o, const struct stage_result *r)
{
	const bool passed = r->status == STATUS_PASSED && r->ops;

	json_object_set_new(o, "ops", fs_json_count(fs_report_measured(r) ? r->ops : FS_UNKNOWN));
	json_object_set_new(o, "ops_per_sec", fs_json_real(passed ? r->ops_per_sec : NAN));
	json_object_set_new(o, "ops_per_cpu_sec", fs_json_real(passed ? r->ops_per_cpu_sec : NAN));
	json_object_set_new(o, "granularity", fs_json_text(r->granularity));
	json_object_set_new(o, "fairness", fs_json_real(r->fairness));
}

json_t *fs_json_stage(const struct run_result *run, const struct stage_result *r)
{
	static const char *const not_measured[] = {
		"locality",
	};
	json_t *o = json_object();

	json_planned(o, run, r->stage);
	json_object_set_new(o, "status", fs_json_text(fs_status_names[r->status]));
	json_object_set_new(o, "reason", fs_json_text(r->reason));
	json_object_set_new(o, "errno", r->err ? json_integer(r->err) : json_null());
	json_object_set_new(o, "errno_name", fs_json_text(r->err ? fs_errno_name(r->err) : NULL));
	json_rates(o, r);
	fs_json_samples(o, r);
	fs_json_latencies(o, r);
	json_usage(o, r);
	json_object_set_new(o, "time", json_time_s(r));
	json_object_set_new(o, "window", json_window(r));
	json_object_set_new(o, "perf", json_perf(r));
	json_object_set_new(o, "errors", json_errors(r));
	fs_json_cost(o, r);
	fs_json_pressure(o, r);
	json_object_set_new(o, "metrics", json_metrics(r));
	json_object_set_new(o, "kinds", json_kinds(r));
	json_object_set_new(o, "worker_detail", json_workers(r));
	json_object_set_new(o, "warnings", json_stage_warnings(r));
	for (unsigned i = 0; i < FS_ARRAY_SIZE(not_measured); i++)
		json_object_set_new(o, not_measured[i], json_null());
	return o;
}
