// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses the writers and their order; holds what several of them need. Knows no format.
 */
#include "core/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/message.h"
#include "core/report_parts.h"

FILE *fs_report_people(const struct config *c)
{
	const bool json = c->json && strcmp(c->json, "-") == 0;

	return c->lkp || c->csv || c->metrics || c->metrics_brief || json ? stderr : stdout;
}

/* Length of a UTF-8 sequence by its first byte, 0: this is none. */
static unsigned report_sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0 || first >= 0xf8)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Length of the UTF-8 sequence at s if it is one of a printable character, else 0. */
static unsigned report_printable_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned n = report_sequence_length(s[0]);
	uint32_t c = n > 1 ? s[0] & (0x7fu >> n) : s[0];

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (n == 1)
		return c >= 0x20 && c != 0x7f;
	/* overlong, C1 controls, surrogates, line and paragraph separator, beyond Unicode */
	if (n && (c < least[n] || c < 0xa0 || (c >= 0xd800 && c < 0xe000) || c == 0x2028 ||
		  c == 0x2029 || c > 0x10ffff))
		return 0;
	return n;
}

char *fs_printable(const char *bytes, char *text, unsigned long size)
{
	const unsigned char *s = (const unsigned char *)bytes;
	unsigned long at = 0;

	while (*s) {
		const unsigned n = report_printable_length(s);

		if (at + (n ? n : 4) >= size)
			break;
		if (n)
			memcpy(text + at, s, n);
		else
			snprintf(text + at, 5, "\\x%02x", *s);
		at += n ? n : 4;
		s += n ? n : 1;
	}
	text[at] = '\0';
	return text;
}

char *fs_report_key(const struct stage *s, char text[REPORT_KEY_MAX])
{
	if (s->key_repeats)
		snprintf(text, REPORT_KEY_MAX, "%s.w%u", s->key, s->workers);
	else
		snprintf(text, REPORT_KEY_MAX, "%s", s->key);
	return text;
}

char *fs_report_decimal(double value, char text[REPORT_NUMBER_MAX])
{
	int decimals = 2;

	for (double x = fabs(value); x > 0 && x < 1000 && decimals < 15; x *= 10)
		decimals++;
	snprintf(text, REPORT_NUMBER_MAX, "%.*f", decimals, value);
	return text;
}

char *fs_report_target(const struct run_result *run, char *text, unsigned long size)
{
	const struct fs_target *t = &run->target;
	const char *where = run->disk ? run->disk : t->path;
	char path[REPORT_PATH_MAX], source[4 * sizeof(t->source) + 1];

	fs_printable(where, path, sizeof(path));
	fs_printable(t->source, source, sizeof(source));
	snprintf(text, size, "%s (%s on %s)", path, *t->fstype ? t->fstype : "unknown filesystem",
		 *source ? source : "unknown device");
	return text;
}

static bool report_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool fs_report_same_target(const struct run_result *a, const struct run_result *b)
{
	return !strcmp(a->target.path, b->target.path) && report_same_text(a->disk, b->disk) &&
	       report_same_text(a->fs, b->fs);
}

unsigned fs_report_targets(const struct run_result *runs, unsigned nruns, unsigned of[])
{
	unsigned n = 0;

	for (unsigned i = 0; i < nruns; i++) {
		unsigned j = 0;

		while (j < i && !fs_report_same_target(&runs[j], &runs[i]))
			j++;
		of[i] = j < i ? of[j] : n++;
	}
	return n;
}

const char *fs_report_endpoint(const struct stage_result *r)
{
	const bool mem = r->stage->variant && r->stage->variant->flags & FS_MEM;

	return mem && isfinite(r->interval.trimmed) ? REPORT_TRIMMED : "ops_per_sec";
}

double fs_report_per_op(uint64_t n, uint64_t ops)
{
	return n != FS_UNKNOWN && ops ? (double)n / (double)ops : NAN;
}

/* Refills are off the clock and on the device; stages that run together share it. */
bool fs_report_upper_bound(const struct stage_result *r)
{
	return r->duty < 1 || r->stage->together;
}

