// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One table for spreadsheets and data frames: a line of names, then a row for each stage of each
 * run. Cells are quoted as in RFC 4180, section 2, rules 5 to 7; lines end with a newline alone.
 * What is not known is an empty cell. Numbers have a decimal point and no exponent whatever the
 * user's locale is, since nothing here calls setlocale(3).
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/key.h"
#include "core/reference.h"
#include "core/report_parts.h"
#include "platform/errno_name.h"

#define CSV_TEXT_MAX 8192		/* of a cell that is put together here */

struct csv_row {
	const struct run_result *run;
	const struct stage_result *r;
	unsigned number;		/* of the run, from 1: as in the array of the JSON */
};

/* The text of a cell, in `text` or somebody else's; NULL: not known. at: of a field in r. */
typedef const char *csv_get(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX]);

/* --- numbers ---------------------------------------------------------------------------------- */

static const char *csv_print_count(uint64_t n, char text[CSV_TEXT_MAX])
{
	if (n == FS_UNKNOWN)
		return NULL;
	snprintf(text, CSV_TEXT_MAX, "%llu", (unsigned long long)n);
	return text;
}

static const char *csv_real(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	double value;

	memcpy(&value, (const char *)row->r + at, sizeof(value));
	return isfinite(value) ? fs_report_decimal(value, text) : NULL;
}

/* Whoever did not pass has no rate, whatever was counted. */
static const char *csv_rate(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return row->r->status == STATUS_PASSED && row->r->ops ? csv_real(row, at, text) : NULL;
}

static const char *csv_count(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	uint64_t n;

	memcpy(&n, (const char *)row->r + at, sizeof(n));
	return csv_print_count(n, text);
}

static const char *csv_ops(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return fs_report_measured(row->r) ? csv_count(row, at, text) : NULL;
}

static const char *csv_usage(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return row->r->usage_known ? csv_count(row, at, text) : NULL;
}

static const char *csv_device_count(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return row->r->device_io.known ? csv_count(row, at, text) : NULL;
}

static const char *csv_device_real(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return row->r->device_io.known ? csv_real(row, at, text) : NULL;
}

static bool csv_sampled(const struct stage_result *r)
{
	return r->status == STATUS_PASSED && r->nseries;
}

static const char *csv_sample(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return csv_sampled(row->r) ? csv_real(row, at, text) : NULL;
}

static const char *csv_adjusted(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	return row->r->reference.kind != REFERENCE_NONE ? csv_sample(row, at, text) : NULL;
}

static const char *csv_ci95(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	double end;

	memcpy(&end, (const char *)row->r + at, sizeof(end));
	end = fs_report_ci95(row->r, end);
	return csv_sampled(row->r) && isfinite(end) ? fs_report_decimal(end, text) : NULL;
}

/* at: of a percentile in struct fs_latency. */
static const char *csv_latency(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	struct fs_percentile p;
	struct fs_latency l;

	if (row->r->status != STATUS_PASSED || !row->r->service)
		return NULL;
	fs_histogram_summary(&l, row->r->service);
	memcpy(&p, (const char *)&l + at, sizeof(p));
	return csv_print_count(p.valid ? p.ns : FS_UNKNOWN, text);
}

/* --- words and whole numbers ------------------------------------------------------------------ */

#define CSV_GET(name, value)								\
	static const char *name(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX]) \
	{										\
		const struct stage_result *r = row->r;					\
		const struct stage *s = r->stage;					\
											\
		(void)s, (void)at, (void)text;						\
		return value;								\
	}

