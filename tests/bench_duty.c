// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_duty - how much of the window is on the clock: every key of a class run, with its defaults,
 * alone and with a neighbour
 *
 * What refills its state off the clock measures for less than the window; the goals are those that
 * a rate can be trusted at after a few seconds. As root, since it makes its own disks.
 */
#include <string.h>
#include <unistd.h>

#include "platform/compiler.h"
#include "tests/ran.h"

struct goal {
	const char *key;
	double duty;
};

static const struct goal goals[] = {
	{ "fiemap.warm", 0.9 }, { "fallocate.alloc", 0.9 }, { "fallocate.punch", 0.9 },
	{ "lease.cycle", 0.9 }, { "revio.sparse", 0.7 },
};

static double duty_goal(const char *key)
{
	for (unsigned i = 0; i < FS_ARRAY_SIZE(goals); i++) {
		if (strcmp(goals[i].key, key) == 0)
			return goals[i].duty;
	}
	return 0;
}

static void duty_print(const char *fs, const json_t *stage)
{
	const char *key = ran_text(stage, "key");
	const json_t *duty = json_object_get(json_object_get(stage, "time"), "duty");
	const double goal = duty_goal(key), value = json_number_value(duty);

	printf("%-5s %-24s %lld worker(s)  ", fs, key,
	       json_integer_value(json_object_get(stage, "workers")));
	if (!json_is_number(duty)) {
		printf("%s: %s\n", ran_text(stage, "status"), ran_text(stage, "reason"));
		return;
	}
	printf("duty %.3f", value);
	if (goal > 0)
		printf("  goal %.1f%s", goal, value < goal ? ": missed" : "");
	putchar('\n');
}

int main(void)
{
	static const char *const systems[] = { "ext4", "xfs" };

	if (geteuid() != 0) {
		printf("needs root\n");
		return 0;
	}
	for (unsigned i = 0; i < FS_ARRAY_SIZE(systems); i++) {
		json_t *runs = ran("FSSTRESS",
				   "--disk loop:2G --fs %s --class all --with "
				   "fiemap,fallocate,revio,iomix,lease "
				   "--nr-threads 1,2 --timeout 2 --fresh stage",
				   systems[i]);
		json_t *run, *stage;
		size_t r, s;

		json_array_foreach (runs, r, run)
			json_array_foreach (json_object_get(run, "stages"), s, stage)
				duty_print(systems[i], stage);
		json_decref(runs);
	}
	return 0;
}
