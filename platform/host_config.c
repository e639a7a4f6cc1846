// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_config.c - the configuration that the kernel was built with, and what of it slows it down
 */
#include "platform/host.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/compiler.h"
#include "platform/task.h"

#define CONFIG_INFLATE_S 5

/*
 * Options that make a kernel's numbers incomparable with a production kernel's. Those that are
 * built into many of these, or cost next to nothing until they are switched on, do not distort.
 */
static const struct {
	const char *name;
	bool distorts;
} config_debug[] = {
	{ "KASAN", true }, { "KCSAN", true }, { "KMSAN", true }, { "UBSAN", false },
	{ "KCOV", true }, { "GCOV_KERNEL", true }, { "DEBUG_KMEMLEAK", true },
	{ "PROVE_LOCKING", true }, { "LOCKDEP", true }, { "LOCK_STAT", true },
	{ "DEBUG_LOCK_ALLOC", true }, { "DEBUG_SPINLOCK", true }, { "DEBUG_MUTEXES", true },
	{ "DEBUG_RWSEMS", true }, { "DEBUG_ATOMIC_SLEEP", true }, { "DEBUG_PREEMPT", false },
	{ "PROVE_RCU", true }, { "DEBUG_PAGEALLOC", false },
	{ "DEBUG_PAGEALLOC_ENABLE_DEFAULT", true }, { "DEBUG_OBJECTS", true },
	{ "DEBUG_LIST", false }, { "DEBUG_VM", false }, { "SLUB_DEBUG_ON", true },
	{ "FAULT_INJECTION", false }, { "XFS_DEBUG", true }, { "BTRFS_DEBUG", true },
	{ "BTRFS_ASSERT", false }, { "EXT4_DEBUG", false }, { "F2FS_CHECK_FS", true },
};

/* On the kernel's command line they switch on what was built in. */
static const char *const config_boot[] = { "debug_pagealloc=on", "slub_debug", "slab_debug" };

static void config_add(char *list, size_t size, const char *word)
{
	const size_t used = strlen(list);

	if (used + 1 + strlen(word) < size)
		sprintf(list + used, "%s%s", used ? " " : "", word);
}

static void config_line(struct fs_host *h, const char *line)
{
	char name[64];

	if (sscanf(line, "CONFIG_%63[A-Z0-9_]=y", name) != 1 || strcmp(strchr(line, '='), "=y\n"))
		return;
	for (size_t i = 0; i < FS_ARRAY_SIZE(config_debug); i++) {
		if (strcmp(name, config_debug[i].name))
			continue;
		config_add(h->debug_configs, sizeof(h->debug_configs), name);
		if (config_debug[i].distorts)
			config_add(h->distorting, sizeof(h->distorting), name);
	}
}

/* FNV-1a of 64 bits (Fowler, Noll and Vo): not against forgers, to tell configurations apart. */
static uint64_t config_hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

static void config_read(struct fs_host *h, FILE *f)
{
	uint64_t hash = 0xcbf29ce484222325;
	char *line = NULL;
	size_t size = 0;
	bool any = false;

	while (getline(&line, &size, f) > 0) {
		if (strncmp(line, "CONFIG_", 7) || !strchr(line, '='))
			continue;
		config_line(h, line);
		hash = config_hash(hash, line);
		any = true;
	}
	free(line);
	h->debug_configs_known = any;
	if (any)
		snprintf(h->kconfig, sizeof(h->kconfig), "%016" PRIx64, hash);
}

static _Noreturn void config_gzip(int in, int out, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	alarm(CONFIG_INFLATE_S);	/* goes on over exec: nobody waits longer */
	if (fs_task_die_with(parent) == 0 && dup2(in, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0)
		execlp("gzip", "gzip", "-dc", (char *)NULL);
	_exit(127);
}

/* By the program, for a library would be needed for this alone. Without it: unknown. */
static void config_inflate(struct fs_host *h, int in)
{
	const pid_t self = getpid();
	int ends[2], status = -1;
	FILE *f = NULL;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (pid == 0)
		config_gzip(in, ends[1], self);
	close(ends[1]);
	if (pid > 0)
		f = fdopen(ends[0], "r");
	if (f)
		config_read(h, f);
	if (f)
		fclose(f);
	else
		close(ends[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return;
	h->debug_configs_known = false;	/* perhaps not all of it */
	h->debug_configs[0] = h->distorting[0] = h->kconfig[0] = '\0';
}

/* "slub_debug", "slub_debug=FZ", but not "slub_debug=-", which is off. */
static bool config_switches_on(const char *word, const char *option)
{
	const size_t n = strlen(option);

	if (strncmp(word, option, n))
		return false;
	return !word[n] || (word[n] == '=' && word[n + 1] != '-');
}

static void config_cmdline(struct fs_host *h)
{
	char text[sizeof(h->cmdline)], *rest = text;

	memcpy(text, h->cmdline, sizeof(text));
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		for (size_t i = 0; i < FS_ARRAY_SIZE(config_boot); i++) {
			if (config_switches_on(word, config_boot[i]))
				config_add(h->distorting, sizeof(h->distorting), word);
		}
	}
}

static FILE *config_open(const char *root, const char *before, const char *kernel,
			 const char *behind)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s%s", root, before, kernel, behind);
	return fopen(path, "re");
}

void fs_host_config(const char *root, struct fs_host *h)
{
	FILE *packed = NULL, *f = config_open(root, "/boot/config-", h->kernel, "");

	if (!f)
		f = config_open(root, "/lib/modules/", h->kernel, "/config");
	if (!f)
		packed = config_open(root, "/proc/config.gz", "", "");
	if (packed)
		config_inflate(h, fileno(packed));
	if (f)
		config_read(h, f);
	if (f || packed)
		fclose(f ? f : packed);
	config_cmdline(h);
}