CSV_GET(csv_run, csv_print_count(row->number, text))
CSV_GET(csv_target, row->run->disk ? row->run->disk : row->run->target.path)
CSV_GET(csv_fstype, row->run->target.fstype)
CSV_GET(csv_device, row->run->target.device)
CSV_GET(csv_key, s->key)
CSV_GET(csv_stressor, s->stressor ? s->stressor->name : s->key)
CSV_GET(csv_variant, s->variant ? s->variant->name : NULL)
CSV_GET(csv_version, s->stressor ? csv_print_count(s->stressor->version, text) : NULL)
CSV_GET(csv_share, fs_share_name(s->share))
CSV_GET(csv_workers, csv_print_count(s->workers, text))
CSV_GET(csv_task, s->process ? "process" : "thread")
CSV_GET(csv_together, s->together ? "true" : "false")
CSV_GET(csv_status, fs_status_names[r->status])
CSV_GET(csv_reason, r->reason)
CSV_GET(csv_errno, r->err ? csv_print_count((uint64_t)r->err, text) : NULL)
CSV_GET(csv_errno_name, r->err ? fs_errno_name(r->err) : NULL)
CSV_GET(csv_granularity, r->granularity)
CSV_GET(csv_endpoint, csv_sampled(r) ? fs_report_endpoint(r) : NULL)
CSV_GET(csv_reliable, csv_sampled(r) ? r->interval.reliable ? "true" : "false" : NULL)
CSV_GET(csv_drift, csv_sampled(r) && r->steady.judged ? fs_drift_names[r->steady.drift] : NULL)
CSV_GET(csv_regime, r->status == STATUS_PASSED ? fs_regime_names[r->regime] : NULL)
CSV_GET(csv_reference, csv_sampled(r) && r->reference.kind != REFERENCE_NONE ?
		       fs_reference_names[r->reference.kind] : NULL)

/* --- lists ------------------------------------------------------------------------------------ */

