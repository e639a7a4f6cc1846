/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h - the verb `clean`: remove what dead runs have left
 */
#ifndef CORE_CLEAN_H
#define CORE_CLEAN_H

/*
 * Remove from a target (NULL: the current directory) the work directories that bear our marker, or
 * were left before they had one, whose lock is free and whose host is this one. Prints a line for
 * each that is removed, and for each that is left, why. A child does it, so that a dead mount hangs
 * the child alone. Exit status: 0; 1: something could not be removed; 3: the target cannot be read,
 * or does not answer within 10 s.
 */
int fs_clean(const char *target);

#endif