struct report_sum {
	double sum;
	unsigned n;
};

static void report_add(struct report_sum *s, double value)
{
	if (!isfinite(value))
		return;
	s->sum += value;
	s->n++;
}

static double report_average(const struct report_sum *s)
{
	return s->n ? s->sum / s->n : NAN;
}

struct report_mean fs_report_mean(const struct run_result *runs, unsigned nruns,
				  const unsigned of[], unsigned target, unsigned stage)
{
	struct report_sum ops = { 0 }, rate = { 0 }, flushes = { 0 }, bytes = { 0 }, busy = { 0 },
			  log = { 0 };
	struct report_mean m = { .status = STATUS_SKIPPED, .duty = INFINITY };

	for (unsigned i = 0; i < nruns; i++) {
		const struct stage_result *r =
			stage < runs[i].nstages ? &runs[i].stages[stage] : NULL;

		if (of[i] != target || !r || r->status == STATUS_SKIPPED)
			continue;
		if (r->status != STATUS_PASSED) {
			m.status = STATUS_FAILED;
			continue;
		}
		m.status = m.status == STATUS_FAILED ? STATUS_FAILED : STATUS_PASSED;
		m.duty = r->duty < m.duty ? r->duty : m.duty;
		report_add(&ops, (double)r->ops);
		report_add(&rate, r->ops_per_sec);
		report_add(&log, fs_report_per_op(r->log_bytes, r->ops));
		if (!r->device_io.known)
			continue;
		report_add(&flushes, fs_report_per_op(r->device_io.flushes, r->ops));
		report_add(&bytes, fs_report_per_op(r->device_io.write_bytes, r->ops));
		report_add(&busy, 1e6 * r->device_io.busy_s / (double)r->ops);
	}
	m.ops = report_average(&ops);
	m.ops_per_sec = report_average(&rate);
	m.flushes_per_op = report_average(&flushes);
	m.write_bytes_per_op = report_average(&bytes);
	m.busy_us_per_op = report_average(&busy);
	m.log_bytes_per_op = report_average(&log);
	return m;
}

/* What went wrong is said on stderr whatever else was asked for: a table of results hides it. */
static void report_failures(const struct run_result *run)
{
	for (unsigned i = 0; i < run->nstages; i++) {
		const struct stage_result *r = &run->stages[i];
		char key[REPORT_KEY_MAX];

		if (r->status >= STATUS_FAILED)
			fs_error("%s: %s: %s", fs_report_key(r->stage, key),
				 fs_status_names[r->status], r->reason);
	}
}

/*
 * A file is written before stdout, which may be a closed pipe. On stdout there is the table for
 * people or one format for machines, and stress-ng's table last: its readers take any later line
 * for a part of it.
 */
int fs_report(const struct config *config, const struct run_result *runs, unsigned nruns)
{
	const bool json_stdout = config->json && !strcmp(config->json, "-");
	const bool stress_ng = config->metrics || config->metrics_brief || config->times;
	int rc = 0, err = 0;

	for (unsigned i = 0; i < nruns; i++)
		report_failures(&runs[i]);
	if (config->json && !json_stdout)
		rc = fs_report_json(config->json, runs, nruns);
	if (rc < 0)
		fs_error("the result is lost: --json %s: %s", config->json, strerror(-rc));
	if (config->lkp)
		fs_report_lkp(stdout, runs, nruns);
	else if (config->csv)
		fs_report_csv(stdout, runs, nruns);
	else if (json_stdout)
		err = fs_report_json("-", runs, nruns);
	else if (!config->quiet)
		fs_report_text(stdout, runs, nruns);
	errno = 0;
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = errno ? -errno : -EIO;
	if (!err && stress_ng)
		err = fs_report_stress_ng(STDOUT_FILENO, runs, nruns,
					  config->metrics_brief || !config->metrics, config->times);
	if (err)
		fs_error("the result is lost: stdout: %s", strerror(-err));
	return rc ? rc : err;
}
