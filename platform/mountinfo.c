// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/mountinfo.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static bool mountinfo_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' &&
	       s[2] >= '0' && s[2] <= '7';
}

/* The kernel writes blank, tab, newline and backslash as \ooo. */
static char *mountinfo_unescape(char *s)
{
	const char *from = s;
	char *to = s;

	while (*from) {
		if (*from == '\\' && mountinfo_octal(from + 1)) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 +
				       (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return s;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - FSTYPE SOURCE SUPER_OPTIONS */
static bool mountinfo_parse(char *line, struct fs_mountinfo *m)
{
	char *field[6], *tag, *tail[3];
	unsigned maj, min;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 6; i++)
		field[i] = strsep(&line, " ");
	do {
		tag = strsep(&line, " ");
	} while (tag && strcmp(tag, "-"));
	for (int i = 0; i < 3; i++)
		tail[i] = strsep(&line, " ");
	if (!tail[2] || sscanf(field[2], "%u:%u", &maj, &min) != 2)
		return false;
	m->id = strtoull(field[0], NULL, 10);
	m->dev = makedev(maj, min);
	m->point = mountinfo_unescape(field[4]);
	m->options = mountinfo_unescape(field[5]);
	m->fstype = mountinfo_unescape(tail[0]);
	m->source = mountinfo_unescape(tail[1]);
	m->super_options = mountinfo_unescape(tail[2]);
	return true;
}

int fs_mountinfo_each(int (*each)(const struct fs_mountinfo *m, void *arg), void *arg)
{
	FILE *f = fopen("/proc/thread-self/mountinfo", "re");
	struct fs_mountinfo m;
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	if (!f)
		return -errno;
	while (!ret && getline(&line, &size, f) > 0)
		if (mountinfo_parse(line, &m))
			ret = each(&m, arg);
	free(line);
	fclose(f);
	return ret;
}
