/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - a worker as a thread or a process, and what the kernel keeps for it
 */
#ifndef PLATFORM_TASK_H
#define PLATFORM_TASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fs_task {
	bool process;
	pid_t pid;			/* of a process */
	pthread_t thread;
};

/* Start body(arg) as a thread, or as a forked child that ends when body returns. 0 or -errno. */
int fs_task_start(struct fs_task *t, bool process, void (*body)(void *arg), void *arg);
/* Wait for its end. For a process: the wait status, 0 for a thread. */
int fs_task_join(struct fs_task *t);

/*
 * Give the calling thread descriptors, a working directory and credentials of its own, so that
 * threads share no lock or reference count in open(2): unshare(2), and capset(2) with unchanged
 * sets, which makes a copy of struct cred (every open takes a reference on it). 0 or -errno.
 */
int fs_task_isolate(void);
/* SIGKILL for the caller when its parent ends. -ESRCH when that has happened already. */
int fs_task_die_with(pid_t parent);
/* The same with another signal. */
int fs_task_hear_of(pid_t parent, int sig);
/* From now on the caller is the parent of descendants whose own parents have ended. */
void fs_task_adopt(void);

/* Bind to one CPU. 0 or -errno. */
int fs_task_pin(int cpu);
/* Whether the affinity mask is still just that CPU. */
bool fs_task_pinned(int cpu);
int fs_task_cpu(void);
uint32_t fs_task_tid(void);
/* At most 15 characters, the rest is cut. */
void fs_task_name(const char *name);

struct fs_usage {			/* of one thread: getrusage(RUSAGE_THREAD), microseconds */
	uint64_t user_us, system_us, voluntary, involuntary, minor, major;
};
void fs_task_usage(struct fs_usage *u);
/* CPU time of the calling thread. */
uint64_t fs_task_cpu_ns(void);
/*
 * How long the calling thread has been runnable without a CPU: its run-queue wait. The descriptor
 * is of /proc/thread-self/schedstat and the opener's alone; -errno where the kernel has none.
 */
int fs_task_wait_open(void);
uint64_t fs_task_wait_ns(int fd);

struct fs_priority {			/* as it was before fs_task_prefer() */
	int policy, priority, nice;
};

/*
 * For the one who keeps the time: SCHED_RR, above the real-time priority that it has; else nice
 * -20; else nothing. Children do not inherit it: fs_task_restore() gives them what was there
 * before, so that workers that a user runs at a real-time priority never outrank the supervisor.
 */
void fs_task_prefer(struct fs_priority *before);
void fs_task_restore(const struct fs_priority *before);
/* Take memory of the caller, and of tasks that it starts, from one NUMA node. 0 or -errno. */
int fs_task_bind_memory(int node);
/* Keep malloc from making an arena per thread, where libc would. */
void fs_task_one_arena(void);
/* State letter of a task ('D', '?' unknown) and where in the kernel it waits ("" unknown). */
char fs_task_state(uint32_t pid, uint32_t tid, char wchan[64]);

/* A zeroed memfd of that size, mapped shared. NULL with errno. */
void *fs_shared_create(const char *name, uint64_t bytes, int *fd);
void *fs_shared_map(int fd, uint64_t bytes);

#endif
