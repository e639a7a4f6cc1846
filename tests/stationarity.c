// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stationarity - does the cost of an op stay what it was? Every variant of every stressor, on filesystems made for it
 *
 * A slope over one run cannot decide it: the machine drifts as well. So an instance aged by 10 s of ops and a fresh
 * one take turns on one CPU, slices of 5 to 20 ms in random order, and the mean of the log-ratios of their rates is
 * how they differ; a drift hits both. Memory layout and file placement of an instance stay as long as it does, so
 * there are three fresh ones. All are set up before the ageing, some before the aged one and some after it: an
 * instance that comes late has another place (on btrfs the first items in the tree are worth 5 %). They must not take
 * turns before the ageing, though: a cost that rises in the first seconds and then stays would be taken for a place.
 *
 * The 95 % interval is Student's over the means of the pairs, and no more pairs are taken where the first do not
 * please. Of a pair the mean without its highest and lowest tenth is taken, with FS_IO the mean of all: a slice that
 * somebody else's task has cut is no matter of the stressor, one that waits for the device is.
 *
 * The place of the one aged instance is in all pairs, and not in their interval. With -a 0 nothing is aged, and what
 * a cell shows is that place, and noise: ext4's revio.sparse -3.5 % once and -0.6 % another time. So a cell that fails
 * is to be run with -a 0 as well, and more than once, before its stressor is blamed.
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

