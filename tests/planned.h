/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned.h - for unit tests: plans on a machine of any size
 */
#ifndef TESTS_PLANNED_H
#define TESTS_PLANNED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/plan.h"
#include "tests/capture.h"

#define PLACES_MAX 2048

/* Two packages, cores of two threads: CPU n and n + 1 share a core. */
static struct fs_place places[PLACES_MAX];

static inline struct fs_topology planned_topology(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const unsigned half = n > 1 ? n / 2 : 1;

		places[i] = (struct fs_place){ .cpu = (int)i,
					       .smt = (int)(i % 2),
					       .core = (int)(i % half / 2),
					       .node = 0,
					       .package = (int)(i / half),
					       .node_os = (int)(i / half),
					       .kind = -1 };
	}
	return (struct fs_topology){ .places = places, .nplaces = n, .nnodes = 2 };
}

struct planned {
	struct command command;
	struct capture capture;
	struct plan plan;
	unsigned lines;
	int rc;
};

static inline void planned_make(struct planned *p, unsigned cpus, const char *line)
{
	const struct fs_topology t = planned_topology(cpus);

	capture_start(&p->capture);
	p->plan = (struct plan){ .nstages = 0 };
	p->rc = command_parse(&p->command, line);
	if (!p->rc)
		p->rc = fs_plan_make(&p->command.config, &t, &p->plan);
	p->lines = capture_end(&p->capture);
}

static inline void planned_free(struct planned *p)
{
	fs_plan_free(&p->plan);
	fs_config_free(&p->command.config);
}

static inline void planned_refused(unsigned cpus, const char *line, int rc, const char *says)
{
	struct planned p;

	planned_make(&p, cpus, line);
	if (p.rc != rc || p.lines != 1 || !strstr(p.capture.text, says))
		fail_msg("'%s': %d, wanted %d '%s', said: %s", line, p.rc, rc, says,
			 p.capture.text);
	assert_int_equal(p.plan.nstages, 0);
	planned_free(&p);
}

/* "KEYxWORKERS KEYxWORKERS": the stages in their order. */
static inline void planned_text(const struct plan *plan, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < plan->nstages && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%sx%u", i ? " " : "",
				       plan->stages[i].key, plan->stages[i].workers);
}

static inline void planned_stages(unsigned cpus, const char *line, const char *wanted)
{
	struct planned p;
	char text[4096];

	planned_make(&p, cpus, line);
	planned_text(&p.plan, text, sizeof(text));
	if (p.rc || strcmp(text, wanted))
		fail_msg("'%s': %d\nwanted %s\ngot    %s\n%s", line, p.rc, wanted, text,
			 p.capture.text);
	planned_free(&p);
}

static inline const struct stage *planned_find(const struct plan *plan, const char *key)
{
	for (unsigned i = 0; i < plan->nstages; i++)
		if (!strcmp(plan->stages[i].key, key))
			return &plan->stages[i];
	return NULL;
}

#endif
