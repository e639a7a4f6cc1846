// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - see words.h
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/words.h"

const char *fs_words_add(struct words *w, const char *fmt, ...)
{
	char **list = realloc(w->list, (w->n + 2) * sizeof(*list)), *copy;
	va_list args;
	int rc;

	if (!list)
		return NULL;
	w->list = list;
	va_start(args, fmt);
	rc = vasprintf(&copy, fmt, args);
	va_end(args);
	if (rc < 0)
		copy = NULL;
	list[w->n] = copy;
	if (copy)
		list[++w->n] = NULL;
	return copy;
}

int fs_words_split(struct words *w, const char *text, const char *separators)
{
	for (;;) {
		const size_t n = strcspn(text, separators);

		if (!n)
			return -EINVAL;
		if (!fs_words_add(w, "%.*s", (int)n, text))
			return -ENOMEM;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

bool fs_words_have(const struct words *w, const char *word)
{
	for (unsigned i = 0; i < w->n; i++)
		if (!strcmp(w->list[i], word))
			return true;
	return false;
}

void fs_words_free(struct words *w)
{
	for (unsigned i = 0; i < w->n; i++)
		free(w->list[i]);
	free(w->list);
	*w = (struct words){ 0 };
}
