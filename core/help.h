/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * help.h - help, version, list, describe and --class 'C?': what asks only the program itself
 */
#ifndef CORE_HELP_H
#define CORE_HELP_H

#include <jansson.h>
#include <stdio.h>

#include "core/config.h"
#include "core/registry.h"

/* Do one of these verbs on stdout or where --json says. Exit status: 0, 1 (write), 2 (bad name). */
int fs_help(const struct config *config);

/* Parts of it. */
void fs_help_usage(FILE *out);
void fs_describe(FILE *out, const struct fs_entry *entry, const struct fs_variant *only);

/* What `list --json` and `describe --json` print of a stressor; only: one variant; NULL: all. */
json_t *fs_describe_json(const struct fs_entry *entry, const struct fs_variant *only);

/* Flags of a variant as words for describe: "process", "root"; index is the bit. Ends with NULL. */
extern const char *const fs_variant_flag_names[];
/* "SIZE", "N", "A|B", "A+B", "KIND=W,...": a value of an option, into text. */
const char *fs_option_form(const struct fs_option *o, char *text, size_t size);
/* What one worker of a variant needs with default options; false: cannot be told. */
bool fs_describe_need(const struct fs_stressor *s, const struct fs_variant *v,
		      struct fs_need *need);

#endif
