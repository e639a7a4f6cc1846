// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/task.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mempolicy.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/compiler.h"

/* Only touched pages count; sanitizers need more than the 64 KiB that a worker does with. */
#define TASK_STACK_BYTES (256u << 10)

struct task_start {
	void (*body)(void *arg);
	void *arg;
};

static void *task_thread(void *arg)
{
	const struct task_start start = *(struct task_start *)arg;

	free(arg);
	start.body(start.arg);
	return NULL;
}

static int task_start_thread(struct fs_task *t, void (*body)(void *arg), void *arg)
{
	struct task_start *start = malloc(sizeof(*start));
	pthread_attr_t attr;
	int err;

	if (!start)
		return -ENOMEM;
	*start = (struct task_start){ body, arg };
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, TASK_STACK_BYTES);
	err = pthread_create(&t->thread, &attr, task_thread, start);
	pthread_attr_destroy(&attr);
	if (err)
		free(start);
	return -err;
}

int fs_task_start(struct fs_task *t, bool process, void (*body)(void *arg), void *arg)
{
	const pid_t parent = getpid();

	t->process = process;
	t->pid = 0;
	if (!process)
		return task_start_thread(t, body, arg);
	t->pid = fork();
	if (t->pid < 0)
		return -errno;
	if (t->pid > 0)
		return 0;
	if (fs_task_die_with(parent) == 0)
		body(arg);
	_exit(0);
}

int fs_task_join(struct fs_task *t)
{
	int status = 0;

	if (!t->process) {
		pthread_join(t->thread, NULL);
		return 0;
	}
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int fs_task_isolate(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (unshare(CLONE_FILES | CLONE_FS))
		return -errno;
	if (syscall(SYS_capget, &header, data) || syscall(SYS_capset, &header, data))
		return -errno;
	return 0;
}

int fs_task_hear_of(pid_t parent, int sig)
{
	if (prctl(PR_SET_PDEATHSIG, sig))
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

int fs_task_die_with(pid_t parent)
{
	return fs_task_hear_of(parent, SIGKILL);
}

void fs_task_adopt(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int fs_task_pin(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	int rc;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	rc = sched_setaffinity(0, bytes, set) ? -errno : 0;
	CPU_FREE(set);
	return rc;
}

/* The kernel wants room for every CPU that it could have: grow until it fits. */
bool fs_task_pinned(int cpu)
{
	for (int cpus = cpu + 1 > 1024 ? cpu + 1 : 1024; cpus <= 1 << 20; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		const size_t bytes = CPU_ALLOC_SIZE(cpus);
		bool only, again;

		if (!set)
			return false;
		CPU_ZERO_S(bytes, set);
		again = sched_getaffinity(0, bytes, set) && errno == EINVAL;
		only = CPU_COUNT_S(bytes, set) == 1 && CPU_ISSET_S(cpu, bytes, set);
		CPU_FREE(set);
		if (!again)
			return only;
	}
	return false;
}

int fs_task_cpu(void)
{
	return sched_getcpu();
}

uint32_t fs_task_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

void fs_task_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static uint64_t task_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

void fs_task_usage(struct fs_usage *u)
{
	struct rusage r = { 0 };

	getrusage(RUSAGE_THREAD, &r);
	*u = (struct fs_usage){
		.user_us = task_us(r.ru_utime), .system_us = task_us(r.ru_stime),
		.voluntary = (uint64_t)r.ru_nvcsw, .involuntary = (uint64_t)r.ru_nivcsw,
		.minor = (uint64_t)r.ru_minflt, .major = (uint64_t)r.ru_majflt,
	};
}

uint64_t fs_task_cpu_ns(void)
{
	return fs_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

int fs_task_wait_open(void)
{
	const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* "ON_CPU_NS WAIT_NS TIMES" */
uint64_t fs_task_wait_ns(int fd)
{
	char text[64], *wait;
	const ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	wait = strchr(text, ' ');
	return wait ? strtoull(wait, NULL, 10) : 0;
}

void fs_task_prefer(struct fs_priority *before)
{
	const int most = sched_get_priority_max(SCHED_RR);
	struct sched_param param = { 0 }, other = { 0 };

	sched_getparam(0, &param);
	*before = (struct fs_priority){
		sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, param.sched_priority,
		getpriority(PRIO_PROCESS, 0),
	};
	param.sched_priority += param.sched_priority < most;
	if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &param) == 0 ||
	    before->policy != SCHED_OTHER)
		return;
	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &other) == 0)
		(void)setpriority(PRIO_PROCESS, 0, -20);
}

void fs_task_restore(const struct fs_priority *before)
{
	const struct sched_param param = { .sched_priority = before->priority };

	if (before->policy != SCHED_OTHER)
		(void)sched_setscheduler(0, before->policy, &param);
	else
		(void)setpriority(PRIO_PROCESS, 0, before->nice);
}

int fs_task_bind_memory(int node)
{
	unsigned long mask[16] = { 0 };
	const int bits = (int)(8 * sizeof(mask[0]));

	if (node < 0 || node >= bits * (int)FS_ARRAY_SIZE(mask))
		return -EINVAL;
	mask[node / bits] = 1ul << (node % bits);
	return syscall(SYS_set_mempolicy, MPOL_BIND, mask, 8 * sizeof(mask)) ? -errno : 0;
}

void fs_task_one_arena(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
}

static int task_proc_read(uint32_t pid, uint32_t tid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", pid, tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? 0 : -EIO;
}

char fs_task_state(uint32_t pid, uint32_t tid, char wchan[64])
{
	char stat[512];
	const char *name_end;

	task_proc_read(pid, tid, "wchan", wchan, 64);
	if (strcmp(wchan, "0") == 0)
		wchan[0] = '\0';
	task_proc_read(pid, tid, "stat", stat, sizeof(stat));
	name_end = strrchr(stat, ')');
	return name_end && name_end[1] == ' ' ? name_end[2] : '?';
}

void *fs_shared_create(const char *name, uint64_t bytes, int *fd)
{
	void *map;

	*fd = memfd_create(name, 0);
	if (*fd < 0)
		return NULL;
	if (ftruncate(*fd, (off_t)bytes) == 0) {
		map = fs_shared_map(*fd, bytes);
		if (map)
			return map;
	}
	close(*fd);
	*fd = -1;
	return NULL;
}

void *fs_shared_map(int fd, uint64_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}
