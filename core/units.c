// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "platform/clock.h"
#include "platform/compiler.h"

#define UNITS_MINUTE_NS		(60 * FS_NSEC_PER_SEC)
#define UNITS_HOUR_NS		(60 * UNITS_MINUTE_NS)
#define UNITS_DURATION_MAX_NS	(10 * 365 * 24 * UNITS_HOUR_NS)
#define UNITS_WORD_MAX		63

/*
 * A number too big for its type is noted, not returned at once: what is not of the form is -EINVAL
 * whatever its size.
 */
struct units_scan {
	const char *at;
	bool too_big;
};

static bool units_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool units_number(struct units_scan *s, uint64_t *n)
{
	if (!units_is_digit(*s->at))
		return false;
	for (*n = 0; units_is_digit(*s->at); s->at++)
		if (__builtin_mul_overflow(*n, 10u, n) ||
		    __builtin_add_overflow(*n, (unsigned)(*s->at - '0'), n))
			s->too_big = true;
	return true;
}

static int units_end(const struct units_scan *s)
{
	if (*s->at)
		return -EINVAL;
	return s->too_big ? -ERANGE : 0;
}

int fs_scan_count(const char *text, uint64_t *n)
{
	struct units_scan s = { .at = text };

	return units_number(&s, n) ? units_end(&s) : -EINVAL;
}

int fs_scan_rate(const char *text, double most, double *rate)
{
	char *end;
	const double value = strtod(text, &end);

	if (!*text || *end || strspn(text, "0123456789.") != strlen(text))
		return -EINVAL;
	if (!(value >= 0.001 && value <= most))
		return -ERANGE;
	*rate = value;
	return 0;
}

/* What the suffix of a size stands for; 0: there is none such. */
static uint64_t units_size_of(const char *suffix)
{
	static const char prefixes[] = "KMGT";
	const char *prefix;
	uint64_t base, unit = 1;

	if (!*suffix)
		return 1;
	if (!strcmp(suffix, "kB"))
		return 1000;
	prefix = strchr(prefixes, *suffix++);
	if (!prefix)
		return 0;
	if (!strcmp(suffix, "B"))
		base = 1000;
	else if (!*suffix || !strcmp(suffix, "i") || !strcmp(suffix, "iB"))
		base = 1024;
	else
		return 0;
	for (; prefix >= prefixes; prefix--)
		unit *= base;
	return unit;
}

int fs_scan_size(const char *text, uint64_t *bytes)
{
	struct units_scan s = { .at = text };
	uint64_t n, unit;

	if (!units_number(&s, &n))
		return -EINVAL;
	unit = units_size_of(s.at);
	if (!unit)
		return -EINVAL;
	if (s.too_big || __builtin_mul_overflow(n, unit, bytes))
		return -ERANGE;
	return 0;
}

/* Digits behind the point, in ns. Finer than a nanosecond is refused rather than dropped. */
static bool units_fraction(struct units_scan *s, uint64_t unit, uint64_t *ns)
{
	if (!units_is_digit(*s->at))
		return false;
	for (*ns = 0; units_is_digit(*s->at); s->at++) {
		if (unit % 10 && *s->at != '0')
			return false;
		unit /= 10;
		*ns += unit * (uint64_t)(*s->at - '0');
	}
	return true;
}

/* The unit that the suffix starts with, in ns, and how long its name is; 0: there is none such. */
static uint64_t units_duration_of(const char *suffix, size_t *length)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ms", FS_NSEC_PER_MSEC },	/* before m */
		{ "h", UNITS_HOUR_NS }, { "m", UNITS_MINUTE_NS }, { "s", FS_NSEC_PER_SEC },
	};

	for (size_t i = 0; i < FS_ARRAY_SIZE(units); i++) {
		*length = strlen(units[i].name);
		if (!strncmp(suffix, units[i].name, *length))
			return units[i].ns;
	}
	return 0;
}

/*
 * One number with its unit, which must be smaller than `below`: "1m30s" is a duration, "30s1m" and
 * "1m2m" are typos. Alone, a number without a unit is seconds.
 */
