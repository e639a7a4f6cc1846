// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Schema fsstress/1: the object of a run, and getting it into a file whole or not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/report_parts.h"
#include "platform/clock.h"

#define JSON_READER_MS 10000 /* how long who reads from a pipe may take */
#define JSON_EXACT_MAX (1ull << 53) /* beyond, a double of the reader would round */

json_t *fs_json_text(const char *s)
{
	const size_t size = s ? 4 * strlen(s) + 1 : 0;
	char *text = s && *s ? malloc(size) : NULL;
	json_t *json = text ? json_string(fs_printable(s, text, size)) : json_null();

	free(text);
	return json;
}

json_t *fs_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *fs_json_count(uint64_t n)
{
	if (n == FS_UNKNOWN)
		return json_null();
	return n <= JSON_EXACT_MAX ? json_integer((json_int_t)n)
				   : json_sprintf("%llu", (unsigned long long)n);
}

json_t *fs_json_given(uint64_t n)
{
	return n ? fs_json_count(n) : json_null();
}

json_t *fs_json_seconds(uint64_t ns)
{
	return json_real((double)ns / FS_NSEC_PER_SEC);
}

json_t *fs_json_int(int64_t n)
{
	if (n >= -(int64_t)JSON_EXACT_MAX && n <= (int64_t)JSON_EXACT_MAX)
		return json_integer(n);
	return json_sprintf("%lld", (long long)n);
}

json_t *fs_json_tristate(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

json_t *fs_json_lines(char *const lines[], unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n && lines[i]; i++)
		json_array_append_new(list, fs_json_text(lines[i]));
	return list;
}

static json_t *json_owned(char *text)
{
	json_t *json = fs_json_text(text);

	free(text);
	return json;
}

/* The command with what it left to chance or to the current directory spelled out. */
static json_t *json_repro(const struct run_result *run)
{
	const struct config *c = run->config;
	char **argv = malloc(((size_t)c->argc + 5) * sizeof(*argv)), seed[24];
	static char seed_option[] = "--seed", target_option[] = "--target";
	struct config full = *c;
	json_t *json;

	if (!argv)
		return json_null();
	if (c->argc)
		memcpy(argv, c->argv, (size_t)c->argc * sizeof(*argv));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	if (!c->seed_given) {
		argv[full.argc++] = seed_option;
		argv[full.argc++] = seed;
	}
	if (!c->ntargets && !c->disk) {
		argv[full.argc++] = target_option;
		argv[full.argc++] = (char *)(uintptr_t)run->target.path;
	}
	argv[full.argc] = NULL;
	full.argv = argv;
	json = json_owned(fs_command_line(&full));
	free(argv);
	return json;
}

static json_t *json_time(uint64_t realtime_ns)
{
	const time_t seconds = (time_t)(realtime_ns / FS_NSEC_PER_SEC);
	char text[32];
	struct tm tm;

	if (!realtime_ns || realtime_ns == FS_UNKNOWN || !gmtime_r(&seconds, &tm))
		return json_null();
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *json_warnings(const struct run_result *run)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < run->nwarnings; i++)
		json_array_append_new(list, fs_json_text(run->warnings[i]));
	return list;
}

static void json_counts(json_t *o, const struct run_result *run)
{
	unsigned counts[FS_STATUSES];

	fs_status_count(run, 1, counts);
	json_object_set_new(o, "planned", json_integer(run->nstages));
	json_object_set_new(o, "passed", json_integer(counts[STATUS_PASSED]));
	json_object_set_new(o, "skipped", json_integer(counts[STATUS_SKIPPED]));
	json_object_set_new(o, "failed", json_integer(counts[STATUS_FAILED]));
	json_object_set_new(o, "no_progress", json_integer(counts[STATUS_NO_PROGRESS]));
	json_object_set_new(o, "incomplete", json_integer(counts[STATUS_INCOMPLETE]));
	json_object_set_new(o, "interrupted", json_boolean(run->interrupted));
	json_object_set_new(o, "signal", fs_json_given(run->interrupted));
}

static json_t *json_run(const struct run_result *run)
{
	json_t *o = json_object(), *stages = json_array();

	json_object_set_new(o, "schema", json_string("fsstress/1"));
	json_object_set_new(o, "version", json_string(FS_VERSION));
	json_object_set_new(o, "command", json_owned(fs_command_line(run->config)));
	json_object_set_new(o, "repro", json_repro(run));
	json_object_set_new(o, "seed", fs_json_count(run->seed));
	json_object_set_new(o, "started", json_time(run->started_realtime_ns));
	json_object_set_new(o, "params", fs_json_params(run));
	json_object_set_new(o, "host", fs_json_host(&run->host));
	json_object_set_new(o, "target", fs_json_target(&run->target));
	json_object_set_new(o, "plan", fs_json_plan(run));
	json_counts(o, run);
	json_object_set_new(o, "warnings", json_warnings(run));
	for (unsigned i = 0; i < run->nstages; i++)
		json_array_append_new(stages, fs_json_stage(run, &run->stages[i]));
	json_object_set_new(o, "stages", stages);
	return o;
}

