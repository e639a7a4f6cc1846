// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/area.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

const char *const fs_worker_phase_names[] = {
	"starting", "setup", "ready", "fill", "meet", "run", "drain", "verify", "teardown", "ended",
};

static uint64_t area_round_up(uint64_t bytes)
{
	return (bytes + FS_LINE - 1) / FS_LINE * FS_LINE;
}

uint64_t fs_area_bytes(unsigned stages, const struct area_size *sum)
{
	return area_round_up(sizeof(struct area)) +
	       stages * area_round_up(sizeof(struct area_stage)) +
	       sum->workers * sizeof(struct area_slot) +
	       sum->histograms * sizeof(struct fs_histogram) + stages * FS_LINE;
}

int fs_area_create(unsigned n, const struct area_size sizes[], struct area **area, int *fd)
{
	uint64_t offset = area_round_up(sizeof(struct area)), bytes;
	struct area_size all = { 0 };
	struct area *a;

	if (n > AREA_STAGES_MAX)
		return -E2BIG;
	for (unsigned i = 0; i < n; i++) {
		all.workers += sizes[i].workers;
		all.histograms += sizes[i].histograms;
	}
	bytes = fs_area_bytes(n, &all);
	a = fs_shared_create("fsstress-area", bytes, fd);
	if (!a)
		return -errno;
	a->magic = AREA_MAGIC;
	a->nstages = n;
	a->bytes = bytes;
	for (unsigned i = 0; i < n; i++) {
		a->stage[i].offset = offset;
		a->stage[i].slots = offset + area_round_up(sizeof(struct area_stage));
		area_stage(a, i)->plan.workers = (uint32_t)sizes[i].workers;
		a->stage[i].histograms =
			a->stage[i].slots + sizes[i].workers * sizeof(struct area_slot);
		offset = a->stage[i].histograms +
			 area_round_up(sizes[i].histograms * sizeof(struct fs_histogram));
	}
	*area = a;
	return 0;
}

int fs_area_open(int fd, struct area **area)
{
	struct stat st;
	struct area *a;

	if (fstat(fd, &st) || (uint64_t)st.st_size < sizeof(*a))
		return -EINVAL;
	a = fs_shared_map(fd, (uint64_t)st.st_size);
	if (!a)
		return -errno;
	if (a->magic != AREA_MAGIC || a->bytes != (uint64_t)st.st_size) {
		munmap(a, (size_t)st.st_size);
		return -EINVAL;
	}
	*area = a;
	return 0;
}

void fs_area_close(struct area *area, int fd)
{
	munmap(area, area->bytes);
	close(fd);
}

void fs_area_stop(struct area *a, unsigned stage)
{
	struct area_stage *s = area_stage(a, stage);

	fs_store_release(&s->stop, 1);
	fs_barrier_abort(&s->barrier);
	fs_futex_wake_all(&s->leader_done);
}

void fs_area_abandon(struct area *a, unsigned stage)
{
	fs_store(&area_stage(a, stage)->abandoned, 1);
	fs_area_stop(a, stage);
}

void fs_area_fail(struct area_stage *s, const struct area_failure *f)
{
	uint32_t taken = 0;

	if (__atomic_compare_exchange_n(&s->failure.taken, &taken, 1, false,
					__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		s->failure.err = f->err;
		s->failure.worker = f->worker;
		s->failure.load = f->load;
		s->failure.signal = f->signal;
		memcpy(s->failure.where, f->where, sizeof(f->where));
		memcpy(s->failure.text, f->text, sizeof(f->text));
		fs_store_release(&s->failure.complete, 1);
	}
}

void fs_area_warn(struct area_stage *s, const char *fmt, ...)
{
	const uint32_t i = fs_add(&s->warnings, 1);
	va_list args;

	if (i >= AREA_WARNINGS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(s->warning[i].text, sizeof(s->warning[i].text), fmt, args);
	va_end(args);
}

bool fs_area_moved(const struct area *a, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return true;
	if (a->mount_source[0])
		return st.st_dev == a->mount_below_dev;
	return a->target_dev && st.st_dev != a->target_dev;
}

bool fs_area_tally(struct area_stage *s, int err)
{
	for (unsigned i = 0; i < AREA_ERRNOS_MAX; i++) {
		struct area_errno *e = &s->tolerated[i];
		int32_t seen = fs_load(&e->err);

		if (seen == 0 &&
		    __atomic_compare_exchange_n(&e->err, &seen, err, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			seen = err;
		if (seen == err) {
			__atomic_fetch_add(&e->count, 1, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}
