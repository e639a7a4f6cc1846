// SPDX-License-Identifier: GPL-2.0-or-later
/* The reference: when it runs, and what it makes of a machine whose speed changes. */
#include "core/reference.h"

#include "tests/stats_bench.h"

struct fixture {
	struct fs_variant variant;
	struct stage stage;
	struct stage_result r;
	struct worker_result workers[2];
	struct fs_record slices[2][11];
};

static void fixture_make(struct fixture *f, unsigned workers)
{
	memset(f, 0, sizeof(*f));
	f->variant = (struct fs_variant){ .name = "", .flags = FS_MEM };
	f->stage = (struct stage){ .stressor = &stressor, .variant = &f->variant,
				   .workers = workers };
	f->r.stage = &f->stage;
	f->r.workers = f->workers;
	f->r.measured_s = 10;
	for (unsigned w = 0; w < workers; w++) {
		f->workers[w].slices = f->slices[w];
		f->workers[w].nslices = 11;
	}
}

/* Second i of worker w ran at that speed: ops and the reference alike. */
static void fixture_second(struct fixture *f, unsigned w, unsigned i, double speed)
{
	const struct fs_record *a = &f->slices[w][i];
	struct fs_record *b = &f->slices[w][i + 1];

	*b = *a;
	b->t_ns += S;
	b->off_ns += S / 50;
	b->ops += (uint64_t)(980000 * speed);
	b->ref_cpu_ns += S / 50;
	b->ref_units += (uint64_t)(1e9 / 50 * speed);
	f->workers[w].ops += b->ops - a->ops;
}

static void test_steady(void **state)
{
	struct fixture f;

	(void)state;
	fixture_make(&f, 2);
	for (unsigned i = 0; i < 10; i++) {
		fixture_second(&f, 0, i, 0.75);
		fixture_second(&f, 1, i, 0.75);
	}
	fs_reference_reduce(&f.r, REFERENCE_SPIN);
	assert_int_equal(f.r.reference.kind, REFERENCE_SPIN);
	near(f.r.reference.ops_per_sec, 0.75e9);
	near(f.r.reference.adjusted_ops_per_sec, 2e6);
	assert_true(f.r.reference.moved < 1e-9);
}

/* Half as fast from the middle on: the adjusted rate is that of a machine of speed R0. */
static void test_slowed_down(void **state)
{
	struct fixture f;

	(void)state;
	fixture_make(&f, 1);
	for (unsigned i = 0; i < 10; i++)
		fixture_second(&f, 0, i, i < 5 ? 1 : 0.5);
	fs_reference_reduce(&f.r, REFERENCE_SPIN);
	near(f.r.reference.ops_per_sec, 0.75e9);
	near(f.r.reference.adjusted_ops_per_sec, 1e6);
	near(f.r.reference.moved, 1);
}

/* Slices without a reference take the mean; the other kind has another unit. */
static void test_gaps(void **state)
{
	struct fixture f;

	(void)state;
	fixture_make(&f, 1);
	for (unsigned i = 0; i < 10; i++)
		fixture_second(&f, 0, i, 1);
	for (unsigned i = 4; i < 11; i++) {
		f.slices[0][i].ref_units -= (uint64_t)(1e9 / 50);
		f.slices[0][i].ref_cpu_ns -= S / 50;
	}
	fs_reference_reduce(&f.r, REFERENCE_SYSCALL);
	near(f.r.reference.adjusted_ops_per_sec, 1e6 / 100);
	assert_true(f.r.reference.moved < 1e-9);
}

static void test_none(void **state)
{
	struct fixture f;

	(void)state;
	fixture_make(&f, 1);
	fs_reference_reduce(&f.r, REFERENCE_SPIN);	/* not a unit was done */
	assert_int_equal(f.r.reference.kind, REFERENCE_NONE);
	f.workers[0].nslices = 0;
	fs_reference_reduce(&f.r, REFERENCE_SPIN);
	assert_int_equal(f.r.reference.kind, REFERENCE_NONE);
}

static void test_when(void **state)
{
	struct config c = { .reference = REFERENCE_AUTO };
	struct fs_host h = { .hypervisor = "KVM" };
	struct fixture f;

	(void)state;
	fixture_make(&f, 1);
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_SPIN);
	c.lkp = true;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	c.reference = REFERENCE_SYSCALL;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_SYSCALL);
	c = (struct config){ .reference = REFERENCE_AUTO, .metrics_brief = true };
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	c = (struct config){ .reference = REFERENCE_AUTO, .nmonitors = 1 };
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	c = (struct config){ .reference = REFERENCE_AUTO, .perf_control = "a" };
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	c = (struct config){ .reference = REFERENCE_AUTO };
	f.stage.oversubscribed = true;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	f.stage.oversubscribed = false;
	h.hypervisor[0] = '\0';
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	c.reference = REFERENCE_SPIN;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_SPIN);
	f.variant.flags = FS_IO;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	f.variant.flags = FS_MEM;
	f.stage.ops = 5;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
	f.stage.ops = 0;
	c.rate = 100;
	assert_int_equal(fs_reference_for(&c, &h, &f.stage), REFERENCE_NONE);
}

/* It counts what it does, by its own CPU time, and is due again some time later. */
static void test_run(void **state)
{
	(void)state;
	for (enum reference kind = REFERENCE_SPIN; kind <= REFERENCE_SYSCALL; kind++) {
		struct fs_reference r = { .kind = kind };
		const uint64_t start = fs_now_ns();

		assert_true(fs_reference_due(&r, start));
		fs_reference_run(&r);
		assert_true(r.batch && r.units == r.batch && r.cpu_ns);
		assert_true(r.next_ns >= start + FS_REFERENCE_EVERY_NS);
		assert_false(fs_reference_due(&r, r.next_ns - 1));
		fs_reference_run(&r);
		assert_int_equal(r.units, 2 * r.batch);
	}
	assert_false(fs_reference_due(&(struct fs_reference){ 0 }, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady), cmocka_unit_test(test_slowed_down),
		cmocka_unit_test(test_gaps), cmocka_unit_test(test_none),
		cmocka_unit_test(test_when), cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
