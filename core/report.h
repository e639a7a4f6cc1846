/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - from results to text; report.c chooses the writers, each writer knows one format
 *
 * A writer gets all runs (targets, filesystems, repetitions); it asks nothing of the machine.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include <stdio.h>

#include "core/result.h"

#define REPORT_KEY_MAX	(AREA_KEY_MAX + 16)

/* KEY, or KEY.wN where the key ran at several worker counts. Returns text. */
char *fs_report_key(const struct stage *s, char text[REPORT_KEY_MAX]);

/* The plan, one line a stage, and what it will take: printed before a run, and by `plan`. */
void fs_report_plan(FILE *out, const struct run_result *run);
/* The readable table, with one line of reason below for what did not pass, then warnings. */
void fs_report_text(FILE *out, const struct run_result *runs, unsigned nruns);
/* "KEY.ops_per_sec: X" for lkp-tests' parsers: each key once, plain decimals, no zero as a mark. */
void fs_report_lkp(FILE *out, const struct run_result *runs, unsigned nruns);
/* A table of all stages of all runs: a line of names, a row each, quoted as in RFC 4180. */
void fs_report_csv(FILE *out, const struct run_result *runs, unsigned nruns);
/* stress-ng's table, in one write(2): --metrics (12 columns), --metrics-brief (10), --times. */
int fs_report_stress_ng(int fd, const struct run_result *runs, unsigned nruns, bool brief,
			bool times);
/*
 * Schema fsstress/1: an object, or an array when there are several runs. To "-" (stdout) or a file,
 * written beside it and renamed; what is there and is no regular file (a pipe, a link) is written
 * to. -errno.
 */
int fs_report_json(const char *path, const struct run_result *runs, unsigned nruns);

/*
 * Whether a result could be written there now: a descriptor to be held open until it is, because a
 * pipe's reader ends with the last writer. -errno: no such directory, a directory, not writable;
 * -ENXIO: a pipe that nobody reads from.
 */
int fs_report_json_hold(const char *path);

/* All that the configuration asks for; says what cannot be written. -errno of the first. */
int fs_report(const struct config *config, const struct run_result *runs, unsigned nruns);

/* Where lines for people go: stdout, or beside a machine's format there, stderr. */
FILE *fs_report_people(const struct config *c);

/* Bytes that are not printable UTF-8 as \xNN; for paths in messages and reports. Returns text. */
char *fs_printable(const char *bytes, char *text, unsigned long size);

#endif
