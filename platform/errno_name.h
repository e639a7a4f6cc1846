/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errno_name.h - symbolic names of errnos; libc has them only since glibc 2.32
 */
#ifndef PLATFORM_ERRNO_NAME_H
#define PLATFORM_ERRNO_NAME_H

/* "ENOSPC"; "E999" (static per thread) for a number without a name, such as NFS's private 524. */
const char *fs_errno_name(int err);

#endif
