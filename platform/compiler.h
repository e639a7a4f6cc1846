/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compiler.h - what the compiler offers beyond C11, gcc and clang alike
 */
#ifndef PLATFORM_COMPILER_H
#define PLATFORM_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define fs_unlikely(x)		__builtin_expect(!!(x), 0)
#define FS_ALWAYS_INLINE	inline __attribute__((always_inline))
#define FS_SLOWPATH		__attribute__((cold, noinline))
#define FS_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))

/* Two 64-byte lines: the adjacent-line prefetcher of current x86 moves lines in pairs. */
#define FS_LINE			128
#define FS_LINE_ALIGNED		__attribute__((aligned(FS_LINE)))

#define FS_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * The shared area is read by one process while another writes it. Each word has one writer, so
 * relaxed loads and stores are enough for counts; what a reader must see complete is published with
 * release.
 */
#define fs_load(p)		__atomic_load_n((p), __ATOMIC_RELAXED)
#define fs_store(p, v)		__atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define fs_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define fs_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define fs_add(p, v)		__atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)

#endif
