/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - a growing, NULL-ended list of strings that owns them
 */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H

#include <stdbool.h>

#include "platform/compiler.h"

struct words {				/* all zero: empty */
	char **list;			/* NULL while empty */
	unsigned n;
};

/* Append a string. Returns the copy, which keeps its address; NULL: out of memory. */
const char *fs_words_add(struct words *w, const char *fmt, ...) FS_PRINTF(2, 3);
/* Append the pieces of a list. -EINVAL: a piece is empty (nothing is said); -ENOMEM. */
int fs_words_split(struct words *w, const char *text, const char *separators);
/* Whether a word is there. */
bool fs_words_have(const struct words *w, const char *word);
void fs_words_free(struct words *w);

#endif
