/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysfile.h - read the small text files of /proc and /sys
 */
#ifndef PLATFORM_SYSFILE_H
#define PLATFORM_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Read at most size - 1 bytes, without the white space at the end. Length or -errno; text is a
 * string in any case, "" on error.
 */
long fs_sysfile_read(const char *path, char *text, size_t size);
/*
 * Of a file that lists choices, "always [madvise] never", the one in brackets; else all of it. 0 or
 * -errno.
 */
int fs_sysfile_choice(const char *path, char *text, size_t size);
/* A file with one number in it; otherwise what is given as unknown. */
int fs_sysfile_int(const char *path, int unknown);
/* Of the text of /proc/meminfo, the bytes of one line, "Dirty"; UINT64_MAX: it is not there. */
uint64_t fs_sysfile_meminfo(const char *text, const char *name);

#endif
