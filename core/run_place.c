// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where to run: a directory that is there, or a disk that is made for the run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/message.h"
#include "core/report.h"
#include "core/run.h"
#include "core/sweep.h"
#include "platform/clock.h"
#include "platform/errno_name.h"
#include "platform/shown.h"

#define PLACE_EXIT_SETUP	3
#define PLACE_DISK_LIMIT_NS	(120 * FS_NSEC_PER_SEC)

static int place_bad_disk(const struct place *place, const char *why)
{
	char shown[FS_SHOWN_MAX];

	fs_error("--disk %s: %s", fs_shown(place->disk, shown), why);
	return PLACE_EXIT_SETUP;
}

static int place_bad_target(const struct place *place, const char *why)
{
	char shown[FS_SHOWN_MAX];

	fs_error("target %s: %s", fs_shown(place->target, shown), why);
	return PLACE_EXIT_SETUP;
}

/* A plan makes no disk: it goes by what that would be. A device's contents show once mounted. */
static int place_imagine(const struct place *place, struct run_result *run)
{
	struct fs_target *t = &run->target;
	struct fs_disk_spec spec;
	char why[512];

	if (fs_disk_parse(place->disk, &spec, why) < 0)
		return place_bad_disk(place, why);
	t->ours = true;
	t->size_bytes = t->free_bytes = spec.kind == FS_DISK_DEVICE ? UINT64_MAX : spec.bytes;
	snprintf(t->fstype, sizeof(t->fstype), "%s", place->fs ? place->fs : "tmpfs");
	snprintf(t->source, sizeof(t->source), "%s",
		 spec.kind == FS_DISK_DEVICE ? spec.device : "a disk to be made");
	return 0;
}

static int place_disk(struct session *s, struct place *place)
{
	const struct config *c = s->config;
	struct fs_disk_spec spec;
	const struct fs_disk_order order = {
		.spec = &spec, .fstype = place->fs,
		.mkfs_opts = c->mkfs_opts, .mount_opts = c->mount_opts,
		.mkfs = c->fresh != FRESH_NEVER, .yes_destroy = c->yes_destroy,
		.limit_ns = PLACE_DISK_LIMIT_NS, .stopped = fs_session_stopped, .arg = s,
	};
	char why[512];
	int err = fs_disk_parse(place->disk, &spec, why);

	if (!err)
		err = fs_disk_open(&order, &s->disk, why);
	if (err && s->interrupted)
		return 128 + s->interrupted;
	if (err)
		return place_bad_disk(place, why);
	s->has_disk = true;
	place->target = s->disk.point;
	return 0;
}

static int place_refused(const struct place *place, const struct target_look *look, int rc)
{
	char why[256];

	if (rc == -ETIMEDOUT)
		snprintf(why, sizeof(why), "does not answer within 10 s (%s)", look->what);
	else
		snprintf(why, sizeof(why), "%s: %s (%s%s)", look->what, strerror(-rc),
			 fs_errno_name(-rc), rc == -EFBIG ? ": RLIMIT_FSIZE, ulimit -f" : "");
	return place_bad_target(place, why);
}

static void place_note_leftovers(const struct target_look *look)
{
	char name[NAME_MAX * 4 + 1];

	for (unsigned i = 0; i < look->leftovers && i < SWEEP_LEFTOVERS_MAX; i++)
		fs_note("left over from a run that was killed: %s; `fsstress clean` removes it",
			fs_printable(look->leftover[i], name, sizeof(name)));
	if (look->leftovers > SWEEP_LEFTOVERS_MAX)
		fs_note("%u more are left over", look->leftovers - SWEEP_LEFTOVERS_MAX);
}

static int place_check(const struct config *c, const struct place *place, const struct fs_target *t)
{
	char why[256], shown[FS_SHOWN_MAX];

	if (t->initramfs)
		return place_bad_target(place, "is in the initramfs, where nothing is mounted to "
					"measure");
	if (!c->require_fs || strcmp(c->require_fs, t->fstype) == 0)
		return 0;
	snprintf(why, sizeof(why), "is on %s, --require-fs asks for %s", t->fstype,
		 fs_shown(c->require_fs, shown));
	return place_bad_target(place, why);
}

static int place_look(struct session *s, const struct place *place, struct run_result *run)
{
	struct target_look look;
	const int rc = fs_target_look(s, place->target, !run->dry, &look);

	if (s->interrupted)
		return 128 + s->interrupted;
	if (rc < 0)
		return place_refused(place, &look, rc);
	run->target = look.target;
	run->target.ours = s->has_disk;
	if (s->has_disk && s->config->mount_opts)
		snprintf(run->target.requested_mount_options,
			 sizeof(run->target.requested_mount_options), "%s", s->config->mount_opts);
	/* Repetitions look at the same places again. */
	if (s->places++ < (s->config->ntargets ? s->config->ntargets : 1))
		place_note_leftovers(&look);
	if (look.target.on_root && !run->disk)
		fs_warn_add(run->warnings, &run->nwarnings,
			    "the target is on the root filesystem: "
			    "other programs write there, too");
	return place_check(s->config, place, &look.target);
}

int fs_place_open(struct session *s, struct place *place, struct run_result *run)
{
	int status = 0;

	run->disk = place->disk;
	run->fs = place->fs;
	if (place->disk && run->dry)
		return place_imagine(place, run);
	if (place->disk)
		status = place_disk(s, place);
	if (status == 0)
		status = place_look(s, place, run);
	if (status)
		fs_place_close(s);
	return status;
}

void fs_place_close(struct session *s)
{
	if (s->has_disk)
		fs_disk_close(&s->disk);
	s->has_disk = false;
}

int fs_place_renew(struct session *s, struct place *place, struct run_result *run)
{
	fs_place_close(s);
	return fs_place_open(s, place, run);
}
