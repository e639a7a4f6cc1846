// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fixture.c - files, buffers and names that stressors work on; see stressor.h
 *
 * File content is a period of seeded bytes, repeated: what a range must hold need not be kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/worker.h"

#define FIXTURE_PERIOD_BYTES (1ull << 20)

/* --- files and their ranges ------------------------------------------------------------------- */

int fs_dir(const struct fs_worker *w)
{
	return fs_worker_dir(w);
}

bool fs_leader(const struct fs_worker *w)
{
	return !w->load && (w->id == 0 || !fs_worker_shares_file(fs_worker_of(w)));
}

uint64_t fs_range_start(const struct fs_worker *w, uint64_t bytes)
{
	return w->share == FS_SHARE_FILE ? w->id * bytes : 0;
}

uint64_t fs_range_total(const struct fs_worker *w, uint64_t bytes)
{
	return w->share == FS_SHARE_FILE ? w->workers * bytes : bytes;
}

/* The first file of a worker is what its loads open first, whatever their name for it is. */
static const char *fixture_first(struct worker *k, const char *name)
{
	char *first = k->slot->file;

	if (k->helper < 0 && !*first)
		snprintf(first, sizeof(k->slot->file), "%s", name);
	return k->load && *first && !k->nfds ? first : NULL;
}

static const char *fixture_name(struct fs_worker *w, const char *name, char own[NAME_MAX + 1])
{
	struct worker *k = fs_worker_of(w);
	const char *first = fixture_first(k, name);
	int n;

	if (k->load && !first)
		n = snprintf(own, NAME_MAX + 1, "l%u.%s", k->load, name);
	else
		n = snprintf(own, NAME_MAX + 1, "%s", first ? first : name);
	if (w->share == FS_SHARE_DIR)
		snprintf(own + n, (size_t)(NAME_MAX + 1 - n), ".%u", w->id);
	return own;
}

int fs_file_open(struct fs_worker *w, const char *name, int flags)
{
	char own[NAME_MAX + 1];
	int fd, rc;

	name = fixture_name(w, name, own);
	fd = openat(fs_worker_dir(w), name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = fs_worker_keep_fd(w, fd);
	return rc < 0 ? rc : fd;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static void *fixture_zeroes(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A shared file holds its leader's bytes. */
static void *fixture_bytes(const struct fs_worker *w, size_t bytes)
{
	unsigned char *p = fixture_zeroes(bytes);
	struct fs_rng rng;

	if (!p)
		return NULL;
	fs_rng_seed(&rng, fs_worker_seed(w), "bytes", fs_leader(w) ? w->id : 0);
	for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		const uint64_t word = fs_rng_next(&rng);

		memcpy(p + at, &word, bytes - at < sizeof(word) ? bytes - at : sizeof(word));
	}
	return p;
}

void *fs_buffer(struct fs_worker *w, size_t bytes)
{
	void *p = fixture_bytes(w, bytes);

	return p && fs_worker_keep_map(w, p, bytes) == 0 ? p : NULL;
}

int fs_map(struct fs_worker *w, int fd, size_t bytes, void **map)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile const char *p;

	*map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*map == MAP_FAILED)
		return -errno;
	p = *map;
	for (size_t at = 0; at < bytes; at += page)
		(void)p[at];
	return fs_worker_keep_map(w, *map, bytes);
}

