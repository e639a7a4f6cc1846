/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - scan and print durations, sizes, counts; locale-free
 */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include <stdint.h>

/* All: 0, -EINVAL (not of this form: " 4", "4 G" and "1e9" are not) or -ERANGE. */

/* 60 0.2 60s 1.5s 500ms 2m 1h 1m30s; a bare number is seconds. To nanoseconds; at most 10 years. */
int fs_scan_duration(const char *text, uint64_t *ns);
/* 4096; 64K 64Ki 64KiB = 65536, 64KB 64kB = 64000; K M G T. No other case, fraction or sign. */
int fs_scan_size(const char *text, uint64_t *bytes);
/* A plain decimal number. */
int fs_scan_count(const char *text, uint64_t *n);

/* Ops per second: digits and a point alone, at least 0.001. No sign, no exponent, no infinity. */
int fs_scan_rate(const char *text, double most, double *rate);

/* For people, rounded: "10 s", "500 ms", "1 m 30 s"; "64 MiB", "1.5 GiB". Return text. */
char *fs_print_duration(uint64_t ns, char *text, unsigned long size);
char *fs_print_size(uint64_t bytes, char *text, unsigned long size);

/*
 * The nearest of a NULL-ended list to a mistyped word, by Damerau-Levenshtein distance (optimal
 * string alignment), at most a third of its length + 1 away; NULL: nothing is near.
 */
const char *fs_nearest(const char *word, const char *const *list);

#endif