/* Behind what is there; cut where it does not fit. */
static FS_PRINTF(3, 4)
void csv_append(char text[CSV_TEXT_MAX], const char *between, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	if (used)
		used += (size_t)snprintf(text + used, CSV_TEXT_MAX - used, "%s", between);
	if (used >= CSV_TEXT_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(text + used, CSV_TEXT_MAX - used, fmt, args);
	va_end(args);
}

static const char *csv_options(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	const struct stage *s = row->r->stage;
	const struct fs_option *o = s->stressor ? s->stressor->options : NULL;

	(void)at;
	text[0] = '\0';
	for (; o && o->name; o++) {
		char value[256];

		fs_option_print(o, s->state, value, sizeof(value));
		csv_append(text, " ", "%s=%s", o->name, value);
	}
	return text;
}

static const char *csv_metrics(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	(void)at;
	text[0] = '\0';
	for (unsigned i = 0; i < row->r->nmetrics; i++) {
		const struct metric *m = &row->r->metrics[i];
		char value[REPORT_NUMBER_MAX];

		if (isfinite(m->value))
			csv_append(text, " ", "%s=%s", m->name, fs_report_decimal(m->value, value));
	}
	return text;
}

static const char *csv_warnings(const struct csv_row *row, size_t at, char text[CSV_TEXT_MAX])
{
	(void)at;
	text[0] = '\0';
	for (unsigned i = 0; i < row->run->nwarnings; i++)
		csv_append(text, "; ", "%s", row->run->warnings[i]);
	for (unsigned i = 0; i < row->r->nwarnings; i++)
		csv_append(text, "; ", "%s", row->r->warnings[i]);
	return text;
}

/* --- the table -------------------------------------------------------------------------------- */

#define GET(name, get)		{ name, get, 0 }
#define AT(name, get, field)	{ name, get, offsetof(struct stage_result, field) }
#define P(name, field)		{ name, csv_latency, offsetof(struct fs_latency, field) }

/* Read by name, never by position: columns will be added where they belong. */
static const struct csv_column {
	const char *name;
	csv_get *get;
	size_t at;
} csv_columns[] = {
	GET("run", csv_run),
	GET("target", csv_target),
	GET("fstype", csv_fstype),
	GET("device", csv_device),
	GET("key", csv_key),
	GET("stressor", csv_stressor),
	GET("variant", csv_variant),
	GET("workload_version", csv_version),
	GET("options", csv_options),
	GET("share", csv_share),
	GET("workers", csv_workers),
	GET("task", csv_task),
	GET("together", csv_together),
	GET("status", csv_status),
	GET("reason", csv_reason),
	GET("errno", csv_errno),
	GET("errno_name", csv_errno_name),
	AT("ops", csv_ops, ops),
	AT("ops_per_sec", csv_rate, ops_per_sec),
	AT("ops_per_cpu_sec", csv_rate, ops_per_cpu_sec),
	GET("endpoint", csv_endpoint),
	AT("ops_per_sec_trimmed", csv_sample, interval.trimmed),
	AT("ci95_low", csv_ci95, interval.low),
	AT("ci95_high", csv_ci95, interval.high),
	GET("ci95_reliable", csv_reliable),
	GET("drift", csv_drift),
	GET("reference", csv_reference),
	AT("reference_ops_per_sec", csv_adjusted, reference.ops_per_sec),
	AT("adjusted_ops_per_sec", csv_adjusted, reference.adjusted_ops_per_sec),
	P("latency_p50_ns", p50),
	P("latency_p90_ns", p90),
	P("latency_p99_ns", p99),
	P("latency_p999_ns", p999),
	GET("granularity", csv_granularity),
	AT("fairness", csv_real, fairness),
	AT("measured_s", csv_real, measured_s),
	AT("duty", csv_real, duty),
	AT("off_s", csv_real, off_s),
	AT("prepare_s", csv_real, prepare_s),
	AT("settle_s", csv_real, settle_s),
	AT("warmup_s", csv_real, warmup_s),
	AT("verify_s", csv_real, verify_s),
	AT("teardown_s", csv_real, teardown_s),
	AT("wall_s", csv_real, wall_s),
	AT("user_s", csv_real, user_s),
	AT("system_s", csv_real, system_s),
	AT("machine_busy_s", csv_real, machine_busy_s),
	AT("run_queue_wait_s", csv_real, wait_s),
	AT("voluntary_switches", csv_usage, usage.voluntary),
	AT("involuntary_switches", csv_usage, usage.involuntary),
	AT("minor_faults", csv_usage, usage.minor),
	AT("major_faults", csv_usage, usage.major),
	AT("rss_max_kib", csv_count, rss_max_kib),
	AT("reads", csv_device_count, device_io.reads),
	AT("read_bytes", csv_device_count, device_io.read_bytes),
	AT("writes", csv_device_count, device_io.writes),
	AT("write_bytes", csv_device_count, device_io.write_bytes),
	AT("flushes", csv_device_count, device_io.flushes),
	AT("discards", csv_device_count, device_io.discards),
	AT("device_busy_s", csv_device_real, device_io.busy_s),
	AT("log_bytes", csv_count, log_bytes),
	AT("log_turnover", csv_real, log_turnover),
	GET("regime", csv_regime),
	GET("metrics", csv_metrics),
	GET("warnings", csv_warnings),
};

static void csv_cell(FILE *out, const char *cell)
{
	const size_t size = cell ? 4 * strlen(cell) + 1 : 0;
	char *text = size > 1 ? malloc(size) : NULL;
	bool quoted;

	if (!text)
		return;
	quoted = strpbrk(fs_printable(cell, text, size), ",\"\r\n");
	if (quoted)
		fputc('"', out);
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			fputc('"', out);
		fputc(*p, out);
	}
	if (quoted)
		fputc('"', out);
	free(text);
}

static void csv_row(FILE *out, const struct csv_row *row)
{
	for (unsigned i = 0; i < FS_ARRAY_SIZE(csv_columns); i++) {
		const struct csv_column *c = &csv_columns[i];
		char text[CSV_TEXT_MAX];

		if (i)
			fputc(',', out);
		csv_cell(out, c->get(row, c->at, text));
	}
	fputc('\n', out);
}

void fs_report_csv(FILE *out, const struct run_result *runs, unsigned nruns)
{
	for (unsigned i = 0; i < FS_ARRAY_SIZE(csv_columns); i++)
		fprintf(out, "%s%s", i ? "," : "", csv_columns[i].name);
	fputc('\n', out);
	for (unsigned i = 0; i < nruns; i++) {
		for (unsigned j = 0; j < runs[i].nstages; j++)
			csv_row(out, &(struct csv_row){ &runs[i], &runs[i].stages[j], i + 1 });
	}
}