static bool units_duration_part(struct units_scan *s, uint64_t *below, uint64_t *ns)
{
	static const char number[] = "0123456789.";
	const bool first = *below == UINT64_MAX;
	uint64_t whole, fraction = 0, unit;
	const char *suffix = s->at + strspn(s->at, number);
	size_t length = 0;

	unit = first && !*suffix ? FS_NSEC_PER_SEC : units_duration_of(suffix, &length);
	if (!unit || unit >= *below || !units_number(s, &whole))
		return false;
	if (*s->at == '.') {
		s->at++;
		if (!units_fraction(s, unit, &fraction))
			return false;
	}
	if (s->at != suffix)
		return false;
	s->at += length;
	*below = fraction ? 0 : unit;	/* only the last one may have a fraction */
	if (__builtin_mul_overflow(whole, unit, &whole) || __builtin_add_overflow(*ns, whole, ns) ||
	    __builtin_add_overflow(*ns, fraction, ns))
		s->too_big = true;
	return true;
}

int fs_scan_duration(const char *text, uint64_t *ns)
{
	struct units_scan s = { .at = text };
	uint64_t below = UINT64_MAX, total = 0;
	int rc;

	do {
		if (!units_duration_part(&s, &below, &total))
			return -EINVAL;
	} while (*s.at);
	rc = units_end(&s);
	if (!rc && total > UNITS_DURATION_MAX_NS)
		rc = -ERANGE;
	if (!rc)
		*ns = total;
	return rc;
}

/* value / unit with up to three decimals, cut, no zeros at the end. */
static void units_print(uint64_t value, uint64_t unit, const char *name, char *text,
			unsigned long size)
{
	const unsigned fraction = (unsigned)(value % unit * 1000 / unit);
	char decimals[16] = "";

	if (fraction) {
		snprintf(decimals, sizeof(decimals), ".%03u", fraction);
		for (size_t end = strlen(decimals); decimals[end - 1] == '0'; end--)
			decimals[end - 1] = '\0';
	}
	snprintf(text, size, "%llu%s %s", (unsigned long long)(value / unit), decimals, name);
}

char *fs_print_duration(uint64_t ns, char *text, unsigned long size)
{
	const uint64_t seconds = (ns + FS_NSEC_PER_SEC / 2) / FS_NSEC_PER_SEC;
	const uint64_t part[] = { seconds / 3600, seconds / 60 % 60, seconds % 60 };
	static const char *const name[] = { "h", "m", "s" };
	size_t used = 0;

	if (!ns || (ns >= FS_NSEC_PER_SEC && ns < UNITS_MINUTE_NS))
		units_print(ns, FS_NSEC_PER_SEC, "s", text, size);
	else if (ns < FS_NSEC_PER_USEC)
		units_print(ns, 1, "ns", text, size);
	else if (ns < FS_NSEC_PER_MSEC)
		units_print(ns, FS_NSEC_PER_USEC, "us", text, size);
	else if (ns < FS_NSEC_PER_SEC)
		units_print(ns, FS_NSEC_PER_MSEC, "ms", text, size);
	else
		for (size_t i = 0; i < FS_ARRAY_SIZE(part); i++)
			if (part[i] && used < size)
				used += (size_t)snprintf(text + used, size - used, "%s%llu %s",
							 used ? " " : "",
							 (unsigned long long)part[i], name[i]);
	return text;
}

char *fs_print_size(uint64_t bytes, char *text, unsigned long size)
{
	static const char *const name[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	unsigned power = 0;

	while (power + 1 < FS_ARRAY_SIZE(name) && bytes >> 10 * (power + 1))
		power++;
	units_print(bytes, 1ull << 10 * power, name[power], text, size);
	return text;
}

static unsigned units_min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment (Boytsov, "Indexing methods for approximate dictionary searching", ACM
 * JEA 16, 2011): the fewest insertions, deletions, substitutions and swaps of neighbours, where no
 * letter is touched twice.
 */
static unsigned units_distance(const char *a, const char *b)
{
	unsigned rows[3][UNITS_WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];
	const size_t na = strlen(a), nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *const spare = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = units_min(units_min(last[j], row[j - 1]) + 1,
					   last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = units_min(row[j], before[j - 2] + 1);
		}
		before = last;
		last = row;
		row = spare;
	}
	return last[nb];
}

const char *fs_nearest(const char *word, const char *const *list)
{
	const size_t length = strlen(word);
	unsigned best = (unsigned)length / 3 + 2;
	const char *nearest = NULL;

	for (; *list; list++) {
		unsigned distance;

		if (strlen(*list) > UNITS_WORD_MAX)
			continue;
		distance = units_distance(word, *list);
		if (distance < best) {
			best = distance;
			nearest = *list;
		}
	}
	return nearest;
}
