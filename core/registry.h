/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registry.h - the table of stressors, generated from stressors/ by make
 */
#ifndef CORE_REGISTRY_H
#define CORE_REGISTRY_H

#include "core/stressor.h"

struct fs_entry {
	const char *name;		/* of the file: "io-uring" */
	const struct fs_stressor *stressor;	/* NULL: not built */
	const char *missing;		/* the library that configure did not find; NULL: built */
};

extern const struct fs_entry fs_registry[];	/* sorted by name; ends with name NULL */

const struct fs_entry *fs_registry_find(const char *name);
/* Variant of a stressor by name, or NULL. */
const struct fs_variant *fs_variant_find(const struct fs_stressor *s, const char *name);
/* The names of the kinds that a variant mixes, or NULL: what can be a load is of one kind. */
static inline const char *const *fs_kinds_of(const struct fs_stressor *s,
					     const struct fs_variant *v)
{
	return v->flags & FS_LOAD ? NULL : s->kinds;
}
/* Class bit of a name ("filesystem"), 0 if there is none. */
unsigned fs_class_bit(const char *name);
extern const char *const fs_class_names[];	/* in the order of enum fs_class; ends with NULL */
/* Whether stress-ng has a stressor of that name (accepted in --exclude). */
bool fs_stress_ng_has(const char *name);

#endif
