/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - what the kernel will let us have
 */
#ifndef PLATFORM_LIMITS_H
#define PLATFORM_LIMITS_H

#include <stdint.h>

#define FS_UNLIMITED UINT64_MAX

struct fs_limits {			/* FS_UNLIMITED where there is none, or it cannot be read */
	uint64_t descriptors_soft, descriptors_hard;	/* RLIMIT_NOFILE */
	uint64_t file_bytes;		/* RLIMIT_FSIZE */
	uint64_t tasks;			/* RLIMIT_NPROC (not for root), threads-max, pids.max */
	uint64_t aio_slots;		/* aio-max-nr less aio-nr */
};

void fs_limits_read(struct fs_limits *l);

#endif
