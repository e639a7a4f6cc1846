/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key.h - result keys: NAME[.VARIANT][.MODIFIER...]
 *
 * A modifier is a value of an enum or flags option of the stressor, or what is shared. The
 * canonical key of a stage names its variant, then the values that differ from the variant's
 * defaults in the order of the option table, then what is shared.
 */
#ifndef CORE_KEY_H
#define CORE_KEY_H

#include "core/area.h"
#include "core/registry.h"

struct key {
	const struct fs_entry *entry;
	const struct fs_variant *variant;	/* NULL: not named, or not built */
	char modifiers[AREA_KEY_MAX];		/* "fsync.dir", or "" */
	char text[AREA_KEY_MAX];		/* as given */
};

/* none dir file range: value i is bit i - 1; ends with NULL. */
extern const char *const fs_share_names[];
const char *fs_share_name(enum fs_share share);

/* Take a key apart; origin: where it was given. -EINVAL after one line with the nearest key. */
int fs_key_parse(const char *text, const char *origin, struct key *key);

/*
 * Apply the modifiers of a parsed key to a state. *share is set where one names it; bit i of
 * *touched: option i of the table was set. Cannot fail: fs_key_parse() has checked them.
 */
void fs_key_apply(const struct key *key, void *state, enum fs_share *share, uint64_t *touched);

/* The canonical key of a state. -EINVAL: a default does not parse, or the key is too long. */
int fs_key_print(const struct fs_stressor *s, const struct fs_variant *v, const void *state,
		 enum fs_share share, char text[AREA_KEY_MAX]);

/* The variant that a value of --NAME-mode names, aliases included; NULL: none. */
const struct fs_variant *fs_key_mode(const struct fs_stressor *s, const char *mode);

/* "fallocate.alloc" or, where there is but one op, "lease": into text. */
char *fs_key_of_variant(const struct fs_stressor *s, const struct fs_variant *v,
			char text[AREA_KEY_MAX]);

#endif
