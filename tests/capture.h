/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - for unit tests: what a call says on stderr, and configurations from one line
 */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/config.h"

#define CAPTURE_MAX 4096
#define CAPTURE_WORDS 64

struct capture {
	FILE *file;
	int saved;
	char text[CAPTURE_MAX];		/* valid after capture_end() */
};

static inline void capture_start(struct capture *c)
{
	fflush(stderr);
	c->file = tmpfile();
	c->saved = dup(STDERR_FILENO);
	dup2(fileno(c->file), STDERR_FILENO);
}

/* Returns how many lines there were. */
static inline unsigned capture_end(struct capture *c)
{
	unsigned lines = 0;
	size_t n;

	fflush(stderr);
	dup2(c->saved, STDERR_FILENO);
	close(c->saved);
	rewind(c->file);
	n = fread(c->text, 1, sizeof(c->text) - 1, c->file);
	c->text[n] = '\0';
	fclose(c->file);
	for (const char *p = c->text; *p; p++)
		lines += *p == '\n';
	return lines;
}

struct command {			/* owns what a configuration points into */
	char line[1024];
	char *argv[CAPTURE_WORDS];
	int argc;
	struct config config;
};

/* Parse "--test fiemap --timeout 5"; words are separated by single blanks, two blanks make an empty word. */
static inline int command_parse(struct command *c, const char *line)
{
	char *at = c->line, *word;

	snprintf(c->line, sizeof(c->line), "fsstress%s%s", *line ? " " : "", line);
	c->argc = 0;
	while ((word = strsep(&at, " ")) && c->argc < CAPTURE_WORDS - 1)
		c->argv[c->argc++] = word;
	c->argv[c->argc] = NULL;
	return fs_cli_parse(c->argc, c->argv, &c->config);
}

/* Refused, with exactly one line that contains `says`. */
static inline void command_refused(const char *line, const char *says)
{
	struct command command;
	struct capture capture;
	unsigned lines;
	int rc;

	capture_start(&capture);
	rc = command_parse(&command, line);
	lines = capture_end(&capture);
	if (rc != -EINVAL || lines != 1 || strncmp(capture.text, "fsstress: ", 10) ||
	    !strstr(capture.text, says))
		fail_msg("'%s': %d, wanted '%s', said: %s", line, rc, says, capture.text);
	fs_config_free(&command.config);
}

/* Understood, and nothing is said. */
static inline const struct config *command_understood(struct command *command, const char *line)
{
	struct capture capture;
	unsigned lines;
	int rc;

	capture_start(&capture);
	rc = command_parse(command, line);
	lines = capture_end(&capture);
	if (rc || lines)
		fail_msg("'%s': %d, said: %s", line, rc, capture.text);
	return &command->config;
}

#endif
