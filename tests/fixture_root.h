/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fixture_root.h - a directory of files that stand for /proc, /sys and /boot
 */
#ifndef TESTS_FIXTURE_ROOT_H
#define TESTS_FIXTURE_ROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROOT_TEMPLATE "/tmp/fsstress-test.XXXXXX"

/* root is ROOT_TEMPLATE before. */
static inline void root_make(char *root)
{
	assert_non_null(mkdtemp(root));
}

static inline void root_remove(const char *root)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

/* The file at path, "/proc/stat", with its directories. */
static inline void root_put(const char *root, const char *path, const char *text)
{
	char at[512];
	FILE *f;

	snprintf(at, sizeof(at), "%s%s", root, path);
	for (char *slash = strchr(at + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(at, 0700);
		*slash = '/';
	}
	f = fopen(at, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#endif
