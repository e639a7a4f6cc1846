// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stress-ng's --metrics table, for what already reads it. lkp-tests takes any line of 10 or 12
 * words behind the "(secs)" header for a stressor, up to "run time:"; so the table is one write,
 * comes last, and nothing else in it has that many words.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/report_parts.h"

static double ng_known(double value)
{
	return isfinite(value) ? value : 0;
}

static void ng_header(FILE *out, int pid, bool brief)
{
	fprintf(out, "fsstress: metrc: [%d] %-24s %12s %9s %9s %9s %14s %14s%s\n", pid, "stressor",
		"ops", "real time", "usr time", "sys time", "ops/s", "ops/s",
		brief ? "" : " CPU used per       RSS Max");
	fprintf(out, "fsstress: metrc: [%d] %-24s %12s %9s %9s %9s %14s %14s%s\n", pid, "", "",
		"(secs)", "(secs)", "(secs)", "(real time)", "(usr+sys time)",
		brief ? "" : " instance (%)          (KB)");
}

/*
 * A rate of zero means "failed" to the readers of this table, and only here. The CPU time printed
 * beside it divides the last one, refills included, as its head says.
 */
static void ng_row(FILE *out, int pid, const struct stage_result *r, bool brief)
{
	const bool passed = r->status == STATUS_PASSED;
	const double cpu_s = ng_known(r->user_s) + ng_known(r->system_s),
		     real_s = ng_known(r->measured_s);
	char key[REPORT_KEY_MAX], rate[REPORT_NUMBER_MAX], cpu_rate[REPORT_NUMBER_MAX];

	if (r->status == STATUS_SKIPPED || r->status == STATUS_PLANNED)
		return;
	fs_report_decimal(passed ? ng_known(r->ops_per_sec) : 0, rate);
	fs_report_decimal(passed && cpu_s > 0 ? (double)r->ops / cpu_s : 0, cpu_rate);
	fprintf(out, "fsstress: metrc: [%d] %-24s %12llu %9.2f %9.2f %9.2f %14s %14s", pid,
		fs_report_key(r->stage, key), passed ? (unsigned long long)r->ops : 0, real_s,
		ng_known(r->user_s), ng_known(r->system_s), rate, cpu_rate);
	if (!brief)
		fprintf(out, " %12.2f %13llu",
			real_s > 0 ? 100 * cpu_s / (r->stage->workers * real_s) : 0,
			r->rss_max_kib == FS_UNKNOWN ? 0 : (unsigned long long)r->rss_max_kib);
	fputc('\n', out);
}

static void ng_share(FILE *out, int pid, double seconds, const char *what, double available)
{
	fprintf(out, "fsstress: info:  [%d] %10.2fs %s (%6.2f%%)\n", pid, seconds, what,
		available > 0 ? 100 * seconds / available : 0);
}

static void ng_times(FILE *out, int pid, const struct run_result *runs, unsigned nruns)
{
	double wall = 0, user = 0, system = 0, available;

	for (unsigned i = 0; i < nruns; i++) {
		for (unsigned j = 0; j < runs[i].nstages; j++) {
			wall += ng_known(runs[i].stages[j].wall_s);
			user += ng_known(runs[i].stages[j].user_s);
			system += ng_known(runs[i].stages[j].system_s);
		}
	}
	available = nruns && runs[0].host.cpus_online > 0 ? wall * runs[0].host.cpus_online : wall;
	fprintf(out, "fsstress: info:  [%d] for a %.2fs run time:\n", pid, wall);
	fprintf(out, "fsstress: info:  [%d] %10.2fs available CPU time\n", pid, available);
	ng_share(out, pid, user, "user time  ", available);
	ng_share(out, pid, system, "system time", available);
	ng_share(out, pid, user + system, "total time ", available);
}

static int ng_write(int fd, const char *text, size_t size)
{
	for (ssize_t n; size; text += n, size -= (size_t)n) {
		n = write(fd, text, size);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -errno;
	}
	return 0;
}

int fs_report_stress_ng(int fd, const struct run_result *runs, unsigned nruns, bool brief,
			bool times)
{
	const int pid = (int)getpid();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (!out)
		return -ENOMEM;
	ng_header(out, pid, brief);
	for (unsigned i = 0; i < nruns; i++) {
		for (unsigned j = 0; j < runs[i].nstages; j++)
			ng_row(out, pid, &runs[i].stages[j], brief);
	}
	if (times)
		ng_times(out, pid, runs, nruns);
	rc = fclose(out) ? -ENOMEM : ng_write(fd, text, size);
	free(text);
	return rc;
}