enum { CELL_OK, CELL_FAILED, CELL_SKIPPED, CELL_UNSURE = 4 };	/* the last beside one of the first two */

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
	struct instance *aged, *fresh[PAIRS_MAX];
	struct fs_rng rng;
	double mean[PAIRS_MAX];		/* of each pair: log of the rate aged / fresh */
	double all[PAIRS_MAX];		/* the same, of all slices */
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
static bool cell_compare(struct cell *c, unsigned pair)
{
	struct instance *const other = c->fresh[pair];
	const uint64_t start = fs_now_ns(), time = (uint64_t)(c->o->pair_s * 1e9);
	double x[FS_SLICES_MAX];
	struct fs_interval series;
	uint64_t ns = 0;
	unsigned n = 0;

	while (n < FS_SLICES_MAX && ns < time && (n < SLICES_MIN || fs_now_ns() - start < PAIR_LIMIT * time)) {
		const bool aged_first = fs_rng_next(&c->rng) & 1;
		double aged = aged_first ? cell_slice(c->aged) : 0;
		const double fresh = cell_slice(other);

		if (!aged_first)
			aged = cell_slice(c->aged);
		if (turns_failed(c->aged) || turns_failed(other))
			return false;
		ns += c->aged->turn->ns + other->turn->ns;
		if (aged > 0 && fresh > 0)
			x[n++] = log(fresh / aged);
	}
	fs_interval(x, n, &series);
	c->all[pair] = series.mean;
	c->mean[pair] = c->v->flags & FS_IO ? series.mean : series.trimmed;
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
static bool cell_pair(struct cell *c, unsigned pair)
{
	if (!cell_warm(c->fresh[pair], WARMUP_NS) || !cell_warm(c->aged, WARMUP_NS) || !cell_compare(c, pair))
		return false;		/* it is kept: it may say why */
	turns_end(c->fresh[pair], c->target);
	c->fresh[pair] = NULL;
	return true;
}

/* --- one cell ----------------------------------------------------------------------------------- */

/* Half of the 95 % interval. */
static double cell_half(const struct cell *c)
{
	const unsigned n = c->o->pairs;
	const double mean = fs_mean(c->mean, n);
	double squares = 0;

	for (unsigned i = 0; i < n; i++)
		squares += (c->mean[i] - mean) * (c->mean[i] - mean);
	return n > 1 ? fs_t_quantile(0.05, n - 1) * sqrt(squares / (n - 1) / n) : INFINITY;
}

/* The mean decides. A question mark where the interval has room for the other verdict: not enough is known. */
static int cell_judge(const struct cell *c)
{
	const double mean = fs_mean(c->mean, c->o->pairs), half = cell_half(c), limit = cell_limit(c);
	const bool ok = fabs(mean) <= limit, unsure = ok ? fabs(mean) + half > limit : fabs(mean) - half < limit;

	printf("%-6s%c %+6.2f %%  [%+.2f, %+.2f]  limit %.0f  pairs", ok ? "ok" : "FAILED", unsure ? '?' : ' ',
	       100 * mean, 100 * (mean - half), 100 * (mean + half), 100 * limit);
	for (unsigned i = 0; i < c->o->pairs; i++)
		printf(" %+.2f", 100 * c->mean[i]);
	printf("  untrimmed %+.2f  slices %u\n", 100 * fs_mean(c->all, c->o->pairs), c->slices);
	return (ok ? CELL_OK : CELL_FAILED) | (unsure ? CELL_UNSURE : 0);
}

static bool cell_unsupported(const struct cell *c, int err)
{
	for (const int *e = c->s->unsupported; e && *e; e++) {
		if (*e == err)
			return true;
	}
	return false;
}

static const struct area_failure *cell_failure(const struct cell *c)
{
	for (unsigned i = 0; i < c->o->pairs; i++) {
		if (c->fresh[i] && turns_failed(c->fresh[i]))
			return &c->fresh[i]->k.stage->failure;
	}
	return c->aged && turns_failed(c->aged) ? &c->aged->k.stage->failure : NULL;
}

/* Only set-up and the first ops can find that something is not to be had here. */
static int cell_why(const struct cell *c)
{
	const struct area_failure *f = cell_failure(c);
	const bool skipped = f && !c->slices && cell_unsupported(c, f->err);

	printf("%-7s %s in %s%s%s\n", skipped ? "skipped" : "FAILED", f ? fs_errno_name(f->err) : "ENOMEM",
	       f ? f->where : "set-up", f && f->text[0] ? ": " : "", f ? f->text : "");
	return skipped ? CELL_SKIPPED : CELL_FAILED;
}

/* The aged one in the middle: half of the others are made before it. */
static bool cell_make_all(struct cell *c)
{
	bool ok = true;

	for (unsigned i = 0; i < c->o->pairs && ok; i++) {
		if (i == c->o->pairs / 2)
			ok = cell_make(c, &c->aged);
		ok = ok && cell_make(c, &c->fresh[i]);
	}
	return ok;
}

static int cell_measure(struct cell *c)
{
	bool ok = cell_make_all(c) && cell_warm(c->aged, WARMUP_NS) &&
		  cell_warm(c->aged, (uint64_t)(c->o->age_s * 1e9));

	for (unsigned i = 0; i < c->o->pairs && ok; i++)
		ok = cell_pair(c, i);
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
	for (unsigned i = 0; i < c->o->pairs; i++)
		turns_end(c->fresh[i], c->target);
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

static void run_count(unsigned counts[4], int status)
{
	counts[status & ~CELL_UNSURE]++;
	counts[3] += status & CELL_UNSURE ? 1 : 0;
}

static void run_on(const struct options *o, const char *fs, unsigned counts[4])
{
	for (const struct fs_entry *e = fs_registry; e->name; e++) {
		for (const struct fs_variant *v = e->stressor ? e->stressor->variants : NULL; v && v->run; v++) {
			struct cell c = { .o = o, .s = e->stressor, .v = v };

			if (wanted(o, e->stressor, v))
				run_count(counts, cell_on(o, fs, &c));
		}
	}
}

static int usage(void)
{
	fputs("usage: stationarity [-f 'FS ...'] [-a AGE_S] [-t PAIR_S] [-n PAIRS] [-l LIMIT_PERCENT]\n"
	      "                    [-d loop:4G|mem:4G|...] [KEY|STRESSOR|GLOB ...]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct options o = { .age_s = 10, .pair_s = 2, .pairs = 3, .disk = "loop:4G" };
	char systems[256] = "ext4 xfs btrfs tmpfs";
	unsigned counts[4] = { 0 };
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
	printf("%u ok, %u failed, %u skipped; %u of them not sure\n", counts[CELL_OK], counts[CELL_FAILED],
	       counts[CELL_SKIPPED], counts[3]);
	return counts[CELL_FAILED] || !(counts[CELL_OK] + counts[CELL_SKIPPED]);
}
