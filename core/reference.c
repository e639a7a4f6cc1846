// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/reference.h"

#include "core/result.h"
#include "platform/task.h"

#define REFERENCE_FIRST_UNITS	100	/* from which the batch is sized */
#define REFERENCE_PARTS		10	/* of the window, for `moved` */

const char *const fs_reference_names[] = { "none", "auto", "spin", "syscall", NULL };

static double reference_unit_rate(enum reference kind)
{
	return kind == REFERENCE_SPIN ? 1e9 : 1e7;
}

enum reference fs_reference_for(const struct config *c, const struct fs_host *h,
				const struct stage *stage)
{
	const bool watched = c->lkp || c->metrics || c->metrics_brief || c->perf_control ||
			     c->nmonitors;

	if (stage->ops || c->rate > 0 || !(stage->variant->flags & FS_MEM))
		return REFERENCE_NONE;
	if (c->reference != REFERENCE_AUTO)
		return c->reference;
	return h->hypervisor[0] && !watched && !stage->oversubscribed ? REFERENCE_SPIN :
									REFERENCE_NONE;
}

/* --- in the worker ---------------------------------------------------------------------------- */

/* Steps of a linear congruential generator (Knuth's MMIX): each needs the one before it. */
static void reference_spin(uint64_t n)
{
	uint64_t x = n;

	for (; n; n--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

static void reference_syscall(uint64_t n)
{
	for (; n; n--)
		(void)getppid();
}

/* CPU time that n units took. */
static uint64_t reference_take(enum reference kind, uint64_t n)
{
	const uint64_t start = fs_task_cpu_ns();

	if (kind == REFERENCE_SPIN)
		reference_spin(n);
	else
		reference_syscall(n);
	return fs_task_cpu_ns() - start;
}

static void reference_size(struct fs_reference *r)
{
	uint64_t n = REFERENCE_FIRST_UNITS, took;

	while ((took = reference_take(r->kind, n)) < FS_REFERENCE_NS / 4)
		n *= 2;
	r->batch = n * FS_REFERENCE_NS / took;
}

void fs_reference_run(struct fs_reference *r)
{
	if (!r->batch)
		reference_size(r);
	r->cpu_ns += reference_take(r->kind, r->batch);
	r->units += r->batch;
	r->next_ns = fs_now_ns() + FS_REFERENCE_EVERY_NS;
}

/* --- in the result ---------------------------------------------------------------------------- */

/* Units per second between two records; `otherwise` where no reference ended between them. */
static double reference_rate(const struct fs_record *a, const struct fs_record *b, double otherwise)
{
	const uint64_t units = b->ref_units - a->ref_units, ns = b->ref_cpu_ns - a->ref_cpu_ns;

	return units && ns ? (double)units / (double)ns * FS_NSEC_PER_SEC : otherwise;
}

/* Ops by time on the clock, that time counted in seconds of a machine of speed R0. */
static double reference_adjusted(const struct worker_result *w, double mean, double unit_rate)
{
	const struct fs_record *s = w->slices;
	double scaled_s = 0;

	for (unsigned i = 1; i < w->nslices; i++) {
		const uint64_t off = s[i].off_ns - s[i - 1].off_ns;
		const double timed_s = (double)(s[i].t_ns - s[i - 1].t_ns - off) / FS_NSEC_PER_SEC;

		scaled_s += timed_s * reference_rate(&s[i - 1], &s[i], mean) / unit_rate;
	}
	return scaled_s > 0 ? (double)w->ops / scaled_s : 0;
}

/* Units and their time in each tenth of the window. */
static void reference_parts(const struct worker_result *w, uint64_t units[], uint64_t cpu_ns[])
{
	const struct fs_record *s = w->slices;
	const uint64_t start = s[0].t_ns, window = s[w->nslices - 1].t_ns - start + 1;

	for (unsigned i = 1; i < w->nslices; i++) {
		const uint64_t part = (s[i].t_ns - start) * REFERENCE_PARTS / window;

		units[part] += s[i].ref_units - s[i - 1].ref_units;
		cpu_ns[part] += s[i].ref_cpu_ns - s[i - 1].ref_cpu_ns;
	}
}

static double reference_moved(const struct stage_result *r)
{
	uint64_t units[REFERENCE_PARTS] = { 0 }, cpu_ns[REFERENCE_PARTS] = { 0 };
	double least = INFINITY, greatest = 0;

	for (unsigned w = 0; w < r->stage->workers; w++)
		reference_parts(&r->workers[w], units, cpu_ns);
	for (unsigned i = 0; i < REFERENCE_PARTS; i++) {
		const double rate = cpu_ns[i] ? (double)units[i] / (double)cpu_ns[i] : NAN;

		least = rate < least ? rate : least;
		greatest = rate > greatest ? rate : greatest;
	}
	return greatest > 0 ? greatest / least - 1 : NAN;
}

void fs_reference_reduce(struct stage_result *r, enum reference kind)
{
	uint64_t units = 0, cpu_ns = 0;

	for (unsigned w = 0; w < r->stage->workers; w++) {
		const struct worker_result *k = &r->workers[w];

		if (kind == REFERENCE_NONE || k->nslices < 2)
			return;
		units += k->slices[k->nslices - 1].ref_units - k->slices[0].ref_units;
		cpu_ns += k->slices[k->nslices - 1].ref_cpu_ns - k->slices[0].ref_cpu_ns;
	}
	if (!cpu_ns)
		return;
	r->reference.kind = kind;
	r->reference.ops_per_sec = (double)units / (double)cpu_ns * FS_NSEC_PER_SEC;
	r->reference.moved = reference_moved(r);
	r->reference.adjusted_ops_per_sec = 0;
	for (unsigned w = 0; w < r->stage->workers; w++)
		r->reference.adjusted_ops_per_sec +=
			reference_adjusted(&r->workers[w], r->reference.ops_per_sec,
					   reference_unit_rate(kind));
}
