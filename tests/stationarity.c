// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stationarity - does the cost of an op stay what it was? Every variant of every stressor, on filesystems made for it
 *
 * A slope over one run cannot decide it: the machine drifts as well. So an instance aged by 10 s of ops and a fresh
 * one take turns on one CPU, slices of 5 to 20 ms in random order, and the mean of the log-ratios of their rates is
 * how they differ; a drift hits both. Memory layout and file placement of an instance stay as long as it does, so
 * there are three fresh ones. The aged one has a place of its own as well (on btrfs its items are the first in the
 * tree, which is worth 5 %), so it is compared before its ageing, too, with three others: what counts is the change.
 * Its 95 % interval is Student's over the means of the pairs. A cell beyond the limit gets as many pairs again after
 * the ageing, and fails if it still is. Of a pair the mean without its highest and lowest tenth is taken: a slice
 * that somebody else's task has cut is no matter of the stressor.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <sys/wait.h>

#include "core/interval.h"
#include "core/registry.h"
#include "core/student.h"
#include "platform/disk.h"
#include "platform/errno_name.h"
#include "tests/turns.h"

#define SLICE_LEAST_NS (5 * FS_NSEC_PER_MSEC)
#define SLICE_MOST_NS (20 * FS_NSEC_PER_MSEC)
#define WARMUP_NS (FS_NSEC_PER_SEC / 4)
#define SLICES_MIN 10		/* of a pair, however slow */
#define PAIR_LIMIT 6		/* a pair takes at most so many times its time: most of it fills */
#define PAIRS_MAX 16
#define CELL_LIMIT_S 300
#define DISK_LIMIT_NS (120 * FS_NSEC_PER_SEC)

enum { CELL_OK, CELL_FAILED, CELL_SKIPPED };

struct options {
	double age_s, pair_s, limit;	/* limit 0: 0.02, with FS_IO 0.05 */
	unsigned pairs;
	const char *disk;
	char **globs;
	int nglobs;
};

struct cell {
	const struct options *o;
	const struct fs_stressor *s;
	const struct fs_variant *v;
	int target, cpu;
	unsigned made;			/* instances */
	struct instance *aged, *fresh;
	struct fs_rng rng;
	struct pairs {
		double mean[2 * PAIRS_MAX];	/* of each: log of the rate aged / fresh */
		unsigned n;
	} before, after;		/* the ageing */
	unsigned slices;
};

static double cell_limit(const struct cell *c)
{
	return c->o->limit > 0 ? c->o->limit : c->v->flags & FS_IO ? 0.05 : 0.02;
}

/* --- one pair ----------------------------------------------------------------------------------- */

/* Nanoseconds an op, of one slice; 0: none. */
static double cell_slice(struct instance *in)
{
	if (!turns_take(in, SLICE_LEAST_NS, SLICE_MOST_NS, 2 * FS_NSEC_PER_SEC) || !in->turn->ops)
		return 0;
	return (double)in->turn->ns / (double)in->turn->ops;
}

/* False when one of them has failed. Slices without an op are left out with their partners. */
static bool cell_compare(struct cell *c, double *mean)
{
	const uint64_t start = fs_now_ns(), time = (uint64_t)(c->o->pair_s * 1e9);
	double x[FS_SLICES_MAX];
	struct fs_interval series;
	uint64_t ns = 0;
	unsigned n = 0;

	while (n < FS_SLICES_MAX && ns < time && (n < SLICES_MIN || fs_now_ns() - start < PAIR_LIMIT * time)) {
		const bool aged_first = fs_rng_next(&c->rng) & 1;
		double aged = aged_first ? cell_slice(c->aged) : 0;
		const double fresh = cell_slice(c->fresh);

		if (!aged_first)
			aged = cell_slice(c->aged);
		if (turns_failed(c->aged) || turns_failed(c->fresh))
			return false;
		ns += c->aged->turn->ns + c->fresh->turn->ns;
		if (aged > 0 && fresh > 0)
			x[n++] = log(fresh / aged);
	}
	fs_interval(x, n, &series);
	*mean = series.trimmed;
	c->slices += n;
	return true;
}

static bool cell_make(struct cell *c, struct instance **in)
{
	const int rc = turns_make(in, c->s, c->v, c->target, c->made++, c->cpu);

	if (rc < 0 && *in && !turns_failed(*in)) {
		const struct area_failure f = { .err = -rc, .where = "set-up" };

		fs_area_fail((*in)->k.stage, &f);
	}
	return rc >= 0;
}

static bool cell_warm(struct instance *in, uint64_t ns)
{
	const bool ok = turns_take(in, UINT64_MAX, UINT64_MAX, ns);

	turns_open_window(in);
	return ok;
}

