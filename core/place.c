// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c - see place.h
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/option.h"
#include "core/place.h"
#include "core/units.h"
#include "core/words.h"

#define WORKERS_MAX (1u << 20)		/* a typo, not a machine */

/* --- the topology ----------------------------------------------------------------------------- */

static int place_number(const struct given *g, const char *name, int *n)
{
	uint64_t value;

	if (fs_scan_count(g->text, &value) || value > INT32_MAX)
		return fs_given_error(g->origin, name, g->text, "not a plain number");
	*n = (int)value;
	return 0;
}

/* A filter left nothing, or was not understood. */
static int place_filter(int rc, const struct given *g, const char *name, const char *form,
			const char *what)
{
	if (rc == -EINVAL)
		return fs_given_error(g->origin, name, g->text, "%s", form);
	if (rc == -ENODEV)
		fs_given_error(g->origin, name, g->text, "no allowed CPU %s", what);
	else if (rc)
		fs_given_error(g->origin, name, g->text, "%s", strerror(-rc));
	return rc;
}

static int place_filters(const struct config *c, struct fs_topology *t)
{
	int n = 0, rc = 0;

	if (c->cpus.text)
		rc = place_filter(fs_topology_cpus(t, c->cpus.text), &c->cpus, "cpus",
				  "not a list of CPUs such as 0-3,8", "is in this list");
	if (!rc && c->numa_node.text) {
		rc = place_number(&c->numa_node, "numa-node", &n);
		if (!rc)
			rc = place_filter(fs_topology_node(t, n), &c->numa_node, "numa-node",
					  "not a node", "on that node");
	}
	if (!rc && c->cpukind.text) {
		rc = place_number(&c->cpukind, "cpukind", &n);
		if (!rc)
			rc = place_filter(fs_topology_kind(t, n), &c->cpukind, "cpukind",
					  "not a kind", "of that kind");
	}
	return rc;
}

int fs_place_topology(const struct config *c, const struct fs_topology *from, struct fs_topology *t)
{
	int rc;

	*t = *from;
	t->places = malloc((from->nplaces + 1) * sizeof(*t->places));
	if (!t->places)
		return -ENOMEM;
	memcpy(t->places, from->places, from->nplaces * sizeof(*t->places));
	rc = place_filters(c, t);
	if (rc)
		fs_topology_free(t);
	else
		fs_topology_order(t, c->pin == PIN_COMPACT ? FS_ORDER_COMPACT : FS_ORDER_SPREAD);
	return rc;
}

/* --- counts ----------------------------------------------------------------------------------- */

/* "12.5%": in millionths of a percent. False: not [0-9]+(.[0-9]+)?%, or absurd. */
static bool place_percent(const char *text, uint64_t *micro)
{
	const size_t whole = strspn(text, "0123456789");
	size_t fraction = 0;
	uint64_t value = 0;

	if (text[whole] == '.') {
		fraction = strspn(text + whole + 1, "0123456789");
		if (!fraction)
			return false;
	}
	if (!whole || whole > 6 || fraction > 6 ||
	    strcmp(text + whole + (fraction ? fraction + 1 : 0), "%"))
		return false;
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	for (size_t i = 0; i < 6; i++)
		value = value * 10 + (i < fraction ? (uint64_t)(text[whole + 1 + i] - '0') : 0);
	*micro = value;
	return true;
}

static int count_add(const struct given *g, const char *name, const char *asked, uint64_t workers,
		     struct counts *counts)
{
	if (workers > WORKERS_MAX || strlen(asked) >= sizeof(counts->list[0].asked))
		return fs_given_error(g->origin, name, g->text, "%s: more than %u workers", asked,
				      WORKERS_MAX);
	for (unsigned i = 0; i < counts->n; i++)
		if (counts->list[i].workers == workers)
			return 0;
	if (counts->n == COUNTS_MAX)
		return fs_given_error(g->origin, name, g->text, "more than %d counts", COUNTS_MAX);
	counts->list[counts->n].workers = (unsigned)workers;
	counts->list[counts->n].note[0] = '\0';
	strcpy(counts->list[counts->n++].asked, asked);
	return 0;
}

