// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verbs run and plan: for each repetition and place, look, judge what fits, try each op once,
 * measure, report.
 */
#include "core/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/environment.h"
#include "core/message.h"
#include "core/observe.h"
#include "core/preflight.h"
#include "core/reference.h"
#include "core/report.h"
#include "core/supervise.h"

#define RUN_EXIT_USAGE	2
#define RUN_EXIT_SETUP	3

struct run {
	const struct config *config;
	struct fs_topology topology;
	struct plan plan;
	struct session session;
	struct fs_host host;
	struct run_result *results;
	unsigned nresults;
	bool impossible;		/* a place could not be set up; others went on */
};

int fs_run_plan(const struct config *config, struct fs_topology *topology, struct plan *plan)
{
	const char *why = NULL;
	int rc = fs_topology_load(topology, &why);

	if (rc == -EINVAL) {
		fs_error("%s", why);
		return RUN_EXIT_USAGE;
	}
	if (rc < 0) {
		fs_error("CPU topology: %s", rc == -ENODEV ? "no CPU is allowed" : strerror(-rc));
		return RUN_EXIT_SETUP;
	}
	if (topology->foreign && config->verb != VERB_PLAN && !config->dry_run) {
		fs_error("HWLOC_SYNTHETIC and HWLOC_XMLFILE describe another machine: "
			 "they go with `plan` only");
		fs_topology_free(topology);
		return RUN_EXIT_USAGE;
	}
	rc = fs_plan_make(config, topology, plan);
	if (rc < 0)
		fs_topology_free(topology);
	return rc == 0 ? 0 : rc == -ENODEV ? RUN_EXIT_SETUP : RUN_EXIT_USAGE;
}

/* --- results ---------------------------------------------------------------------------------- */

static struct run_result *run_add_result(struct run *r)
{
	struct run_result *grown = realloc(r->results, (r->nresults + 1) * sizeof(*grown)), *run;

	if (!grown)
		return NULL;
	r->results = grown;
	run = &grown[r->nresults];
	*run = (struct run_result){
		.config = r->config, .plan = &r->plan, .host = r->host, .seed = r->config->seed,
		.started_realtime_ns = fs_realtime_ns(),
		.dry = r->config->verb == VERB_PLAN || r->config->dry_run,
		.nstages = r->plan.nstages, .stages = calloc(r->plan.nstages, sizeof(*run->stages)),
	};
	if (!run->stages)
		return NULL;
	for (unsigned i = 0; i < run->nstages; i++) {
		struct stage_result *s = &run->stages[i];

		fs_stage_result_init(s, &r->plan.stages[i]);
		s->workers = calloc(s->stage->workers, sizeof(*s->workers));
		if (!s->workers)
			return NULL;
	}
	r->nresults++;
	return run;
}

static void run_free(struct run *r)
{
	for (unsigned i = 0; i < r->nresults; i++) {
		for (unsigned j = 0; j < r->results[i].nstages; j++)
			fs_stage_result_free(&r->results[i].stages[j]);
		free(r->results[i].stages);
	}
	free(r->results);
	fs_plan_free(&r->plan);
	fs_topology_free(&r->topology);
}

/* --- before the first stage ------------------------------------------------------------------- */

/* Stages from `first` that share a window: one, or neighbours of --all. */
static unsigned run_group_size(const struct run *r, unsigned first)
{
	unsigned n = 1;

	if (!r->plan.stages[first].together)
		return 1;
	while (first + n < r->plan.nstages && r->plan.stages[first + n].together)
		n++;
	return n;
}

/* A stage that the user named and that does not fit refuses the run: nobody waits to learn that. */
static int run_preflight(struct run *r, struct run_result *run)
{
	struct fs_limits limits;
	unsigned n;

	fs_limits_read(&limits);
	for (unsigned first = 0; first < run->nstages; first += n) {
		n = run_group_size(r, first);
		fs_preflight(&run->target, &limits, &run->stages[first], n);
	}
	for (unsigned i = 0; i < run->nstages; i++) {
		const struct stage_result *s = &run->stages[i];

		if (s->status == STATUS_SKIPPED && s->skip == SKIP_NEED && s->stage->named &&
		    !r->topology.foreign) {
			fs_error("%s: %s", s->stage->key, s->reason);
			return RUN_EXIT_SETUP;
		}
	}
	return 0;
}

