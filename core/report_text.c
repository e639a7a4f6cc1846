// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table for people: a row a stage, what belongs to it below, then warnings and a summary
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/reference.h"
#include "core/report_parts.h"
#include "core/table.h"

#define TEXT_DUTY_NOTED 0.5 /* below, the row says so */
#define TEXT_PER_OP_MIN 0.001 /* below, the device worked for somebody else */

/* At least four significant digits and all digits left of the point; "-" for what is not known. */
static char *text_number(double value, char text[REPORT_NUMBER_MAX])
{
	int decimals = 0;

	for (double x = fabs(value); x > 0 && x < 1000 && decimals < 12; x *= 10)
		decimals++;
	if (isfinite(value))
		snprintf(text, REPORT_NUMBER_MAX, "%.*f", decimals, value);
	else
		snprintf(text, REPORT_NUMBER_MAX, "-");
	return text;
}

static char *text_percent(double share, char text[REPORT_NUMBER_MAX])
{
	if (isfinite(share))
		snprintf(text, REPORT_NUMBER_MAX, "%.1f %%", 100 * share);
	else
		snprintf(text, REPORT_NUMBER_MAX, "-");
	return text;
}

/* "123456 ±0.8%": what this one run leaves open of its own rate. */
static char *text_rate(const struct stage_result *r, char text[REPORT_NUMBER_MAX])
{
	const struct fs_interval *i = &r->interval;
	const double half = (i->high - i->low) / 2 / i->mean;
	char number[REPORT_NUMBER_MAX];

	if (r->status != STATUS_PASSED || !i->reliable || !isfinite(half))
		return text_number(r->status == STATUS_PASSED ? r->ops_per_sec : NAN, text);
	snprintf(text, REPORT_NUMBER_MAX, "%.40s ±%.1f%%", text_number(r->ops_per_sec, number),
		 100 * half);
	return text;
}

static char *text_duration(double ns, char text[REPORT_NUMBER_MAX])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;

	for (; ns >= 1000 && unit + 1 < FS_ARRAY_SIZE(units); unit++)
		ns /= 1000;
	text_number(ns, text);
	if (isfinite(ns))
		strcat(strcat(text, " "), units[unit]);
	return text;
}

static void text_kinds(FILE *out, const struct stage_result *r)
{
	static const char *const names[] = { "kind", "ops", "of ops", "mean", "of time" };
	char number[REPORT_NUMBER_MAX];
	struct table t;

	if (!r->nkinds)
		return;
	fs_table_init(&t, "lrrrr");
	fs_table_row(&t);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(names); i++)
		fs_table_cell(&t, "%s", names[i]);
	for (unsigned i = 0; i < r->nkinds; i++) {
		fs_table_row(&t);
		fs_table_cell(&t, "%s", r->kinds[i].name);
		fs_table_cell(&t, "%llu", (unsigned long long)r->kinds[i].ops);
		fs_table_cell(&t, "%s", text_percent(r->kinds[i].share, number));
		fs_table_cell(&t, "%s", text_duration(r->kinds[i].mean_ns, number));
		fs_table_cell(&t, "%s", text_percent(r->kinds[i].time_share, number));
	}
	fs_table_print(&t, out, 6);
}

static void text_per_op(FILE *out, const struct stage_result *r, uint64_t n, const char *name,
			const char **between)
{
	const double per_op = fs_report_per_op(n, r->ops);
	char number[REPORT_NUMBER_MAX];

	if (!(per_op >= TEXT_PER_OP_MIN))
		return;
	fprintf(out, "%s%s%s %s/op", *between, fs_report_upper_bound(r) ? "≤ " : "",
		text_number(per_op, number), name);
	*between = ", ";
}

/* What device and filesystem did for an op: what a lost or an added cache flush changes. */
static void text_cost(FILE *out, const struct stage_result *r, const char **between)
{
	if (r->device_io.known) {
		text_per_op(out, r, r->device_io.write_bytes, "written bytes", between);
		text_per_op(out, r, r->device_io.flushes, "flushes", between);
	}
	text_per_op(out, r, r->log_bytes, "logged bytes", between);
	for (unsigned i = 0; i < r->nmount_counts; i++) {
		if (r->mount_counts[i].label)
			text_per_op(out, r, r->mount_counts[i].n, r->mount_counts[i].label,
				    between);
	}
}

static void text_metrics(FILE *out, const struct stage_result *r)
{
	const char *between = "      ";
	char number[REPORT_NUMBER_MAX];

	for (unsigned i = 0; i < r->nmetrics; i++) {
		if (r->metrics[i].value == 0)
			continue;	/* of another variant of the stressor */
		fprintf(out, "%s%s %s", between, r->metrics[i].name,
			text_number(r->metrics[i].value, number));
		between = ", ";
	}
	text_cost(out, r, &between);
	if (*between == ',')
		fputc('\n', out);
}