/* One N or P%, both above zero. */
static int count_one(const struct given *g, const char *name, const char *text, unsigned places,
		     struct counts *counts)
{
	const unsigned before = counts->n;
	uint64_t n, micro;
	int rc;

	if (!fs_scan_count(text, &n) && n)
		return count_add(g, name, text, n, counts);
	if (!place_percent(text, &micro) || !micro)
		return fs_given_error(g->origin, name, g->text,
				      "'%s' is no worker count: N or P%%, above 0, or a list "
				      "such as 1,10%%,100%%",
				      text);
	n = places * micro / 100000000;
	rc = count_add(g, name, text, n ? n : 1, counts);
	if (!rc && !n && counts->n > before)
		snprintf(counts->list[before].note, sizeof(counts->list[before].note),
			 "rounded up from %.2g", (double)places * (double)micro / 1e8);
	return rc;
}

int fs_place_counts(const struct given *g, unsigned places, struct counts *counts)
{
	struct words texts = { 0 };
	int rc = fs_words_split(&texts, g->text, ",");

	counts->n = 0;
	if (rc == -EINVAL)
		rc = fs_given_error(g->origin, "nr-threads", g->text, "an empty count in the list");
	for (unsigned i = 0; i < texts.n && !rc; i++)
		rc = count_one(g, "nr-threads", texts.list[i], places, counts);
	fs_words_free(&texts);
	return rc;
}

int fs_place_count(const struct given *g, const char *name, unsigned places, struct counts *counts)
{
	const bool negative = g->text[0] == '-';
	uint64_t n;
	int rc;

	counts->n = 0;
	if (!fs_scan_count(g->text + negative, &n) && (negative || !n)) {
		rc = count_add(g, name, g->text, places, counts);
		if (!rc)
			snprintf(counts->list[0].note, sizeof(counts->list[0].note),
				 "%s means all %u allowed CPUs", counts->list[0].asked, places);
		return rc;
	}
	if (strchr(g->text, ','))
		return fs_given_error(g->origin, name, g->text,
				      "one count here; a list goes with --test NAME "
				      "--nr-threads LIST");
	return count_one(g, name, g->text, places, counts);
}

/* --- CPUs ------------------------------------------------------------------------------------- */

/* The helpers of a stressor with an option `place`: near their workers. */
static int place_near(const struct fs_topology *t, const char *how, bool given, struct stage *s)
{
	const unsigned each = fs_stage_helpers(s);

	for (unsigned i = 0; i < s->workers * each; i++) {
		const int cpu = s->cpus[i / each];

		if (i % each >= s->variant->helpers)
			continue;
		s->helper_cpus[i] = cpu < 0 ? -1 : fs_topology_near(t, cpu, how);
		if (s->helper_cpus[i] < 0 && cpu >= 0 && given) {
			fs_error("--%s-place %s: CPU %d has none among those allowed",
				 s->stressor->name, how, cpu);
			return -ENODEV;
		}
	}
	return 0;
}

int fs_place_stage(const struct fs_topology *t, bool pin, bool place_given, struct stage *s)
{
	const unsigned helpers = s->workers * fs_stage_helpers(s);
	const struct fs_option *near = fs_option_find(s->stressor->options, "place");

	s->cpus = malloc(s->workers * sizeof(*s->cpus));
	s->helper_cpus = helpers ? malloc(helpers * sizeof(*s->helper_cpus)) : NULL;
	if (!s->cpus || (helpers && !s->helper_cpus))
		return -ENOMEM;
	for (unsigned i = 0; i < s->workers; i++)
		s->cpus[i] = pin ? t->places[i % t->nplaces].cpu : -1;
	for (unsigned i = 0; i < helpers; i++)
		s->helper_cpus[i] = pin ? t->places[(s->workers + i) % t->nplaces].cpu : -1;
	if (helpers && near && near->kind == FS_OPTION_ENUM)
		return place_near(t, near->names[fs_option_value(near, s->state)], place_given, s);
	return 0;
}
