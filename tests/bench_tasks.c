// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_tasks - whether threads are as good as processes: open(2) of an own file on all CPUs, the
 * two in turns
 *
 * Which of a pair comes first is random, since the machine's speed drifts. Printed: the median of
 * the ratios of the pairs with its 95 % interval from order statistics (ranks 3 and 10 of 12:
 * binomial, 96.1 %).
 */
#include <stdbool.h>
#include <unistd.h>

#include "core/rng.h"
#include "platform/clock.h"
#include "tests/ran.h"

#define TASKS_PAIRS 12

static double tasks_rate(const char *kind)
{
	json_t *runs = ran(
		"FSSTRESS_TEST",
		"--disk tmpfs:64M --test open --nr-threads 100%% --workers %s --timeout 0.5", kind);
	const json_t *stage = json_array_get(json_object_get(json_array_get(runs, 0), "stages"), 0);
	const double rate = json_number_value(json_object_get(stage, "ops_per_sec"));

	if (runs && !(rate > 0))
		printf("%s: %s\n", ran_text(stage, "status"), ran_text(stage, "reason"));
	json_decref(runs);
	return rate;
}

static int tasks_by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	double ratio[TASKS_PAIRS], threads = 0, processes = 0;
	struct fs_rng rng;

	if (geteuid() != 0) {
		printf("needs root\n");
		return 0;
	}
	fs_rng_seed(&rng, fs_now_ns(), "tasks", 0);
	for (int i = 0; i < TASKS_PAIRS; i++) {
		const bool threads_first = fs_rng_next(&rng) & 1;

		if (threads_first)
			threads = tasks_rate("thread");
		processes = tasks_rate("process");
		if (!threads_first)
			threads = tasks_rate("thread");
		if (!(threads > 0 && processes > 0))
			return 1;
		ratio[i] = threads / processes;
	}
	qsort(ratio, TASKS_PAIRS, sizeof(*ratio), tasks_by_value);
	printf("open+close on all CPUs: last pair %.0f/s by threads, %.0f/s by processes; rate "
	       "ratio %.4f [%.4f, %.4f]\n",
	       threads, processes, (ratio[TASKS_PAIRS / 2 - 1] + ratio[TASKS_PAIRS / 2]) / 2,
	       ratio[2], ratio[9]);
	return 0;
}
