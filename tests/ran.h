/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ran.h - for benchmarks: run the program and read its JSON
 */
#ifndef TESTS_RAN_H
#define TESTS_RAN_H

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The JSON of `$PROGRAM OPTIONS --json -`, an array of runs. PROGRAM is the name of an environment
 * variable; its value and the options are words for a shell. NULL, with a line said, where there is
 * none.
 */
static inline json_t *ran(const char *program, const char *fmt, ...)
{
	char options[1024], command[1200];
	json_t *root, *runs;
	FILE *out;
	va_list args;

	va_start(args, fmt);
	vsnprintf(options, sizeof(options), fmt, args);
	va_end(args);
	snprintf(command, sizeof(command), "\"$%s\" %s --quiet --json -", program, options);
	out = getenv(program) ? popen(command, "r") : NULL;
	root = out ? json_loadf(out, 0, NULL) : NULL;
	if (out)
		pclose(out);
	if (!root)
		printf("no result from %s\n", command);
	if (!json_is_object(root))
		return root;
	runs = json_array();
	json_array_append_new(runs, root);
	return runs;
}

static inline const char *ran_text(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "-";
}

#endif
