// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * option.c - see option.h
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/message.h"
#include "core/option.h"
#include "core/plan.h"
#include "core/units.h"
#include "platform/shown.h"

const struct fs_option *fs_option_find(const struct fs_option *table, const char *name)
{
	for (; table && table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

char *fs_option_names(const char *const *names, const char *between, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; names[i] && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? between : "", names[i]);
	return text;
}

/* Index of the first n bytes of text in names, or -1. */
static int option_index(const char *const *names, const char *text, size_t n)
{
	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], text, n))
			return i;
	return -1;
}

static int option_no_name(const struct fs_option *o, const char *text, size_t n,
			  char why[OPTION_WHY_MAX])
{
	char word[64], valid[384];
	const char *near;

	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	near = fs_nearest(word, o->names);
	if (near)
		snprintf(why, OPTION_WHY_MAX, "no value '%s'; did you mean %s?", word, near);
	else
		snprintf(why, OPTION_WHY_MAX, "no value '%s'; valid: %s", word,
			 fs_option_names(o->names, " ", valid, sizeof(valid)));
	return -EINVAL;
}

static int option_number(const struct fs_option *o, const char *value, void *field,
			 char why[OPTION_WHY_MAX])
{
	const bool size = o->kind == FS_OPTION_SIZE;
	uint64_t n;
	const int rc = size ? fs_scan_size(value, &n) : fs_scan_count(value, &n);

	if (rc == -EINVAL) {
		snprintf(why, OPTION_WHY_MAX,
			 size ? "not a size, such as 4096, 64K, 1GiB" : "not a plain number");
		return rc;
	}
	if (rc || n < o->min || n > o->max) {
		snprintf(why, OPTION_WHY_MAX, "out of range: %" PRIu64 " to %" PRIu64, o->min,
			 o->max);
		return -ERANGE;
	}
	memcpy(field, &n, sizeof(n));
	return 0;
}

static int option_flags(const struct fs_option *o, const char *value, void *field,
			char why[OPTION_WHY_MAX])
{
	unsigned flags = 0;

	if (!strcmp(value, "none") || !*value)
		goto out;
	for (;;) {
		const size_t n = strcspn(value, "+,");
		const int i = option_index(o->names, value, n);

		if (i < 0)
			return option_no_name(o, value, n, why);
		flags |= 1u << i;
		if (!value[n])
			break;
		value += n + 1;
	}
out:
	memcpy(field, &flags, sizeof(flags));
	return 0;
}

struct option_numbers {			/* how a number is written behind a kind */
	char between;
	const char *form;
	uint64_t max;
};
static const struct option_numbers option_weights = { '=', "KIND=WEIGHT, a weight", UINT8_MAX };
static const struct option_numbers option_rates = { '@', "KIND@RATE, ops/s", 1000000 };

static const struct option_numbers *option_numbers(const struct fs_option *o)
{
	return o->kind == FS_OPTION_RATES ? &option_rates : &option_weights;
}

/* One KIND=WEIGHT, or KIND@RATE, of n bytes. */
static int option_of_kind(const struct fs_option *o, const char *text, size_t n, uint64_t *numbers,
			  char *why)
{
	const struct option_numbers *how = option_numbers(o);
	const char *between = memchr(text, how->between, n);
	const size_t name = between ? (size_t)(between - text) : n;
	const int i = option_index(o->names, text, name);
	char number[16];

	if (i < 0)
		return option_no_name(o, text, name, why);
	snprintf(number, sizeof(number), "%.*s", between ? (int)(n - name - 1) : 0,
		 text + name + 1);
	if (!between || fs_scan_count(number, &numbers[i]) || numbers[i] > how->max) {
		snprintf(why, OPTION_WHY_MAX, "'%.*s': write %s of 0 to %" PRIu64, (int)n, text,
			 how->form, how->max);
		return -EINVAL;
	}
	return 0;
}

static int option_of_kinds(const struct fs_option *o, const char *value, void *field,
			   char why[OPTION_WHY_MAX])
{
	const size_t each = o->kind == FS_OPTION_RATES ? sizeof(uint32_t) : sizeof(uint8_t);
	uint64_t numbers[FS_KINDS_MAX] = { 0 };

	for (;;) {
		const size_t n = strcspn(value, ",");
		const int rc = option_of_kind(o, value, n, numbers, why);

		if (rc)
			return rc;
		if (!value[n])
			break;
		value += n + 1;
	}
	for (unsigned i = 0; i < FS_KINDS_MAX && (i + 1) * each <= o->width; i++) {
		if (o->kind == FS_OPTION_RATES)
			((uint32_t *)field)[i] = (uint32_t)numbers[i];
		else
			((uint8_t *)field)[i] = (uint8_t)numbers[i];
	}
	return 0;
}