static char *json_text(const json_t *all)
{
	char *text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(12)), *line;

	if (!text || asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

static int json_write(int fd, const char *text)
{
	for (size_t left = strlen(text); left; ) {
		const ssize_t n = write(fd, text, left);
		struct pollfd reader = { .fd = fd, .events = POLLOUT };

		if (n < 0 && errno == EAGAIN && !poll(&reader, 1, JSON_READER_MS))
			return -ETIMEDOUT;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		text += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* A reader that goes away is an error of this file alone. */
static int json_write_closing(int fd, const char *text)
{
	void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
	const int rc = json_write(fd, text);

	signal(SIGPIPE, before);
	return close(fd) && !rc ? -errno : rc;
}

/* A new file beside the old one, which a reader sees whole or not at all. */
static int json_replace(int dir, const char *name, const char *text)
{
	char temporary[64];
	int fd, rc;

	snprintf(temporary, sizeof(temporary), ".fsstress-json.%d", (int)getpid());
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	rc = json_write_closing(fd, text);
	if (!rc && renameat(dir, temporary, dir, name))
		rc = -errno;
	if (rc)
		unlinkat(dir, temporary, 0);
	return rc;
}

/* The directory that a path lies in, opened, and its name there; -errno. */
static int json_parent(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *parent =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	const int dir = parent ? open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	const int rc = dir < 0 ? -errno : *path ? 0 : -ENOENT;

	*name = slash ? slash + 1 : path;
	free(parent);
	if (!rc)
		return dir;
	if (dir >= 0)
		close(dir);
	return rc;
}

/* What is there and is no file of its own: /dev/stdout, a pipe, a symbolic link, a directory. */
static bool json_is_other(int dir, const char *name)
{
	struct stat st;

	return !*name || (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode));
}

/* A pipe without a reader is -ENXIO: one may be starting just now, but is not waited for long. */
static int json_open_other(int dir, const char *name, int flags)
{
	const uint64_t limit = fs_now_ns() + FS_NSEC_PER_SEC;
	int fd;

	do {
		fd = openat(dir, *name ? name : ".", O_WRONLY | O_NONBLOCK | O_CLOEXEC | flags,
			    0666);
		if (fd >= 0 || errno != ENXIO)
			break;
		fs_sleep_until(fs_now_ns() + 10 * FS_NSEC_PER_MSEC);
	} while (fs_now_ns() < limit);
	return fd < 0 ? -errno : fd;
}

/* Only files are replaced, the others are written to. */
static int json_to_file(const char *path, const char *text)
{
	const char *name;
	const int dir = json_parent(path, &name);
	int rc;

	if (dir < 0)
		return dir;
	if (json_is_other(dir, name)) {
		rc = json_open_other(dir, name, O_CREAT | O_TRUNC);
		rc = rc < 0 ? rc : json_write_closing(rc, text);
	} else {
		rc = json_replace(dir, name, text);
	}
	close(dir);
	return rc;
}

int fs_report_json_hold(const char *path)
{
	const char *name;
	int dir, fd;

	if (!strcmp(path, "-"))
		return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	dir = json_parent(path, &name);
	if (dir < 0)
		return dir;
	fd = json_is_other(dir, name) ? json_open_other(dir, name, 0) : -ENOENT;
	if (fd != -ENOENT) {
		close(dir);
		return fd;
	}
	if (!faccessat(dir, ".", W_OK | X_OK, AT_EACCESS))
		return dir;
	fd = -errno;
	close(dir);
	return fd;
}

int fs_json_write(const char *path, const json_t *all)
{
	char *text = json_text(all);
	int rc;

	if (!text)
		return -ENOMEM;
	if (strcmp(path, "-"))
		rc = json_to_file(path, text);
	else
		rc = fflush(stdout) ? -errno : json_write(STDOUT_FILENO, text);
	free(text);
	return rc;
}

int fs_report_json(const char *path, const struct run_result *runs, unsigned nruns)
{
	json_t *all = nruns == 1 ? json_run(&runs[0]) : json_array();
	int rc;

	for (unsigned i = 0; nruns != 1 && i < nruns; i++)
		json_array_append_new(all, json_run(&runs[i]));
	rc = fs_json_write(path, all);
	json_decref(all);
	return rc;
}
