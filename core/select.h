/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h - which keys a configuration asks for, before options, sweeps and worker counts
 */
#ifndef CORE_SELECT_H
#define CORE_SELECT_H

#include "core/config.h"
#include "core/key.h"
#include "core/words.h"

struct selected {
	struct key key;
	bool named;			/* by the user, not by a class */
	struct given count;		/* of --NAME COUNT; text NULL: the run's */
	const char *origin;		/* of a named one */
};

struct selection {
	struct selected *list;
	unsigned n;
	struct words exclude, with;	/* canonical keys and names of stressors */
	bool only_with;			/* of the class ones only those in `with` */
};

/* -EINVAL after one line on stderr. Freed by fs_selection_free(), also on failure. */
int fs_select(const struct config *c, struct selection *s);
void fs_selection_free(struct selection *s);

/* Whether a stage with this key stays, as far as --exclude and --with go. */
bool fs_selection_keeps(const struct selection *s, const struct selected *from, const char *key);

/* The option --STRESSOR-NAME as given; NULL: not. */
const struct stressor_option *fs_select_option(const struct config *c, const struct fs_stressor *s,
					       const char *name);

#endif
