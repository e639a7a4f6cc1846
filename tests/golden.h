/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output against files in tests/golden. After a change that is meant, FSSTRESS_GOLDEN=update writes the files anew;
 * read their difference before you commit it.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config.h"

/* All that is left of a stream without NUL bytes. */
static inline char *slurp(FILE *in)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, '\0', in) >= 0)
		return text;
	free(text);
	return strdup("");
}

/* What differs from build to build: by its name. Takes over text. */
static inline char *named(char *text, const char *what, const char *name)
{
	char *out = NULL, *at;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	for (char *from = text; (at = strstr(from, what)) || *from; from = at + strlen(what)) {
		fprintf(f, "%.*s%s", at ? (int)(at - from) : (int)strlen(from), from,
			at ? name : "");
		if (!at)
			break;
	}
	fclose(f);
	free(text);
	return out;
}

static inline char *slurp_file(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = in ? slurp(in) : strdup("");

	if (in)
		fclose(in);
	return text;
}

/* Compare with tests/golden/NAME; frees text. */
static inline void golden(const char *name, char *text)
{
	char path[64], pid[32], *expected;

	snprintf(pid, sizeof(pid), "[%d]", (int)getpid());
	text = named(text, pid, "[PID]");
	text = named(text, FS_VERSION, "VERSION");
	text = named(text, __VERSION__, "COMPILER");
	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (getenv("FSSTRESS_GOLDEN")) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}
	expected = slurp_file(path);
	if (strcmp(text, expected))
		fail_msg("%s should be\n%s\nbut is\n%s", path, expected, text);
	free(expected);
	free(text);
}

#endif