/* The fresh one warms up as before a window; the aged one as well, after its rest. */
static bool cell_pair(struct cell *c, struct pairs *p)
{
	bool ok = cell_make(c, &c->fresh) && cell_warm(c->fresh, WARMUP_NS) && cell_warm(c->aged, WARMUP_NS) &&
		  cell_compare(c, &p->mean[p->n]);

	if (!ok)
		return false;		/* c->fresh is kept: it may say why */
	turns_end(c->fresh, c->target);
	c->fresh = NULL;
	p->n++;
	return true;
}

static bool cell_pairs(struct cell *c, struct pairs *p, unsigned n)
{
	bool ok = true;

	while (ok && n--)
		ok = cell_pair(c, p);
	return ok;
}

/* --- one cell ----------------------------------------------------------------------------------- */

/* What the ageing did: log of a ratio of rates. */
static double cell_change(const struct cell *c)
{
	return fs_mean(c->after.mean, c->after.n) - fs_mean(c->before.mean, c->before.n);
}

static double pairs_squares(const struct pairs *p)
{
	const double mean = fs_mean(p->mean, p->n);
	double sum = 0;

	for (unsigned i = 0; i < p->n; i++)
		sum += (p->mean[i] - mean) * (p->mean[i] - mean);
	return sum;
}

/* Half of the 95 % interval of the change: two means, one variance. */
static double cell_half(const struct cell *c)
{
	const unsigned df = c->before.n + c->after.n - 2;
	const double squares = pairs_squares(&c->before) + pairs_squares(&c->after);

	if (!df)
		return INFINITY;
	return fs_t_quantile(0.05, df) * sqrt(squares / df * (1.0 / c->before.n + 1.0 / c->after.n));
}

static void pairs_print(const char *name, const struct pairs *p)
{
	printf("  %s", name);
	for (unsigned i = 0; i < p->n; i++)
		printf(" %+.2f", 100 * p->mean[i]);
}

static int cell_judge(const struct cell *c)
{
	const double change = cell_change(c), half = cell_half(c), limit = cell_limit(c);
	const bool ok = fabs(change) <= limit;

	printf("%-7s %+6.2f %%  [%+.2f, %+.2f]  limit %.0f", ok ? "ok" : "FAILED", 100 * change,
	       100 * (change - half), 100 * (change + half), 100 * limit);
	pairs_print("before", &c->before);
	pairs_print("after", &c->after);
	printf("  slices %u\n", c->slices);
	return ok ? CELL_OK : CELL_FAILED;
}

static bool cell_unsupported(const struct cell *c, int err)
{
	for (const int *e = c->s->unsupported; e && *e; e++) {
		if (*e == err)
			return true;
	}
	return false;
}

/* Only the first instance can find that something is not to be had here. */
static int cell_why(const struct cell *c)
{
	const struct instance *in = c->fresh ? c->fresh : c->aged;
	const struct area_failure *f = in ? &in->k.stage->failure : NULL;
	const bool skipped = !c->fresh && f && cell_unsupported(c, f->err);

	printf("%-7s %s in %s%s%s\n", skipped ? "skipped" : "FAILED", f ? fs_errno_name(f->err) : "ENOMEM",
	       f ? f->where : "set-up", f && f->text[0] ? ": " : "", f ? f->text : "");
	return skipped ? CELL_SKIPPED : CELL_FAILED;
}

static int cell_measure(struct cell *c)
{
	const unsigned n = c->o->pairs;
	bool ok = cell_make(c, &c->aged) && cell_warm(c->aged, WARMUP_NS) && cell_pairs(c, &c->before, n) &&
		  cell_warm(c->aged, (uint64_t)(c->o->age_s * 1e9)) && cell_pairs(c, &c->after, n);

	if (ok && fabs(cell_change(c)) > cell_limit(c))
		ok = cell_pairs(c, &c->after, n);
	return ok ? cell_judge(c) : cell_why(c);
}

static const char *cell_impossible(const struct cell *c)
{
	if (c->v->flags & FS_REMOUNT)
		return "needs a remount in each round, which takes the other instance's files away";
	if (c->v->flags & FS_NONSTATIONARY)
		return "says itself that its cost depends on time";
	if (c->v->flags & FS_ROOT && geteuid() != 0)
		return "needs root";
	if (c->v->helpers > AREA_HELPERS_MAX)
		return "has more helpers than there is room for";
	return NULL;
}

