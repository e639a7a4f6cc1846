// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_many - what a stage of 1024 workers costs beside its window: lease.cycle on a tmpfs
 *
 * This program takes the supervisor's part, so that both ends are seen as they happen: the stage is
 * forked and execs this program, as the real one does, until all workers are ready; the stop flag
 * is set until the stage has been reaped. Printed: the median of 5 runs and the least, which is
 * what other programs on the machine have disturbed least. As root, since it mounts its own tmpfs.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "core/config.h"
#include "core/group.h"
#include "core/plan.h"
#include "core/stage.h"
#include "tests/private_mounts.h"

#define MANY_WORKERS  1024
#define MANY_RUNS     5
#define MANY_LIMIT_NS (60 * FS_NSEC_PER_SEC)

static char many_target[] = "/tmp/fsstress-bench.XXXXXX";

/* A mount of this process and its children, which goes with them. */
static int many_mount(void)
{
	if (!mkdtemp(many_target))
		return -errno;
	if (private_mounts() || mount("none", many_target, "tmpfs", 0, "size=1G"))
		return -errno;
	return 0;
}

static int many_plan(struct config *config, struct fs_topology *topology, struct plan *plan)
{
	static char *argv[] = {
		(char *)"bench_many", (char *)"--test", (char *)"lease.cycle",
		(char *)"--nr-threads", (char *)"1024", NULL
	};
	const char *why;

	if (fs_cli_parse(FS_ARRAY_SIZE(argv) - 1, argv, config) || fs_topology_load(topology, &why))
		return -EINVAL;
	config->settle_ns = 0;
	return fs_plan_make(config, topology, plan);
}

static bool many_ready(void *flight)
{
	const struct flight *f = flight;

	return f->child.ended || fs_load_acquire(&f->stage->setup_done) >= f->stage->plan.workers;
}

static bool many_settled(void *flight)
{
	const struct flight *f = flight;

	return f->child.ended || fs_load_acquire(&f->stage->times.settled);
}

/* Proportional share of all that the stage has mapped, KiB. */
static double many_pss_kib(pid_t pid)
{
	char path[64], line[128];
	double kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "Pss:", 4) == 0)
			kib = strtod(line + 4, NULL);
	}
	if (f)
		fclose(f);
	return kib;
}

enum many_figure {
	MANY_READY,
	MANY_STARTED,
	MANY_JOINED,
	MANY_REAPED,
	MANY_REMOVED,
	MANY_KIB,
	MANY_FIGURES
};

static const struct {
	const char *name, *unit;
	double goal;
} many_figures[] = {
	[MANY_READY] = { "fork to all workers ready", "s", 0.3 },
	[MANY_STARTED] = { "  of it until the stage's main task runs", "s", 0 },
	[MANY_JOINED] = { "stop flag to all tasks joined", "s", 0.3 },
	[MANY_REAPED] = { "stop flag to the stage reaped", "s", 0.3 },
	[MANY_REMOVED] = { "  of it after the tasks: files removed", "s", 0 },
	[MANY_KIB] = { "stage and shared area, by workers", "KiB", 64 },
};

static double many_s(uint64_t from_ns, uint64_t to_ns)
{
	return (double)(to_ns - from_ns) / (double)FS_NSEC_PER_SEC;
}

/* From the release to the stop; one second each of warm-up and window. */
static void many_window(struct session *s, struct group *g)
{
	struct child *child = &g->flights[0].child;

	g->area->gate.start_ns =
		fs_now_ns() + 5 * FS_NSEC_PER_MSEC + MANY_WORKERS * 20 * FS_NSEC_PER_USEC;
	fs_store_release(&g->area->gate.go, 1);
	fs_futex_wake_all(&g->area->gate.go);
	fs_session_wait(s, fs_child_ended, child, fs_now_ns() + FS_NSEC_PER_SEC, 0);
	fs_store_release(&g->area->gate.phase, AREA_MEASURE);
	fs_session_wait(s, fs_child_ended, child, fs_now_ns() + FS_NSEC_PER_SEC, 0);
}

