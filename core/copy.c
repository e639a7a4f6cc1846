// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_FIRST_BYTES	(64u << 10)
#define COPY_MAX_BYTES		(16u << 20)

static int copy_open(const char *path)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int fs_copy_check(const char *path)
{
	const int fd = copy_open(path);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Of files in /proc the size is not known before the end. */
static int copy_all(int fd, char **text, size_t *bytes)
{
	size_t room = 0, used = 0;
	ssize_t n;

	do {
		if (used == room) {
			char *more;

			room = room ? 2 * room : COPY_FIRST_BYTES;
			more = room <= COPY_MAX_BYTES ? realloc(*text, room) : NULL;
			if (!more)
				return room > COPY_MAX_BYTES ? -EFBIG : -ENOMEM;
			*text = more;
		}
		n = read(fd, *text + used, room - used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	*bytes = used;
	return n < 0 ? -errno : 0;
}

int fs_copy_read(struct copy *c, unsigned end)
{
	const int fd = copy_open(c->path);
	int rc;

	if (fd < 0)
		return fd;
	rc = copy_all(fd, &c->text[end], &c->bytes[end]);
	close(fd);
	if (rc < 0) {
		free(c->text[end]);
		c->text[end] = NULL;
	}
	return rc;
}

static int copy_put(const char *path, const char *text, size_t bytes)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc = fd < 0 ? -errno : 0;

	while (rc == 0 && bytes) {
		const ssize_t n = write(fd, text, bytes);

		rc = n < 0 ? -errno : 0;
		text += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	if (fd >= 0 && rc)
		unlink(path);
	return rc;
}

int fs_copy_write(const struct copy *c, const char *prefix)
{
	static const char *const ends[] = { "begin", "end" };
	char path[2][2 * PATH_MAX];
	int rc;

	for (unsigned i = 0; i < 2; i++) {
		const char *name = c->path + strspn(c->path, "/");
		int at = snprintf(path[i], sizeof(path[i]), "%s.", prefix);

		if ((size_t)at + strlen(name) + sizeof(".begin") > sizeof(path[i]))
			return -ENAMETOOLONG;
		for (; *name; name++)
			path[i][at++] = *name == '/' ? '_' : *name;
		snprintf(path[i] + at, sizeof(path[i]) - (size_t)at, ".%s", ends[i]);
	}
	rc = copy_put(path[0], c->text[0], c->bytes[0]);
	if (rc)
		return rc;
	rc = copy_put(path[1], c->text[1], c->bytes[1]);
	if (rc)
		unlink(path[0]);
	return rc;
}

void fs_copy_free(struct copy *c)
{
	free(c->text[0]);
	free(c->text[1]);
	c->text[0] = c->text[1] = NULL;
}
