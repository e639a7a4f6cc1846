// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lease - take, give up and break a lease on a file
 *
 * Op:     cycle: a lease taken and given up. open: the same on a file opened for it. break: the
 *         worker breaks its own lease, by an open that cannot be, and reads the signal. break2: a
 *         helper's open breaks it, and waits for it.
 * Path:   fcntl_setlease > generic_setlease; open > break_lease > lm_break > SIGIO. No
 *         filesystem but those with a setlease of their own (NFS, SMB) has a part in it: where
 *         a filesystem changed, this must not.
 * Scales: share=none with the CPUs, but for the per-CPU lock of file locks;
 *         share=file: one inode's lock list.
 */
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "core/stressor.h"

struct lease_state {
	int type, place;		/* options; place is the planner's business */
	int fd, signal_fd;
	int open_flags, lease;
};

enum { LEASE_CYCLE, LEASE_OPEN, LEASE_BREAK, LEASE_BREAK2 };
enum { LEASE_BREAKS, LEASE_SIGIOS };
enum { LEASE_READ, LEASE_WRITE };
static const char *const lease_types[] = { "read", "write", NULL };
static const char *const lease_places[] = { "same-cpu", "sibling", "core", NULL };
static const char lease_name[] = "leased";

static const struct fs_option lease_options[] = {
	FS_OPT_ENUM(struct lease_state, type, "read", lease_types,
		    "F_RDLCK on a file open for reading, or F_WRLCK"),
	FS_OPT_ENUM(struct lease_state, place, "same-cpu", lease_places,
		    "break2: where the helper runs, seen from its worker"),
	FS_OPT_END
};

static const struct fs_counter lease_counters[] = {
	[LEASE_BREAKS] = { "breaks", "breaks", FS_COUNTER_SUM },
	[LEASE_SIGIOS] = { "sigios", "signals", FS_COUNTER_SUM },
	{ .name = NULL }
};

static int lease_need(const struct fs_variant *v, const void *state, struct fs_need *need)
{
	(void)v, (void)state;
	need->inodes = 1;
	need->descriptors = 3;
	return 0;
}

/* SIGIO stays blocked and is read, so no handler runs and none is lost. */
static int lease_block_sigio(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGIO);
	return sigprocmask(SIG_BLOCK, set, NULL) ? -errno : 0;
}

/*
 * In break the signal is there before the open returns, so a read that would wait is an error; in
 * break2 it is awaited. The descriptor ends with the process.
 */
static int lease_signals(struct fs_worker *w)
{
	struct lease_state *s = fs_state(w);
	const int nonblock = w->variant->arg == LEASE_BREAK ? SFD_NONBLOCK : 0;
	sigset_t set;
	const int rc = lease_block_sigio(&set);

	if (rc < 0)
		return rc;
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | nonblock);
	return s->signal_fd < 0 ? -errno : 0;
}

static int lease_check(const struct fs_variant *v, enum fs_share share, const void *state,
		       char why[256])
{
	static const char text[] = "a write lease needs to be the only open: "
				   "--share file goes with --lease-type read";
	const struct lease_state *s = state;

	(void)v;
	if (share != FS_SHARE_FILE || s->type == LEASE_READ)
		return 0;
	memccpy(why, text, '\0', 256);
	return -EINVAL;
}

