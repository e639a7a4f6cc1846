// SPDX-License-Identifier: GPL-2.0-or-later
/* What the live line says of known rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/progress.h"

static void add(struct progress *p, double rate)
{
	p->sparks[p->looks++ % PROGRESS_SPARKS] = rate;
	p->sum += rate;
	p->squares += rate * rate;
}

static void says(const struct progress *p, bool utf8, const char *expected)
{
	char text[FS_PROGRESS_LINE];

	assert_string_equal(fs_progress_line(p, "lease.cycle", 1.25, 10, utf8, text), expected);
}

static void test_line(void **state)
{
	struct progress p = { .group = NULL };

	(void)state;
	add(&p, 1000);
	says(&p, true, "lease.cycle  1.2 of 10 s  1000 ops/s  █");
	add(&p, 500);
	says(&p, true, "lease.cycle  1.2 of 10 s  500 ops/s  █▅");
	add(&p, 0);
	/* sd 500 of 3: two standard errors are 577 of 500 */
	says(&p, true, "lease.cycle  1.2 of 10 s  0 ops/s ±115.5%  █▅▁");
	says(&p, false, "lease.cycle  1.2 of 10 s  0 ops/s +-115.5%  #+_");
}

/* Only the last ones are shown, in their order; nothing overflows. */
static void test_many(void **state)
{
	struct progress p = { .group = NULL };
	char text[FS_PROGRESS_LINE];

	(void)state;
	for (unsigned i = 0; i < 3 * PROGRESS_SPARKS + 5; i++)
		add(&p, i < 3 * PROGRESS_SPARKS + 4 ? 700 : 350);
	fs_progress_line(&p, "k", 1, 2, false, text);
	assert_non_null(strstr(text, "%  "));
	assert_string_equal(strstr(text, "%  ") + 3, "#######################+");
}

static void test_nothing(void **state)
{
	struct progress p = { .group = NULL };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add(&p, 0);
	says(&p, false, "lease.cycle  1.2 of 10 s  0 ops/s  ____");
}

static void test_nobody_looks(void **state)
{
	struct progress p = { .group = NULL };

	(void)state;
	assert_int_equal(fs_progress_until(&p, 77), 77);
	fs_progress_look(&p);
	assert_int_equal(p.looks, 0);
	p.step_ns = 10;
	p.due_ns = 50;
	assert_int_equal(fs_progress_until(&p, 77), 50);
	assert_int_equal(fs_progress_until(&p, 40), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line), cmocka_unit_test(test_many),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_nobody_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
