// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the thread sanitizer cannot know: each worker has a descriptor table of its own, so the same
 * number opened or closed by one and used by another is no race. Both calls by clang's name and by
 * gcc's, and nothing else that has open or close in its name.
 */
#include "platform/compiler.h"

#if defined(__SANITIZE_THREAD__)
#define SANITIZE_THREAD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZE_THREAD 1
#endif
#endif

#ifdef SANITIZE_THREAD
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:^open\nrace:interceptor_open\n"
	       "race:^close$\nrace:interceptor_close$\n";
}
#else
/* ISO C wants a translation unit to hold something. */
typedef int sanitize_nothing;
#endif