int fs_option_parse(const struct fs_option *o, const char *value, void *state,
		    char why[OPTION_WHY_MAX])
{
	void *field = (char *)state + o->offset;
	int i;

	switch (o->kind) {
	case FS_OPTION_SIZE:
	case FS_OPTION_COUNT:
		return option_number(o, value, field, why);
	case FS_OPTION_ENUM:
		i = option_index(o->names, value, strlen(value));
		if (i < 0)
			return option_no_name(o, value, strlen(value), why);
		memcpy(field, &i, sizeof(i));
		return 0;
	case FS_OPTION_FLAGS:
		return option_flags(o, value, field, why);
	case FS_OPTION_WEIGHTS:
	case FS_OPTION_RATES:
		return option_of_kinds(o, value, field, why);
	}
	return -EINVAL;
}

/* "state=unwritten order=next": the defaults of a variant. */
static int option_variant(const struct fs_stressor *s, const char *text, void *state,
			  char why[OPTION_WHY_MAX])
{
	while (*text) {
		const size_t n = strcspn(text, " ");
		char word[128], *value;
		const struct fs_option *o;
		int rc = -EINVAL;

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		o = fs_option_find(s->options, word);
		if (o && value)
			rc = fs_option_parse(o, value, state, why);
		else
			snprintf(why, OPTION_WHY_MAX, "%s: bad default '%s' of a variant", s->name,
				 word);
		if (rc)
			return rc;
		text += n + strspn(text + n, " ");
	}
	return 0;
}

int fs_option_defaults(const struct fs_stressor *s, const struct fs_variant *v, void *state,
		       char why[OPTION_WHY_MAX])
{
	memset(state, 0, s->state_size);
	for (const struct fs_option *o = s->options; o && o->name; o++) {
		const int rc = fs_option_parse(o, o->def, state, why);

		if (rc)
			return rc;
	}
	return v->defaults ? option_variant(s, v->defaults, state, why) : 0;
}

bool fs_option_applies(const struct fs_option *o, const struct fs_variant *v)
{
	return !o->only || !strcmp(o->only, v->name);
}

unsigned fs_option_value(const struct fs_option *o, const void *state)
{
	unsigned value;

	memcpy(&value, (const char *)state + o->offset, sizeof(value));
	return value;
}

/* The number of kind i; of flags, whether it is set. */
static unsigned option_number_of(const struct fs_option *o, const void *field, unsigned i)
{
	unsigned flags;

	if (o->kind == FS_OPTION_WEIGHTS)
		return ((const uint8_t *)field)[i];
	if (o->kind == FS_OPTION_RATES)
		return ((const uint32_t *)field)[i];
	memcpy(&flags, field, sizeof(flags));
	return flags >> i & 1;
}

/* Flags, weights, rates: the names that are set, joined. */
static int option_print_set(const struct fs_option *o, const void *field, char *text, size_t size)
{
	const bool numbers = o->kind != FS_OPTION_FLAGS;
	size_t at = 0;

	for (unsigned i = 0; o->names[i]; i++) {
		const unsigned n = option_number_of(o, field, i);

		if (!n || at >= size)
			continue;
		at += (size_t)snprintf(text + at, size - at, "%s%s",
				       at ? (numbers ? "," : "+") : "", o->names[i]);
		if (numbers && at < size)
			at += (size_t)snprintf(text + at, size - at, "%c%u",
					       option_numbers(o)->between, n);
	}
	return at ? (int)at : snprintf(text, size, "none");
}

int fs_option_print(const struct fs_option *o, const void *state, char *text, unsigned long size)
{
	const void *field = (const char *)state + o->offset;
	uint64_t n;

	switch (o->kind) {
	case FS_OPTION_SIZE:
	case FS_OPTION_COUNT:
		memcpy(&n, field, sizeof(n));
		return snprintf(text, size, "%" PRIu64, n);
	case FS_OPTION_ENUM:
		return snprintf(text, size, "%s", o->names[fs_option_value(o, state)]);
	case FS_OPTION_FLAGS:
	case FS_OPTION_WEIGHTS:
	case FS_OPTION_RATES:
		return option_print_set(o, field, text, size);
	}
	return -EINVAL;
}

int fs_given_error(const char *origin, const char *name, const char *value, const char *fmt, ...)
{
	const bool line = origin[0] != '-' && strchr(origin, ':');	/* of a job file */
	char why[1024], shown[FS_SHOWN_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	fs_shown(value ? value : "", shown);
	if (line)
		fs_error("%s: %s%s%s: %s", origin, name, value ? " = " : "", shown, why);
	else
		fs_error("%s%s%s: %s", origin, value ? " " : "", shown, why);
	return -EINVAL;
}
