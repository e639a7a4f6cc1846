// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long fs_sysfile_read(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t used = 0;
	ssize_t n = 0;
	int err = 0;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (used < size - 1 && (n = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	if (n < 0) {
		err = -errno;
		used = 0;
	}
	close(fd);
	while (used && strchr(" \t\n", text[used - 1]))
		used--;
	text[used] = '\0';
	return err ? err : (long)used;
}

int fs_sysfile_choice(const char *path, char *text, size_t size)
{
	const long n = fs_sysfile_read(path, text, size);
	char *from, *to;

	if (n < 0)
		return (int)n;
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to) {
		*to = '\0';
		memmove(text, from + 1, (size_t)(to - from));
	}
	return 0;
}

int fs_sysfile_int(const char *path, int unknown)
{
	char text[32], *end;
	long value;

	if (fs_sysfile_read(path, text, sizeof(text)) <= 0)
		return unknown;
	value = strtol(text, &end, 10);
	return *end ? unknown : (int)value;
}

uint64_t fs_sysfile_meminfo(const char *text, const char *name)
{
	const size_t n = strlen(name);
	unsigned long long kib;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, n) && sscanf(line + n, ": %llu kB", &kib) == 1)
			return kib * 1024;
	}
	return UINT64_MAX;
}
