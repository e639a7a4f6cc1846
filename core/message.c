// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "core/message.h"

#define MESSAGE_TEXT_MAX 6144		/* a path of PATH_MAX and a sentence around it */
#define MESSAGE_LINE_MAX (4 * MESSAGE_TEXT_MAX + 64)	/* the same, each byte written out */

static int message_quiet;

void fs_message_quiet(int quiet)
{
	message_quiet = quiet;
}

/* Append text at `used`, with \xNN for what is not printable ASCII. Returns the new length. */
static size_t message_append(char line[MESSAGE_LINE_MAX], size_t used, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte >= 0x20 && byte < 0x7f) {
			line[used++] = (char)byte;
			continue;
		}
		line[used++] = '\\';
		line[used++] = 'x';
		line[used++] = hex[byte >> 4];
		line[used++] = hex[byte & 15];
	}
	return used;
}

/* One write(2), so that lines of several processes do not mix. */
static void FS_PRINTF(2, 0) message_write(const char *kind, const char *fmt, va_list args)
{
	const int saved = errno;
	char text[MESSAGE_TEXT_MAX], line[MESSAGE_LINE_MAX];
	size_t used;
	int length;

	length = vsnprintf(text, sizeof(text), fmt, args);
	used = message_append(line, 0, "fsstress: ");
	used = message_append(line, used, kind);
	used = message_append(line, used, length < 0 ? fmt : text);
	if (length >= (int)sizeof(text))
		used = message_append(line, used, "...");
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		errno = 0;		/* nobody is left to tell */
	errno = saved;
}

void fs_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_write("", fmt, args);
	va_end(args);
}

void fs_warning(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_write("warning: ", fmt, args);
	va_end(args);
}

void fs_note(const char *fmt, ...)
{
	va_list args;

	if (message_quiet)
		return;
	va_start(args, fmt);
	message_write("note: ", fmt, args);
	va_end(args);
}
