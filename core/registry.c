// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "core/registry.h"

/* stressors.inc is generated, a line for each file of stressors/: first declared, then listed. */
#define FS_STRESSOR(file, symbol)	extern const struct fs_stressor fs_stressor_##symbol;
#define FS_ABSENT(file, library)
#include "stressors.inc"
#undef FS_STRESSOR
#undef FS_ABSENT

#define FS_STRESSOR(file, symbol)	{ .name = file, .stressor = &fs_stressor_##symbol },
#define FS_ABSENT(file, library)	{ .name = file, .missing = library },
const struct fs_entry fs_registry[] = {
#include "stressors.inc"
	{ .name = NULL }
};

const char *const fs_class_names[] = { "filesystem", "io", "os", "vfs", "workload", NULL };

const struct fs_entry *fs_registry_find(const char *name)
{
	for (const struct fs_entry *e = fs_registry; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

const struct fs_variant *fs_variant_find(const struct fs_stressor *s, const char *name)
{
	for (const struct fs_variant *v = s->variants; v->run; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

unsigned fs_class_bit(const char *name)
{
	for (unsigned i = 0; fs_class_names[i]; i++)
		if (!strcmp(fs_class_names[i], name))
			return 1u << i;
	return 0;
}