static int many_run(struct session *s, struct group *g, double figures[MANY_FIGURES])
{
	struct flight *f = &g->flights[0];
	const struct area_times *t = &f->stage->times;
	const uint64_t begin = fs_now_ns(), limit = begin + MANY_LIMIT_NS;
	uint64_t stop;

	if (fs_group_spawn(g, 0) < 0 ||
	    fs_session_wait(s, many_ready, f, limit, FS_NSEC_PER_MSEC) != WAIT_MET)
		return 1;
	figures[MANY_READY] = many_s(begin, fs_now_ns());
	figures[MANY_STARTED] = many_s(begin, t->started);
	if (fs_session_wait(s, many_settled, f, limit, FS_NSEC_PER_MSEC) != WAIT_MET ||
	    f->child.ended)
		return 1;
	many_window(s, g);
	figures[MANY_KIB] =
		(many_pss_kib(f->child.pid) + (double)g->area->bytes / 1024) / MANY_WORKERS;
	stop = fs_now_ns();
	fs_area_stop(g->area, 0);
	if (fs_session_wait(s, fs_child_ended, &f->child, limit, 0) != WAIT_MET ||
	    f->stage->failure.taken)
		return 1;
	figures[MANY_REAPED] = many_s(stop, fs_now_ns());
	figures[MANY_JOINED] = many_s(stop, t->stopped);
	figures[MANY_REMOVED] = many_s(t->stopped, f->child.ended_ns);
	return 0;
}

static int many_measure(struct session *s, const struct stage *stage, double figures[MANY_FIGURES])
{
	static struct group group;
	struct stage_result result;
	struct group_stage to = { stage, &result, REFERENCE_NONE };
	int rc;

	group = (struct group){ .session = s, .n = 1 };
	group.flights[0].to = &to;
	if (fs_group_open(&group, many_target) < 0)
		return 1;
	rc = many_run(s, &group, figures);
	if (rc)
		printf("failed: %s: %s\n", group.flights[0].stage->failure.where,
		       strerror(group.flights[0].stage->failure.err));
	fs_child_kill(&group.flights[0].child);
	fs_group_close(&group);
	return rc;
}

static int many_by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void many_print(double figures[MANY_RUNS][MANY_FIGURES])
{
	for (int i = 0; i < MANY_FIGURES; i++) {
		const double goal = many_figures[i].goal;
		double values[MANY_RUNS];

		for (int run = 0; run < MANY_RUNS; run++)
			values[run] = figures[run][i];
		qsort(values, MANY_RUNS, sizeof(*values), many_by_value);
		printf("%-42s %7.3f %s, least %.3f", many_figures[i].name, values[MANY_RUNS / 2],
		       many_figures[i].unit, values[0]);
		if (goal > 0)
			printf("  goal %g%s", goal, values[MANY_RUNS / 2] > goal ? ": missed" : "");
		putchar('\n');
	}
}

static int many(void)
{
	double figures[MANY_RUNS][MANY_FIGURES];
	struct config config = { 0 };
	struct fs_topology topology;
	struct session session;
	struct plan plan = { 0 };
	int rc = many_plan(&config, &topology, &plan);

	if (rc < 0 || fs_session_open(&session, &config) < 0)
		return 1;
	for (int run = 0; rc == 0 && run < MANY_RUNS; run++)
		rc = many_measure(&session, plan.stages, figures[run]);
	if (rc == 0)
		many_print(figures);
	fs_session_close(&session);
	fs_plan_free(&plan);
	fs_topology_free(&topology);
	fs_config_free(&config);
	return rc;
}

int main(int argc, char **argv)
{
	int rc;

	if (argc == 4 && strcmp(argv[1], "--stage-fd") == 0)
		return fs_stage_main(atoi(argv[2]), (unsigned)atoi(argv[3]));
	if (geteuid() != 0) {
		printf("needs root\n");
		return 0;
	}
	rc = many_mount();
	if (rc < 0)
		printf("tmpfs: %s\n", strerror(-rc));
	else
		rc = many();
	umount2(many_target, MNT_DETACH);
	rmdir(many_target);
	return rc != 0;
}