static bool run_same_op(const struct stage *a, const struct stage *b)
{
	return strcmp(a->key, b->key) == 0 && memcmp(a->state, b->state, sizeof(a->state)) == 0;
}

/* Each op is tried once; stages that differ only in workers share the answer. */
static void run_trials(struct run *r, const struct place *place, struct run_result *run)
{
	for (unsigned i = 0; i < run->nstages; i++) {
		struct stage_result *s = &run->stages[i];
		unsigned same = 0;

		if (s->status != STATUS_PLANNED || r->session.interrupted)
			continue;
		while (same < i && (run->stages[same].skip == SKIP_NEED ||
				    !run_same_op(run->stages[same].stage, s->stage)))
			same++;
		if (same == i) {
			struct stage_result trial;

			fs_stage_result_init(&trial, s->stage);
			if (fs_supervise_probe(&r->session, place->target, s->stage, &trial) == 0)
				continue;
			s->status = trial.status;
			s->skip = trial.skip;
			s->err = trial.err;
			memcpy(s->reason, trial.reason, sizeof(s->reason));
		} else if (run->stages[same].status != STATUS_PLANNED) {
			s->status = run->stages[same].status;
			s->skip = run->stages[same].skip;
			s->err = run->stages[same].err;
			memcpy(s->reason, run->stages[same].reason, sizeof(s->reason));
		}
	}
}

static void run_skip_rest(struct run_result *run, enum skip_kind kind, const char *why)
{
	for (unsigned i = 0; i < run->nstages; i++) {
		struct stage_result *s = &run->stages[i];

		if (s->status != STATUS_PLANNED)
			continue;
		s->status = STATUS_SKIPPED;
		s->skip = kind;
		snprintf(s->reason, sizeof(s->reason), "%s", why);
	}
}

/* --- stages ----------------------------------------------------------------------------------- */

/* What was measured before a disk that cannot be made anew (--fresh stage) is kept. */
static void run_groups(struct run *r, struct place *place, struct run_result *run)
{
	bool used = false;
	unsigned size;

	for (unsigned first = 0; first < run->nstages; first += size) {
		struct group_stage group[AREA_STAGES_MAX];
		unsigned n = 0;

		size = run_group_size(r, first);
		for (unsigned i = first; i < first + size && n < AREA_STAGES_MAX; i++) {
			if (run->stages[i].status == STATUS_PLANNED)
				group[n++] = (struct group_stage){
					run->stages[i].stage, &run->stages[i],
					fs_reference_for(r->config, &run->host,
							 run->stages[i].stage),
				};
		}
		if (!n || r->session.interrupted)
			continue;
		if (used && r->config->fresh == FRESH_STAGE && place->disk &&
		    fs_place_renew(&r->session, place, run)) {
			r->impossible = true;
			break;
		}
		used = true;
		fs_supervise(&r->session, place->target, &run->target, group, n);
	}
	run->interrupted = r->session.interrupted;
	if (run->interrupted)
		run_skip_rest(run, SKIP_INTERRUPTED, "interrupted");
	else
		run_skip_rest(run, SKIP_NEED, "the disk could not be made anew");
}

static int run_one(struct run *r, struct place *place, struct run_result *run)
{
	int status;

	r->session.run = r->nresults;
	status = fs_place_open(&r->session, place, run);
	if (status == 0)
		status = run_preflight(r, run);
	if (status) {
		fs_place_close(&r->session);
		return status;
	}
	fs_environment_warn(run);
	if (!r->config->quiet && !(run->dry && r->config->json)) {
		fs_report_plan(run->dry ? stdout : fs_report_people(r->config), run);
		fflush(NULL);
	}
	if (!run->dry) {
		run_trials(r, place, run);
		run_groups(r, place, run);
	}
	fs_place_close(&r->session);
	return status;
}

/* One place that cannot be set up does not stop the others, unless it is the only one. */
static int run_place(struct run *r, struct place place)
{
	struct run_result *run = run_add_result(r);
	int status;

	if (!run) {
		fs_error("out of memory");
		return RUN_EXIT_SETUP;
	}
	status = run_one(r, &place, run);
	if (status == 0)
		return 0;
	r->impossible = true;
	for (unsigned i = 0; i < run->nstages; i++)
		fs_stage_result_free(&run->stages[i]);
	free(run->stages);
	r->nresults--;
	return status;
}

