/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - options of stressors: from text into the typed fields of a state
 */
#ifndef CORE_OPTION_H
#define CORE_OPTION_H

#include "core/stressor.h"

#define OPTION_WHY_MAX 512

/* By name; NULL: none. The table may be NULL. */
const struct fs_option *fs_option_find(const struct fs_option *table, const char *name);

/*
 * Parse a value into its field. Flags are joined by + or , and "none" is no flag; weights and rates
 * not named become 0. -EINVAL, -ERANGE: the field is untouched and why says what is wrong and what
 * is valid.
 */
int fs_option_parse(const struct fs_option *o, const char *value, void *state,
		    char why[OPTION_WHY_MAX]);

/*
 * Zero the state, then the defaults of the stressor's options, then the variant's. A default that
 * does not parse is a bug of the stressor: -EINVAL with why.
 */
int fs_option_defaults(const struct fs_stressor *s, const struct fs_variant *v, void *state,
		       char why[OPTION_WHY_MAX]);

/* Whether it means something to a variant. */
bool fs_option_applies(const struct fs_option *o, const struct fs_variant *v);

/* Value of an enum or flags option, as an integer. */
unsigned fs_option_value(const struct fs_option *o, const void *state);

/* "none|dir|file", into text. */
char *fs_option_names(const char *const *names, const char *between, char *text, size_t size);

/*
 * One line on stderr about something given: "--fiemap-extents 5x: WHY", or, where the origin is a
 * line of a job file, "FILE:LINE: fiemap-extents = 5x: WHY". value may be NULL. Returns -EINVAL.
 */
int fs_given_error(const char *origin, const char *name, const char *value, const char *fmt,
		   ...) FS_PRINTF(4, 5);

#endif