/* Never alone: the rate as measured stands in the row above. */
static void text_reference(FILE *out, const struct stage_result *r)
{
	char adjusted[REPORT_NUMBER_MAX], rate[REPORT_NUMBER_MAX];

	if (r->reference.kind == REFERENCE_NONE)
		return;
	fprintf(out, "      adjusted %s ops/s by the %s reference, %s/s\n",
		text_number(r->reference.adjusted_ops_per_sec, adjusted),
		fs_reference_names[r->reference.kind],
		text_number(r->reference.ops_per_sec, rate));
}

/* Behind what leads to it; false: nothing, since there are none. */
static bool text_latency(FILE *out, const char *lead, const struct fs_histogram *h)
{
	static const char *const names[] = { "p50", "p90", "p99", "p99.9" };
	char number[REPORT_NUMBER_MAX];
	struct fs_latency l = { .samples = 0 };

	if (h)
		fs_histogram_summary(&l, h);
	if (!l.samples)
		return false;
	fprintf(out, "%s of %llu ops: ", lead, (unsigned long long)l.samples);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(names); i++) {
		const struct fs_percentile *const all[] = { &l.p50, &l.p90, &l.p99, &l.p999 };

		if (all[i]->valid)
			fprintf(out, "%s %s, ", names[i],
				text_duration((double)all[i]->ns, number));
	}
	fprintf(out, "max %s", text_duration((double)l.max_ns, number));
	return true;
}

static void text_latencies(FILE *out, const struct stage_result *r)
{
	if (text_latency(out, "      latency", r->service))
		fputc('\n', out);
	if (text_latency(out, "      response", r->response))
		fputc('\n', out);
}

static void text_loads(FILE *out, const struct stage_result *r)
{
	char asked[REPORT_NUMBER_MAX], achieved[REPORT_NUMBER_MAX];

	for (unsigned i = 0; i < r->stage->nloads; i++) {
		const struct load_result *l = &r->loads[i];

		fprintf(out, "      load %s: %s of %s ops/s", r->stage->loads[i].key,
			text_number(l->achieved_per_sec, achieved),
			text_number(fs_load_asked(r->stage, i), asked));
		text_latency(out, ", latency", l->service);
		fputc('\n', out);
	}
}

static char *text_below(const struct stage_result *r)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (r->status != STATUS_PASSED)
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	text_metrics(out, r);
	text_reference(out, r);
	text_latencies(out, r);
	text_kinds(out, r);
	text_loads(out, r);
	fclose(out);
	return text;
}

/* Escapes of a terminal around the status; empty elsewhere, and where NO_COLOR is set. */
struct text_colour {
	const char *on, *off;
};

static struct text_colour text_colour(FILE *out, enum status status)
{
	static const char *const colours[FS_STATUSES] = {
		[STATUS_PASSED] = "\033[32m", [STATUS_SKIPPED] = "\033[33m",
		[STATUS_FAILED] = "\033[31m", [STATUS_NO_PROGRESS] = "\033[31m",
		[STATUS_INCOMPLETE] = "\033[35m",
	};
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	const bool plain = (no && *no) || (term && !strcmp(term, "dumb")) || !isatty(fileno(out));

	if (plain || !colours[status])
		return (struct text_colour){ "", "" };
	return (struct text_colour){ colours[status], "\033[0m" };
}

static void text_cell_status(struct table *t, FILE *out, const struct stage_result *r)
{
	const struct text_colour c = text_colour(out, r->status);
	char reason[4 * sizeof(r->reason) + 1];

	if (r->status != STATUS_PASSED)
		fs_table_cell(t, "%s%s%s: %s", c.on, fs_status_names[r->status], c.off,
			      fs_printable(r->reason, reason, sizeof(reason)));
	else if (r->duty < TEXT_DUTY_NOTED)
		fs_table_cell(t, "%spassed%s, %.0f %% of the window off the clock", c.on, c.off,
			      100 * (1 - r->duty));
	else
		fs_table_cell(t, "%spassed%s", c.on, c.off);
}

static void text_row(struct table *t, FILE *out, const struct stage_result *r)
{
	const double cpu = (r->user_s + r->system_s) / (r->stage->workers * r->measured_s);
	char number[REPORT_NUMBER_MAX];

	fs_table_row(t);
	fs_table_cell(t, "%s", r->stage->key);
	fs_table_cell(t, "%u", r->stage->workers);
	if (fs_report_measured(r))
		fs_table_cell(t, "%llu", (unsigned long long)r->ops);
	else
		fs_table_cell(t, "-");
	fs_table_cell(t, "%s", text_rate(r, number));
	if (isfinite(cpu))
		fs_table_cell(t, "%.0f %%", 100 * cpu);
	else
		fs_table_cell(t, "-");
	if (isfinite(r->duty))
		fs_table_cell(t, "%.2f", r->duty);
	else
		fs_table_cell(t, "-");
	text_cell_status(t, out, r);
	fs_table_below(t, text_below(r));
}