static int fixture_write(int fd, const char *bytes, uint64_t length, uint64_t at)
{
	while (length) {
		const ssize_t n = pwrite(fd, bytes, length, (off_t)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
		if (n > 0) {
			bytes += n;
			at += (uint64_t)n;
			length -= (uint64_t)n;
		}
	}
	return 0;
}

/* Write [start, start + bytes) with the period, which begins at every multiple of its length. */
static int fixture_write_period(const struct fs_worker *w, int fd, const char *period,
				uint64_t start, uint64_t bytes)
{
	int rc = fs_abandoned(w);

	while (bytes && rc == 0) {
		const uint64_t in = start % FIXTURE_PERIOD_BYTES, rest = FIXTURE_PERIOD_BYTES - in;
		const uint64_t n = bytes < rest ? bytes : rest;

		rc = fixture_write(fd, period + in, n, start);
		if (rc == 0)
			rc = fs_abandoned(w);
		start += n;
		bytes -= n;
	}
	return rc;
}

int fs_make_hole(int fd, uint64_t bytes)
{
	return ftruncate(fd, 0) || ftruncate(fd, (off_t)bytes) ? -errno : 0;
}

int fs_make_dirty(struct fs_worker *w, int fd, uint64_t start, uint64_t bytes)
{
	char *period = fixture_bytes(w, FIXTURE_PERIOD_BYTES);
	int rc;

	if (!period)
		return -ENOMEM;
	rc = fixture_write_period(w, fd, period, start, bytes);
	munmap(period, FIXTURE_PERIOD_BYTES);
	return rc;
}

int fs_make_written(struct fs_worker *w, int fd, uint64_t start, uint64_t bytes)
{
	const int rc = fs_make_dirty(w, fd, start, bytes);

	return rc == 0 && fsync(fd) ? -errno : rc;
}

int fs_make_blocks(struct fs_worker *w, int fd, uint64_t count, uint64_t stride)
{
	const uint64_t block = fs_block_size(fd);
	char *period = fixture_bytes(w, FIXTURE_PERIOD_BYTES);
	int rc = 0;

	if (!period)
		return -ENOMEM;
	for (uint64_t i = 0; i < count && rc == 0; i++)
		rc = fixture_write_period(w, fd, period, i * stride * block, block);
	munmap(period, FIXTURE_PERIOD_BYTES);
	return rc;
}

int fs_drop_pages(int fd)
{
	if (fsync(fd))
		return -errno;
	return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* --- checks ----------------------------------------------------------------------------------- */

static int fixture_differs(struct fs_worker *w, uint64_t start, const char *got, const char *want)
{
	while (*got == *want) {
		got++;
		want++;
		start++;
	}
	return fs_fail(w, EIO, "byte %" PRIu64 " is 0x%02x, not 0x%02x", start, (unsigned char)*got,
		       (unsigned char)*want);
}

/* got: room for the bytes. */
static int fixture_compare(struct fs_worker *w, int fd, char *got, uint64_t start,
			   const char *want, uint64_t bytes)
{
	uint64_t done = 0;

	while (done < bytes) {
		const ssize_t n = pread(fd, got + done, bytes - done, (off_t)(start + done));

		if (n < 0)
			return -errno;
		if (n == 0)
			return fs_fail(w, EIO, "the file ends at byte %" PRIu64, start + done);
		done += (uint64_t)n;
	}
	return memcmp(got, want, bytes) ? fixture_differs(w, start, got, want) : 0;
}

int fs_check_bytes(struct fs_worker *w, int fd, uint64_t start, const void *want, uint64_t bytes)
{
	char *got = fixture_zeroes(bytes);
	int rc;

	if (!got)
		return -ENOMEM;
	rc = fixture_compare(w, fd, got, start, want, bytes);
	munmap(got, bytes);
	return rc;
}

/* Compare with the period as it stands at file offset `from`. */
static int fixture_check(struct fs_worker *w, int fd, uint64_t start, uint64_t from,
			 uint64_t bytes, const char *period)
{
	int rc = period ? 0 : -ENOMEM;

	while (bytes && rc == 0) {
		const uint64_t in = from % FIXTURE_PERIOD_BYTES, rest = FIXTURE_PERIOD_BYTES - in;
		const uint64_t n = bytes < rest ? bytes : rest;

		rc = fs_check_bytes(w, fd, start, period + in, n);
		start += n;
		from += n;
		bytes -= n;
	}
	return rc;
}

int fs_check_written(struct fs_worker *w, int fd, uint64_t start, uint64_t from, uint64_t bytes)
{
	char *period = fixture_bytes(w, FIXTURE_PERIOD_BYTES);
	const int rc = fixture_check(w, fd, start, from, bytes, period);

	if (period)
		munmap(period, FIXTURE_PERIOD_BYTES);
	return rc;
}

int fs_check_zero(struct fs_worker *w, int fd, uint64_t start, uint64_t bytes)
{
	char *period = fixture_zeroes(FIXTURE_PERIOD_BYTES);
	const int rc = fixture_check(w, fd, start, 0, bytes, period);

	if (period)
		munmap(period, FIXTURE_PERIOD_BYTES);
	return rc;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Of one length, so that directory entries are of one size. */
int fs_make_names(struct fs_worker *w, uint64_t n)
{
	const size_t bytes = n * FS_NAME_STRIDE;
	char *names = fixture_zeroes(bytes);
	int rc;

	if (!names)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++)
		snprintf(names + i * FS_NAME_STRIDE, FS_NAME_STRIDE, "%05u.%010" PRIu64, w->id, i);
	rc = fs_worker_keep_map(w, names, bytes);
	w->names = rc == 0 ? names : NULL;
	return rc;
}

int fs_make_files(struct fs_worker *w, int dir, uint64_t n)
{
	for (uint64_t i = 0; i < n && !fs_abandoned(w); i++) {
		const int fd = openat(dir, fs_name(w, i),
				      O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0 || close(fd))
			return -errno;
	}
	return fs_abandoned(w);
}

int fs_remove_files(struct fs_worker *w, int dir, uint64_t n)
{
	for (uint64_t i = 0; i < n && !fs_abandoned(w); i++) {
		if (unlinkat(dir, fs_name(w, i), 0))
			return -errno;
	}
	return fs_abandoned(w);
}