static int run_places(struct run *r)
{
	const struct config *c = r->config;
	int status = 0, last = 0;

	if (c->disk) {
		for (unsigned i = 0; !r->session.interrupted && i < (c->nfs ? c->nfs : 1); i++) {
			last = run_place(r, (struct place){
				.disk = c->disk, .fs = c->nfs ? c->fs[i] : NULL
			});
			status = last ? last : status;
		}
		return status;
	}
	for (unsigned i = 0; !r->session.interrupted && i < (c->ntargets ? c->ntargets : 1); i++) {
		last = run_place(r, (struct place){ .target = c->ntargets ? c->targets[i] : "." });
		status = last ? last : status;
	}
	return status;
}

static int run_report(struct run *r)
{
	const struct config *c = r->config;
	int rc = 0;

	if (!r->results[0].dry)
		rc = fs_report(c, r->results, r->nresults);
	else if (c->json)
		rc = fs_report_json(c->json, r->results, r->nresults);
	return rc;
}

/* Without a row of numbers somebody may wonder, or have no table to look at. */
static void run_say_skipped(const struct run_result *run)
{
	unsigned skipped = 0;

	for (unsigned i = 0; i < run->nstages; i++)
		skipped += run->stages[i].status == STATUS_SKIPPED;
	if (skipped && skipped == run->nstages)
		fs_error("%s: %s%s", run->stages[0].stage->key, run->stages[0].reason,
			 skipped > 1 ? "; all other stages are skipped as well" : "");
}

static int run_finish(struct run *r, int status)
{
	const int sig = r->session.interrupted;
	int exit_status;

	if (!r->nresults)
		return sig ? 128 + sig : status;
	if (sig)		/* also between two repetitions */
		r->results[r->nresults - 1].interrupted = sig;
	if (run_report(r) < 0)
		return RUN_EXIT_SETUP;
	if (r->results[0].dry)
		return sig ? 128 + sig : status;
	exit_status = fs_exit_status(r->results, r->nresults, r->config->strict);
	for (unsigned i = 0; i < r->nresults && !sig; i++)
		run_say_skipped(&r->results[i]);
	if (r->impossible && (exit_status == 0 || exit_status == 4))
		return RUN_EXIT_SETUP;
	return exit_status;
}

/* Whether the result can be written is better known before the run than after it. */
static int run_hold_json(const char *path)
{
	const int fd = path ? fs_report_json_hold(path) : -1;

	if (!path || fd >= 0)
		return fd;
	fs_error("--json %s: %s", path,
		 fd == -ENXIO ? "nobody reads from this pipe; or a socket, use --json -" :
				strerror(-fd));
	return -EINVAL;
}

static int run_repetitions(struct run *r)
{
	int status = 0;

	for (unsigned i = 0; i < r->config->repeat && !r->session.interrupted; i++) {
		const int one = run_places(r);

		status = one ? one : status;
	}
	return status;
}

static int run_all(struct run *r)
{
	const struct config *c = r->config;
	int status = 0;

	fs_message_quiet(c->quiet);
	if (fs_session_open(&r->session, c) < 0) {
		fs_error("signals: %s", strerror(errno));
		return RUN_EXIT_SETUP;
	}
	fs_host_read("", &r->host);
	status = c->dry_run ? 0 : fs_observe_open(&r->session);
	if (status == 0 && !c->dry_run)
		fs_environment_note(&r->host);
	if (status == 0)
		status = run_repetitions(r);
	status = run_finish(r, status);
	fs_observe_close(&r->session);
	fs_session_close(&r->session);
	return status;
}

int fs_run(const struct config *config)
{
	struct run r = { .config = config };
	const int json = run_hold_json(config->json);
	int status = json < -1 ? RUN_EXIT_SETUP : fs_run_plan(config, &r.topology, &r.plan);

	if (status == 0) {
		status = run_all(&r);
		run_free(&r);
	}
	if (json >= 0)
		close(json);
	return status;
}