static void text_table(FILE *out, const struct run_result *run)
{
	static const char *const names[] = {
		"key", "workers", "ops", "ops/s", "CPU", "duty", "status",
	};
	struct table t;

	fs_table_init(&t, "lrrrrrl");
	fs_table_row(&t);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(names); i++)
		fs_table_cell(&t, "%s", names[i]);
	for (unsigned i = 0; i < run->nstages; i++)
		text_row(&t, out, &run->stages[i]);
	fs_table_print(&t, out, 2);
}

static void text_warnings(FILE *out, const struct run_result *run)
{
	char text[4 * sizeof(run->warnings[0]) + 1];

	for (unsigned i = 0; i < run->nwarnings; i++)
		fprintf(out, "warning: %s\n", fs_printable(run->warnings[i], text, sizeof(text)));
	for (unsigned i = 0; i < run->nstages; i++) {
		const struct stage_result *r = &run->stages[i];
		char key[REPORT_KEY_MAX];

		for (unsigned j = 0; j < r->nwarnings; j++)
			fprintf(out, "warning: %s: %s\n", fs_report_key(r->stage, key),
				fs_printable(r->warnings[j], text, sizeof(text)));
	}
}

/* "5 stages: 4 passed, 1 skipped" */
static void text_summary(FILE *out, const struct run_result *runs, unsigned nruns)
{
	unsigned counts[FS_STATUSES], all = 0;
	const char *between = ":";

	fs_status_count(runs, nruns, counts);
	for (unsigned i = 0; i < FS_STATUSES; i++)
		all += counts[i];
	fprintf(out, "%u %s", all, all == 1 ? "stage" : "stages");
	for (unsigned i = STATUS_PASSED; i < FS_STATUSES; i++) {
		if (!counts[i])
			continue;
		fprintf(out, "%s %u %s", between, counts[i], fs_status_names[i]);
		between = ",";
	}
	fputs("\n", out);
}

/* ops/s, a row a key and a column a target. All runs have the same stages. */
static void text_compare(FILE *out, const struct run_result *runs, unsigned nruns,
			 const unsigned of[])
{
	char number[REPORT_NUMBER_MAX], target[REPORT_PATH_MAX + 512];
	char align[TABLE_COLUMNS_MAX + 1] = "l";
	unsigned first[TABLE_COLUMNS_MAX], n = 0;
	struct table t;

	for (unsigned i = 0; i < nruns && n + 1 < TABLE_COLUMNS_MAX; i++) {
		if (of[i] == n)
			first[n++] = i;
	}
	memset(align + 1, 'r', n);
	fs_table_init(&t, align);
	fs_table_row(&t);
	fs_table_cell(&t, "ops/s");
	for (unsigned i = 0; i < n; i++)
		fs_table_cell(&t, "%s", fs_report_target(&runs[first[i]], target, sizeof(target)));
	for (unsigned j = 0; j < runs[0].nstages; j++) {
		char key[REPORT_KEY_MAX];

		fs_table_row(&t);
		fs_table_cell(&t, "%s", fs_report_key(runs[0].stages[j].stage, key));
		for (unsigned i = 0; i < n; i++) {
			const struct report_mean m = fs_report_mean(runs, nruns, of, i, j);

			if (m.status == STATUS_PASSED)
				fs_table_cell(&t, "%s", text_number(m.ops_per_sec, number));
			else
				fs_table_cell(&t, "%s", fs_status_names[m.status]);
		}
	}
	fputc('\n', out);
	fs_table_print(&t, out, 2);
}

void fs_report_text(FILE *out, const struct run_result *runs, unsigned nruns)
{
	unsigned *const of = malloc((nruns + 1) * sizeof(*of));
	char target[REPORT_PATH_MAX + 512];

	for (unsigned i = 0; i < nruns; i++) {
		if (nruns > 1)
			fprintf(out, "%srun %u of %u: %s\n", i ? "\n" : "", i + 1, nruns,
				fs_report_target(&runs[i], target, sizeof(target)));
		text_table(out, &runs[i]);
		text_warnings(out, &runs[i]);
	}
	if (of && fs_report_targets(runs, nruns, of) > 1)
		text_compare(out, runs, nruns, of);
	free(of);
	text_summary(out, runs, nruns);
}
