// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli_command.c - the command line as text for a shell
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"

static bool command_is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-_=+.,/:@%^", c));
}

static bool command_is_printable(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

/* As it is, in '...', or in $'...' where a byte would not survive pasting. */
static void command_word(FILE *out, const char *word)
{
	bool plain = *word, printable = true;

	for (const char *p = word; *p; p++) {
		plain = plain && command_is_plain(*p);
		printable = printable && command_is_printable((unsigned char)*p);
	}
	if (plain) {
		fputs(word, out);
		return;
	}
	fputs(printable ? "'" : "$'", out);
	for (const char *p = word; *p; p++) {
		if (!command_is_printable((unsigned char)*p))
			fprintf(out, "\\x%02x", (unsigned char)*p);
		else if (printable && *p == '\'')
			fputs("'\\''", out);
		else if (!printable && strchr("'\\", *p))
			fprintf(out, "\\%c", *p);
		else
			fputc(*p, out);
	}
	fputc('\'', out);
}

char *fs_command_line(const struct config *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < c->argc; i++) {
		if (i)
			fputc(' ', out);
		command_word(out, c->argv[i]);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
