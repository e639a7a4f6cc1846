// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of filesystems: texts of the kernel, differences, files of the mount we are on. */
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs_counters.h"

/* Linux 6.18 */
static const char jbd2_text[] =
	"27 transactions (26 requested), each up to 1365 blocks\n"
	"average: \n"
	"  0ms waiting for transaction\n"
	"  0ms request delay\n"
	"  80ms running transaction\n"
	"  0ms transaction was being locked\n"
	"  0ms flushing data (in ordered mode)\n"
	"  0ms logging transaction\n"
	"  3842us average transaction commit time\n"
	"  142 handles per transaction\n"
	"  7 blocks per transaction\n"
	"  9 logged blocks per transaction\n";
static const char jbd2_none[] = "0 transactions (0 requested), each up to 2730 blocks\n";
static const char fc_info_text[] =
	"fc stats:\n6 commits\n1 ineligible\n5 numblks\n5505us avg_commit_time\n"
	"Ineligible reasons:\n\"Extended attributes changed\":\t0\n\"Cross rename\":\t0\n";
static const char xfs_text[] =
	"extent_alloc 1 2 3 4\nabt 0 0 0 0\nblk_map 0 0 0 0 0 0 0\nbmbt 0 0 0 0\n"
	"dir 0 0 0 0\ntrans 3 44 0\nig 1 0 0 1 0 0 0\nlog 8 39 1 20 7\n"
	"push_ail 44 0 25 5 0 4 0 0 0 1\nxstrat 0 0\nrw 0 0\nxpc 3211264 1835008 0\n"
	"defer_relog 0\ndebug 0\n";
static const char btrfs_text[] =
	"commits 3\ncur_commit_ms 0\nlast_commit_ms 2\nmax_commit_ms 2\ntotal_commit_ms 2\n";

enum { BLOCK = 4096 };

static void parse(struct fs_mount_counters *c, uint64_t magic, unsigned file, const char *text)
{
	*c = (struct fs_mount_counters){ .block_size = BLOCK };
	assert_true(fs_mount_counters_parse(magic, file, text, c));
	assert_true(c->n <= FS_MOUNT_COUNTERS_MAX);
}

static const struct fs_mount_counter *counter(const struct fs_mount_counters *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (!strcmp(c->at[i].field->name, name))
			return &c->at[i];
	}
	fail_msg("no %s", name);
	return NULL;
}

static void holds(const struct fs_mount_counters *c, const char *name, uint64_t least,
		  uint64_t most)
{
	assert_int_equal(counter(c, name)->least, least);
	assert_int_equal(counter(c, name)->most, most);
}

static uint64_t delta(const struct fs_mount_counters *a, const struct fs_mount_counters *b,
		      const char *name)
{
	return fs_mount_counters_delta(a, b, (unsigned)(counter(b, name) - b->at));
}

static void test_jbd2(void **state)
{
	struct fs_mount_counters c;

	(void)state;
	parse(&c, EXT4_SUPER_MAGIC, 0, jbd2_text);
	assert_int_equal(c.n, 4);
	holds(&c, "jbd2_transactions", 27, 27);
	holds(&c, "jbd2_requested", 26, 26);
	holds(&c, "jbd2_handles", 142 * 27, 142 * 27 + 26);
	holds(&c, "jbd2_logged_bytes", 243, 269);
	parse(&c, EXT4_SUPER_MAGIC, 0, jbd2_none);
	holds(&c, "jbd2_transactions", 0, 0);
	holds(&c, "jbd2_logged_bytes", 0, 0);
	parse(&c, EXT4_SUPER_MAGIC, 0, "");
	holds(&c, "jbd2_transactions", UINT64_MAX, UINT64_MAX);
	holds(&c, "jbd2_logged_bytes", UINT64_MAX, UINT64_MAX);
}

static void test_others(void **state)
{
	struct fs_mount_counters c;

	(void)state;
	parse(&c, EXT4_SUPER_MAGIC, 1, fc_info_text);
	holds(&c, "ext4_fast_commits", 6, 6);
	holds(&c, "ext4_fast_commit_bytes", 5, 5);
	parse(&c, EXT4_SUPER_MAGIC, 1, "");	/* a kernel that has no fast commits */
	holds(&c, "ext4_fast_commit_bytes", 0, 0);
	parse(&c, EXT4_SUPER_MAGIC, 2, "2008");
	holds(&c, "ext4_written_bytes", 2008, 2008);
	parse(&c, XFS_SUPER_MAGIC, 0, xfs_text);
	holds(&c, "xfs_transactions_sync", 3, 3);
	holds(&c, "xfs_transactions_async", 44, 44);
	holds(&c, "xfs_log_writes", 8, 8);
	holds(&c, "xfs_log_bytes", 39, 39);
	holds(&c, "xfs_log_forces", 20, 20);
	holds(&c, "xfs_log_force_sleeps", 7, 7);
	parse(&c, XFS_SUPER_MAGIC, 0, "log 8 39\n");
	holds(&c, "xfs_log_bytes", 39, 39);
	holds(&c, "xfs_log_forces", UINT64_MAX, UINT64_MAX);
	parse(&c, BTRFS_SUPER_MAGIC, 0, btrfs_text);
	holds(&c, "btrfs_commits", 3, 3);
	parse(&c, F2FS_SUPER_MAGIC, 1, "12");
	holds(&c, "f2fs_background_checkpoints", 12, 12);
	assert_false(fs_mount_counters_parse(TMPFS_MAGIC, 0, "", &c));
	assert_false(fs_mount_counters_parse(XFS_SUPER_MAGIC, 1, "", &c));
}