/* In a process of its own, which enters the disk's namespace and whose end frees everything. */
static int cell_run(struct cell *c, const struct fs_disk *disk)
{
	const char *why = cell_impossible(c);
	int status;

	if (why) {
		printf("%-7s %s\n", "skipped", why);
		return CELL_SKIPPED;
	}
	alarm(CELL_LIMIT_S);
	if (fs_disk_enter(disk) < 0 || (c->target = open(disk->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		printf("FAILED  cannot enter the disk: %s\n", strerror(errno));
		return CELL_FAILED;
	}
	c->cpu = fs_task_cpu();
	(void)fs_task_pin(c->cpu);
	fs_rng_seed(&c->rng, fs_now_ns(), "turns", 0);
	status = cell_measure(c);
	turns_end(c->fresh, c->target);
	turns_end(c->aged, c->target);
	return status;
}

/* --- all cells ---------------------------------------------------------------------------------- */

static int disk_open(const struct options *o, const char *fs, struct fs_disk *disk, char why[512])
{
	const bool tmpfs = strcmp(fs, "tmpfs") == 0;
	struct fs_disk_spec spec;
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = tmpfs ? NULL : fs, .mkfs = true, .limit_ns = DISK_LIMIT_NS,
	};
	const int rc = fs_disk_parse(tmpfs ? "tmpfs:2G" : o->disk, &spec, why);

	return rc < 0 ? rc : fs_disk_open(&order, disk, why);
}

static int cell_on(const struct options *o, const char *fs, struct cell *c)
{
	char key[AREA_KEY_MAX], why[512];
	struct fs_disk disk;
	int status = 0;
	pid_t pid;

	printf("%-6s %-24s ", fs, fs_key_of_variant(c->s, c->v, key));
	fflush(stdout);
	if (disk_open(o, fs, &disk, why)) {
		printf("skipped %s\n", why);
		return CELL_SKIPPED;
	}
	pid = fork();
	if (pid == 0) {
		status = cell_run(c, &disk);
		fflush(stdout);
		_exit(status);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	fs_disk_close(&disk);
	if (pid > 0 && WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("FAILED  %s\n", pid < 0 ? "fork" : strsignal(WTERMSIG(status)));
	return CELL_FAILED;
}

static bool wanted(const struct options *o, const struct fs_stressor *s, const struct fs_variant *v)
{
	char key[AREA_KEY_MAX];

	fs_key_of_variant(s, v, key);
	for (int i = 0; i < o->nglobs; i++) {
		if (fnmatch(o->globs[i], key, 0) == 0 || fnmatch(o->globs[i], s->name, 0) == 0)
			return true;
	}
	return o->nglobs == 0;
}

static void run_on(const struct options *o, const char *fs, unsigned counts[3])
{
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		for (const struct fs_variant *v = e->stressor ? e->stressor->variants : NULL; v && v->run; v++) {
			struct cell c = { .o = o, .s = e->stressor, .v = v };

			if (wanted(o, e->stressor, v))
				counts[cell_on(o, fs, &c)]++;
		}
	}
}

static int usage(void)
{
	fputs("usage: stationarity [-f 'FS ...'] [-a AGE_S] [-t PAIR_S] [-n PAIRS] [-l LIMIT_PERCENT]\n"
	      "                    [-d loop:2G|mem:2G|...] [KEY|STRESSOR|GLOB ...]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct options o = { .age_s = 10, .pair_s = 2, .pairs = 3, .disk = "loop:2G" };
	char systems[256] = "ext4 xfs btrfs tmpfs";
	unsigned counts[3] = { 0 };
	char *rest = systems, *fs;
	int option;

	while ((option = getopt(argc, argv, "f:a:t:n:l:d:")) != -1) {
		switch (option) {
		case 'f': snprintf(systems, sizeof(systems), "%s", optarg); break;
		case 'a': o.age_s = atof(optarg); break;
		case 't': o.pair_s = atof(optarg); break;
		case 'n': o.pairs = (unsigned)atoi(optarg); break;
		case 'l': o.limit = atof(optarg) / 100; break;
		case 'd': o.disk = optarg; break;
		default: return usage();
		}
	}
	if (o.pairs < 1 || o.pairs > PAIRS_MAX || !(o.pair_s > 0))
		return usage();
	o.globs = argv + optind;
	o.nglobs = argc - optind;
	if (geteuid() != 0) {
		puts("needs root, since it makes its own disks");
		return 77;
	}
	while ((fs = strtok_r(rest, " ,", &rest)))
		run_on(&o, fs, counts);
	printf("%u ok, %u failed, %u skipped\n", counts[CELL_OK], counts[CELL_FAILED], counts[CELL_SKIPPED]);
	return counts[CELL_FAILED] || !(counts[CELL_OK] + counts[CELL_SKIPPED]);
}