static int lease_setup(struct fs_worker *w)
{
	struct lease_state *s = fs_state(w);

	if (w->share == FS_SHARE_FILE && s->type == LEASE_WRITE)
		return fs_fail(w, EINVAL, "--share file goes with --lease-type read");
	s->open_flags = (s->type == LEASE_READ ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC;
	s->lease = s->type == LEASE_READ ? F_RDLCK : F_WRLCK;
	s->fd = -1;
	if (w->variant->arg == LEASE_OPEN) {
		/* Not kept open: a write lease suffers no other open. */
		s->fd = openat(fs_dir(w), lease_name, O_CREAT | s->open_flags, 0600);
		return s->fd < 0 || close(s->fd) ? -errno : 0;
	}
	s->fd = fs_file_open(w, lease_name, O_CREAT | s->open_flags);
	return s->fd < 0 || w->variant->arg == LEASE_CYCLE ? s->fd : lease_signals(w);
}

static inline long lease_set(int fd, int lease)
{
	return fs_sys(fcntl(fd, F_SETLEASE, lease));
}

static inline long lease_cycle(struct fs_worker *w)
{
	const struct lease_state *s = fs_state(w);
	const long rc = lease_set(s->fd, s->lease);

	return rc < 0 ? rc : lease_set(s->fd, F_UNLCK);
}
FS_RUN_LOOP(lease_cycle_run, lease_cycle)

static inline long lease_open(struct fs_worker *w)
{
	const struct lease_state *s = fs_state(w);
	const int fd = openat(fs_dir(w), lease_name, s->open_flags);
	long rc = fd < 0 ? -errno : lease_set(fd, s->lease);

	if (rc >= 0)
		rc = lease_set(fd, F_UNLCK);
	if (fd >= 0 && close(fd) && rc >= 0)
		rc = -errno;
	return rc;
}
FS_RUN_LOOP(lease_open_run, lease_open)

/* One SIGIO, and nothing else. */
static inline long lease_read_signal(struct fs_worker *w, const struct lease_state *s)
{
	struct signalfd_siginfo info;
	const ssize_t n = read(s->signal_fd, &info, sizeof(info));

	if (n != (ssize_t)sizeof(info) || info.ssi_signo != SIGIO)
		return fs_fail(w, n < 0 ? errno : EIO, "the lease was broken, but no SIGIO came");
	fs_count(w, LEASE_SIGIOS, 1);
	return 0;
}

static inline long lease_break(struct fs_worker *w)
{
	const struct lease_state *s = fs_state(w);
	const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
	long rc = lease_set(s->fd, s->lease);
	int fd;

	if (rc < 0)
		return rc;
	fd = openat(fs_dir(w), lease_name, flags | O_NONBLOCK);
	if (fs_unlikely(fd >= 0 || errno != EWOULDBLOCK))
		return fs_fail(w, fd < 0 ? errno : EIO,
			       "an open that a lease forbids did not end with EWOULDBLOCK");
	fs_count(w, LEASE_BREAKS, 1);
	rc = lease_read_signal(w, s);
	if (rc >= 0)
		rc = lease_set(s->fd, F_UNLCK);
	if (rc < 0)
		return rc;
	fd = openat(fs_dir(w), lease_name, flags);
	return fd < 0 || close(fd) ? -errno : 0;
}
FS_RUN_LOOP(lease_break_run, lease_break)

/*
 * take | meet | wait for the signal, give up | meet, beside the helper's
 *      | meet | open (breaks, waits), close  | meet
 */
static inline long lease_break2(struct fs_worker *w)
{
	const struct lease_state *s = fs_state(w);
	long rc = lease_set(s->fd, s->lease);

	if (rc < 0)
		return rc;
	if (!fs_meet(w)) {
		(void)lease_set(s->fd, F_UNLCK);	/* the helper may have met, and wait */
		return -ECANCELED;
	}
	rc = lease_read_signal(w, s);
	if (rc < 0)
		return rc;
	fs_count(w, LEASE_BREAKS, 1);
	rc = lease_set(s->fd, F_UNLCK);
	if (rc < 0)
		return rc;
	return fs_meet(w) ? 0 : -ECANCELED;
}
FS_RUN_LOOP(lease_break2_run, lease_break2)

/*
 * Ends when a meeting is called off. The worker may have met all the same, and wait for its signal:
 * a last open, which does not wait, sees to that.
 */
static int lease_help(struct fs_worker *w, unsigned i)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
	sigset_t set;
	int fd, rc = lease_block_sigio(&set);

	(void)i;
	while (rc == 0 && fs_meet(w)) {
		fd = openat(fs_dir(w), lease_name, flags);
		if (fd < 0 || close(fd))
			rc = fs_fail(w, errno, "a helper's open, which the lease delays");
		else if (!fs_meet(w))
			break;
	}
	fd = openat(fs_dir(w), lease_name, flags | O_NONBLOCK);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Every lease has been given up. */
static int lease_verify(struct fs_worker *w)
{
	struct lease_state *s = fs_state(w);
	const bool kept = s->fd >= 0 && w->variant->arg != LEASE_OPEN;
	const int lease = kept ? fcntl(s->fd, F_GETLEASE) : F_UNLCK;

	if (lease < 0)
		return -errno;
	return lease == F_UNLCK ? 0 : fs_fail(w, EIO, "a lease of type %d is left", lease);
}

#define LEASE_CALL_SET	{ "fcntl", 1, "F_SETLEASE, F_RDLCK" }
#define LEASE_CALL_END	{ "fcntl", 1, "F_SETLEASE, F_UNLCK" }
#define LEASE_CALL_READ	{ "read", 1, ", 128) = 128" }
static const struct fs_calls lease_cycle_calls[] = {
	LEASE_CALL_SET, LEASE_CALL_END, { .name = NULL }
};
static const struct fs_calls lease_open_calls[] = {
	{ "openat", 1, "O_RDONLY|" }, LEASE_CALL_SET, LEASE_CALL_END, { "close", 1, NULL },
	{ .name = NULL }
};
static const struct fs_calls lease_break_calls[] = {
	LEASE_CALL_SET, { "openat", 1, "-1 EAGAIN" }, LEASE_CALL_READ, LEASE_CALL_END,
	{ "openat", 1, "O_WRONLY|O_NOFOLLOW" }, { "close", 1, NULL }, { .name = NULL }
};
static const struct fs_calls lease_break2_calls[] = {
	LEASE_CALL_SET, LEASE_CALL_READ, LEASE_CALL_END, { .name = NULL }
};

static const struct fs_variant lease_variants[] = {
	{
		.name = "cycle", .arg = LEASE_CYCLE, .flags = FS_MEM | FS_LOAD,
		.share = FS_SHARE_FILE, .calls = lease_cycle_calls,
		.op = "F_SETLEASE of a lease and of F_UNLCK on a file that stays open",
		.run = lease_cycle_run,
	}, {
		.name = "open", .arg = LEASE_OPEN, .flags = FS_MEM | FS_LOAD,
		.share = FS_SHARE_FILE, .calls = lease_open_calls,
		.op = "openat(2), F_SETLEASE of a lease and of F_UNLCK, close(2)",
		.run = lease_open_run,
	}, {
		.name = "break", .arg = LEASE_BREAK, .flags = FS_MEM | FS_PROCESS,
		.calls = lease_break_calls,
		.op = "take a lease; break it: openat(O_WRONLY|O_NONBLOCK) = EWOULDBLOCK; "
		      "read the SIGIO; F_UNLCK; openat, close",
		.run = lease_break_run,
	}, {
		.name = "break2", .arg = LEASE_BREAK2, .flags = FS_MEM | FS_PROCESS, .helpers = 1,
		.calls = lease_break2_calls,
		.op = "take a lease; a helper's openat(O_WRONLY) breaks it and waits; "
		      "read the SIGIO; F_UNLCK; the helper closes",
		.run = lease_break2_run,
	},
	{ .run = NULL }
};

static const int lease_unsupported[] = { EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP, 0 };

static const char lease_notes[] =
	"path:   fs/locks.c only, the same on every filesystem without a setlease of its own:\n"
	"        a negative control. If a filesystem changed and this moves, distrust the machine\n"
	"break:  workers are processes, since a lease's SIGIO goes to a process;\n"
	"        breaks, sigios and ops must be equal\n"
	"scales: with the CPUs; --share file (read leases): one inode's list of leases";

const struct fs_stressor fs_stressor_lease = {
	.name = "lease", .summary = "take, give up and break a lease on a file",
	.notes = lease_notes, .classes = FS_CLASS_FILESYSTEM | FS_CLASS_OS, .version = 1,
	.options = lease_options, .variants = lease_variants, .counters = lease_counters,
	.unsupported = lease_unsupported, .state_size = sizeof(struct lease_state),
	.check = lease_check, .need = lease_need, .setup = lease_setup, .verify = lease_verify,
	.help = lease_help,
};
