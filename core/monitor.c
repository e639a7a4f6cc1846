// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/compiler.h"
#include "platform/task.h"

#define MONITOR_KILLED	128		/* + signal, as a shell says it */

/* --- the command ------------------------------------------------------------------------------ */

static void monitor_quote(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=.,/:@";

	if (word[strspn(word, plain)] == '\0') {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

char *fs_monitor_command(const char *command, const char *prefix)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const char *p = command; *p; p++) {
		if (p[0] == '%' && p[1] == 'o') {
			monitor_quote(out, prefix);
			p++;
		} else {
			fputc(*p, out);
		}
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* --- the keeper ------------------------------------------------------------------------------- */

struct monitor_job {
	struct session *session;
	const struct monitor_facts *facts;
	const char *text;
	pid_t parent;
};

/* SIGUSR1: the supervisor is gone. The other two are for the group, and the keeper stays. */
static void monitor_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGCHLD);
}

/* What it prints is no part of our output, which may be for a machine. */
static void monitor_shell(const struct monitor_job *job, pid_t keeper, const sigset_t *signals)
{
	const struct monitor_facts *f = job->facts;
	const int null = open("/dev/null", O_RDONLY);

	if (fs_task_die_with(keeper) < 0)
		return;
	dup2(null, STDIN_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	setenv("FSS_STAGE", f->stage, 1);
	setenv("FSS_TIDS", f->tids, 1);
	setenv("FSS_DEV", f->dev, 1);
	setenv("FSS_MOUNT", f->mount, 1);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execl("/bin/sh", "sh", "-c", job->text, (char *)NULL);
}

/* Until nothing of it is left; the status is the shell's. */
static int monitor_wait(pid_t shell, const sigset_t *set)
{
	int status = 0, one;
	pid_t pid;

	for (;;) {
		while ((pid = waitpid(-1, &one, WNOHANG)) > 0)
			status = pid == shell ? one : status;
		if (pid < 0)
			break;
		if (sigwaitinfo(set, NULL) == SIGUSR1)
			kill(0, SIGKILL);
	}
	return WIFSIGNALED(status) ? MONITOR_KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* It must not keep alive what goes with its last user: the disk. */
static int monitor_keeper(void *arg)
{
	const struct monitor_job *job = arg;
	const pid_t self = getpid();
	sigset_t set, before;
	pid_t shell;

	monitor_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	if (fs_task_hear_of(job->parent, SIGUSR1) < 0)
		return 1;
	close(job->facts->area_fd);
	if (job->session->has_disk)
		fs_disk_forget(&job->session->disk);
	fs_task_adopt();
	fs_task_name("fsstress-mon");
	shell = fork();
	if (shell == 0) {
		monitor_shell(job, self, &before);
		_exit(127);
	}
	return shell < 0 ? 126 : monitor_wait(shell, &set);
}

/* --- the supervisor --------------------------------------------------------------------------- */

int fs_monitor_start(struct session *s, struct monitor *m, const struct monitor_facts *facts)
{
	char *text = fs_monitor_command(m->command, facts->prefix);
	struct monitor_job job = { s, facts, text, getpid() };
	int rc = -ENOMEM;

	if (text)
		rc = fs_session_fork_outside(s, &m->child, monitor_keeper, &job);
	free(text);
	if (rc < 0)
		m->child.pid = 0;
	return rc;
}

void fs_monitors_tell(struct monitor *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		list[i].told = !list[i].child.ended;
		fs_child_signal(&list[i].child, SIGINT);
	}
}

struct monitor_list {
	struct monitor *list;
	unsigned n;
};

static bool monitors_ended(void *arg)
{
	const struct monitor_list *l = arg;

	for (unsigned i = 0; i < l->n; i++) {
		if (l->list[i].child.pid && !l->list[i].child.ended)
			return false;
	}
	return true;
}

void fs_monitors_end(struct session *s, struct monitor *list, unsigned n)
{
	static const struct {
		int sig;
		uint64_t limit_ns;
	} steps[] = {
		{ 0, 10 * FS_NSEC_PER_SEC }, { SIGTERM, 2 * FS_NSEC_PER_SEC },
		{ SIGKILL, 5 * FS_NSEC_PER_SEC },
	};
	struct monitor_list l = { list, n };

	for (unsigned step = 0; step < FS_ARRAY_SIZE(steps) && !monitors_ended(&l); step++) {
		for (unsigned i = 0; i < n; i++) {
			if (steps[step].sig == SIGKILL)
				fs_child_kill(&list[i].child);
			else if (steps[step].sig)
				fs_child_signal(&list[i].child, steps[step].sig);
		}
		fs_session_wait_deaf(s, monitors_ended, &l, fs_now_ns() + steps[step].limit_ns, 0);
	}
	for (unsigned i = 0; i < n; i++)
		fs_child_forget(s, &list[i].child);
}

/* Who is told to end by a signal may end by it, and its shell may say so. */
bool fs_monitor_failed(const struct monitor *m, char what[96])
{
	const int status = m->child.status;
	const int code = WIFEXITED(status) ? WEXITSTATUS(status) :
					     MONITOR_KILLED + WTERMSIG(status);

	if (!m->child.pid)
		return false;
	if (!m->child.ended || m->child.killed)
		snprintf(what, 96, "did not end when told to, and was killed");
	else if (m->told && (code == MONITOR_KILLED + SIGINT || code == MONITOR_KILLED + SIGTERM))
		return false;
	else
		snprintf(what, 96, "ended with status %d%s", code,
			 m->told ? "" : " before the window did");
	return !m->child.ended || m->child.killed || code;
}