static void jbd2(struct fs_mount_counters *c, unsigned transactions, unsigned average)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "%u transactions (%u requested), each up to 2730 blocks\naverage: \n"
		 "  %u logged blocks per transaction\n", transactions, transactions, average);
	parse(c, EXT4_SUPER_MAGIC, 0, text);
}

/* What the rounding leaves open: nothing, up to a quarter, more. */
static void test_rounding(void **state)
{
	struct fs_mount_counters a, b;

	(void)state;
	parse(&a, EXT4_SUPER_MAGIC, 0, jbd2_none);
	jbd2(&b, 1, 7);
	assert_int_equal(delta(&a, &b, "jbd2_logged_bytes"), 7 * BLOCK);
	jbd2(&b, 1001, 2);		/* 2002 to 3002 blocks: 2502 within 500 */
	assert_int_equal(delta(&a, &b, "jbd2_logged_bytes"), 2502 * BLOCK);
	jbd2(&b, 1001, 1);		/* 1501 within 500 */
	assert_int_equal(delta(&a, &b, "jbd2_logged_bytes"), UINT64_MAX);
	assert_int_equal(delta(&a, &b, "jbd2_transactions"), 1001);
	jbd2(&a, 200, 3);		/* 600 to 799; 2804 within 600 */
	jbd2(&b, 1001, 3);
	assert_int_equal(delta(&a, &b, "jbd2_logged_bytes"), 5607 * BLOCK / 2);
	jbd2(&a, 1000, 9);
	jbd2(&b, 1010, 9);
	assert_int_equal(delta(&a, &b, "jbd2_transactions"), 10);
	assert_int_equal(delta(&a, &b, "jbd2_logged_bytes"), UINT64_MAX);
	assert_int_equal(delta(&a, &a, "jbd2_logged_bytes"), 0);	/* none ended */
	jbd2(&b, 1001, 8);		/* less than before, so far as can be seen */
	assert_int_equal(delta(&a, &b, "jbd2_logged_bytes"), UINT64_MAX);
}

static void xfs(struct fs_mount_counters *c, unsigned blocks)
{
	char text[64];

	snprintf(text, sizeof(text), "trans 0 0 0\nlog 1 %u 0 0 0\n", blocks);
	parse(c, XFS_SUPER_MAGIC, 0, text);
}

static void test_delta(void **state)
{
	struct fs_mount_counters a, b, none = { .n = 0 };

	(void)state;
	xfs(&a, UINT32_MAX - 1);
	xfs(&b, 3);
	assert_int_equal(delta(&a, &b, "xfs_log_bytes"), 5 * 512);
	assert_int_equal(delta(&b, &a, "xfs_log_bytes"), UINT64_MAX);	/* cleared */
	assert_int_equal(delta(&none, &b, "xfs_log_bytes"), UINT64_MAX);
	xfs(&a, 3);
	assert_int_equal(delta(&a, &b, "xfs_log_bytes"), 0);
	parse(&a, EXT4_SUPER_MAGIC, 2, "100");
	parse(&b, EXT4_SUPER_MAGIC, 2, "103");
	assert_int_equal(delta(&a, &b, "ext4_written_bytes"), 3 * 1024);
	assert_int_equal(delta(&b, &a, "ext4_written_bytes"), UINT64_MAX);
	parse(&b, EXT4_SUPER_MAGIC, 2, "");
	assert_int_equal(delta(&a, &b, "ext4_written_bytes"), UINT64_MAX);
}

/* Names are keys of the JSON. */
static void test_names(void **state)
{
	static const uint64_t all[] = {
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct fs_mount_counters c = { .n = 0 };

		for (unsigned file = 0; fs_mount_counters_parse(all[i], file, "", &c); file++)
			;
		assert_true(c.n > 0 && c.n <= FS_MOUNT_COUNTERS_MAX);
		for (unsigned j = 0; j < c.n; j++) {
			const char *name = c.at[j].field->name;

			assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
					 strlen(name));
			assert_ptr_equal(counter(&c, name), &c.at[j]);
		}
	}
}

static void test_nowhere(void **state)
{
	const struct fs_target t = { .magic = XFS_SUPER_MAGIC };
	struct fs_mount_counters c;

	(void)state;
	fs_mount_counters_read(NULL, &c);
	assert_int_equal(c.n, 0);
	fs_mount_counters_read(&t, &c);
	assert_int_equal(c.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jbd2),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
