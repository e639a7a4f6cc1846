// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscall.c - see syscall.h
 *
 * libc is trusted where it only arranges arguments (64-bit offsets on 32-bit machines), and
 * passed by where some version of it emulates or uses another call: copy_file_range in glibc
 * before 2.30, fstat in glibc since 2.33.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/syscall.h"

_Static_assert(sizeof(off_t) == 8, "compile with -D_FILE_OFFSET_BITS=64");

#ifndef RESOLVE_NO_MAGICLINKS		/* linux/openat2.h */
#define RESOLVE_NO_XDEV		0x01
#define RESOLVE_NO_MAGICLINKS	0x02
#define RESOLVE_NO_SYMLINKS	0x04
#define RESOLVE_BENEATH		0x08
#endif

static long syscall_result(long rc)
{
	return rc < 0 ? -(long)errno : rc;
}

long fs_sys_fallocate(int fd, int mode, off_t offset, off_t length)
{
	return syscall_result(fallocate(fd, mode, offset, length));
}

long fs_sys_copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length)
{
#ifdef SYS_copy_file_range
	return syscall_result(syscall(SYS_copy_file_range, in, in_offset, out, out_offset,
				      length, 0));
#else
	(void)in, (void)in_offset, (void)out, (void)out_offset, (void)length;
	return -ENOSYS;
#endif
}

/* Raw where the kernel's struct stat is libc's. */
long fs_sys_fstat(int fd, struct stat *st)
{
#if defined(SYS_fstat) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__) || \
	defined(__riscv) || defined(__powerpc64__) || defined(__s390x__))
	return syscall_result(syscall(SYS_fstat, fd, st));
#else
	return syscall_result(fstat(fd, st));
#endif
}

long fs_sys_sync_file_range(int fd, off_t offset, off_t length, unsigned flags)
{
	return syscall_result(sync_file_range(fd, offset, length, flags));
}

long fs_sys_open_beneath(int dir, const char *name, int flags, unsigned mode)
{
#ifdef SYS_openat2
	const struct {
		uint64_t flags, mode, resolve;
	} how = {
		.flags = (unsigned)flags,
		.mode = flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
			   RESOLVE_NO_XDEV,
	};
	const long fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));

	/* EPERM: what seccomp filters older than the call answer. */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return syscall_result(fd);
#endif
	return syscall_result(openat(dir, name, flags | O_NOFOLLOW, mode));
}

long fs_sys_close_range(unsigned first, unsigned last)
{
#ifdef SYS_close_range
	return syscall_result(syscall(SYS_close_range, first, last, 0));
#else
	(void)first, (void)last;
	return -ENOSYS;
#endif
}
