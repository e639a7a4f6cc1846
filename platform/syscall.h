/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.h - system calls that libc may lack, hide or emulate: raw, or -ENOSYS
 *
 * Return >= 0 or -errno.
 */
#ifndef PLATFORM_SYSCALL_H
#define PLATFORM_SYSCALL_H

#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

/* What older kernel headers lack; whether the kernel has it is found out by asking it. */
#ifndef FALLOC_FL_UNSHARE_RANGE
#define FALLOC_FL_UNSHARE_RANGE	0x40
#endif
#ifndef FALLOC_FL_WRITE_ZEROES
#define FALLOC_FL_WRITE_ZEROES	0x80
#endif
#ifndef FICLONE
#define FICLONE			_IOW(0x94, 9, int)
#endif
#ifndef EXT4_IOC_CLEAR_ES_CACHE
#define EXT4_IOC_CLEAR_ES_CACHE	_IO('f', 40)
#endif
/* Not for user space by its kernel header, yet some filesystems let it out. */
#ifndef ENOTSUPP
#define ENOTSUPP		524
#endif

struct stat;

/* fallocate(2), never libc's emulation. */
long fs_sys_fallocate(int fd, int mode, off_t offset, off_t length);
/* copy_file_range(2), never libc's emulation. */
long fs_sys_copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length);
/* fstat(2) itself (newfstatat with AT_EMPTY_PATH where there is none). */
long fs_sys_fstat(int fd, struct stat *st);
long fs_sys_sync_file_range(int fd, off_t offset, off_t length, unsigned flags);
/*
 * openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV:
 * -EXDEV for a mount point, bind mounts included. openat with O_NOFOLLOW where it is missing.
 */
long fs_sys_open_beneath(int dir, const char *name, int flags, unsigned mode);
/* close_range(2): all descriptors from first to last. */
long fs_sys_close_range(unsigned first, unsigned last);

#endif
