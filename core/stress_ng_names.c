// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stress_ng_names.c - the names of stress-ng's stressors: an --exclude written for it is no typo
 */
#include <stdlib.h>

#include "core/registry.h"

static const char *const stress_ng_names[] = {	/* in strcmp() order, for bsearch() */
	"access", "acct", "acl", "af-alg", "affinity", "aio", "aiol", "alarm", "apparmor",
	"atomic", "bad-altstack", "bad-ioctl", "besselmath", "bigheap", "bind-mount",
	"binderfs", "bitonicsort", "bitops", "branch", "brk", "bsearch", "bubblesort",
	"cache", "cachehammer", "cacheline", "cap", "cgroup", "chattr", "chdir", "chmod",
	"chown", "chroot", "chyperbolic", "clock", "clone", "close", "context", "copy-file",
	"cpu", "cpu-online", "cpu-sched", "crc", "crypt", "ctrig", "cyclic", "daemon",
	"dccp", "dekker", "dentry", "dentrycache", "dev", "dev-shm", "dfp", "dir", "dirdeep",
	"dirmany", "dnotify", "dup", "dynlib", "easy-opcode", "efivar", "eigen", "enosys",
	"env", "epoll", "epollmany", "eth-sniff", "eventfd", "exec", "exit-group", "expmath",
	"factor", "fallocate", "fanotify", "far-branch", "fault", "fcntl", "fd-abuse",
	"fd-fork", "fd-race", "fibsearch", "fiemap", "fifo", "file-ioctl", "filehole",
	"filename", "filerace", "flipflop", "flock", "flushcache", "fma", "fork",
	"forkheavy", "fp", "fp-error", "fp-misc", "fp-subnormal", "fpunch", "fractal",
	"fsize", "fstat", "full", "funccall", "funcret", "futex", "gamma", "get", "getdent",
	"getrandom", "goto", "gpu", "handle", "hash", "hdd", "heapsort", "hrtimers",
	"hsearch", "hugepage", "hyperbolic", "icache", "icmp-flood", "idle-page",
	"inode-flags", "inotify", "insertionsort", "intmath", "io", "io-uring", "iomix",
	"ioport", "ioprio", "ipsec-mb", "itimer", "jpeg", "judy", "kcmp", "key", "kill",
	"klog", "kvm", "l1cache", "landlock", "lease", "led", "link", "list", "llc-affinity",
	"loadavg", "locka", "lockbus", "lockf", "lockmix", "lockofd", "logmath", "longjmp",
	"loop", "lsearch", "lsm", "madvise", "malloc", "matrix", "matrix-3d", "mcontend",
	"membarrier", "memcpy", "memfd", "memhotplug", "memrate", "memthrash", "mergesort",
	"metamix", "min-nanosleep", "mincore", "misaligned", "mknod", "mlock", "mlockmany",
	"mmap", "mmapaddr", "mmapcow", "mmapfiles", "mmapfixed", "mmapfork", "mmaphuge",
	"mmapmany", "mmaprandom", "mmaptorture", "module", "monte-carlo", "mpfr", "mprotect",
	"mq", "mremap", "mseal", "msg", "msync", "msyncmany", "mtx", "munmap", "mutex",
	"nanosleep", "netdev", "netlink-proc", "netlink-task", "nice", "nop", "null", "numa",
	"numacopy", "oom-pipe", "opcode", "open", "ovpn", "pagemove", "pagescatter",
	"pageswap", "pci", "personality", "peterson", "physmmap", "physpage", "pidfd",
	"ping-sock", "pipe", "pipeherd", "pkey", "plugin", "poll", "powmath", "prctl",
	"prefetch", "prime", "prio-inv", "priv-instr", "procfs", "pseek", "pthread",
	"ptr-chase", "ptrace", "pty", "qsort", "quota", "race-sched", "radixsort", "ramfs",
	"randlist", "rawdev", "rawpkt", "rawsock", "rawudp", "rdrand", "readahead", "reboot",
	"regex", "regs", "remap", "rename", "resched", "resources", "revio", "ring-pipe",
	"rlimit", "rmap", "rofs", "rotate", "rseq", "rtc", "schedmix", "schedpolicy", "sctp",
	"seal", "seccomp", "secretmem", "seek", "sem", "sem-sysv", "sendfile", "session",
	"set", "shellsort", "shm", "shm-sysv", "sigabrt", "sigbus", "sigchld", "sigfd",
	"sigfpe", "sighup", "sigill", "sigio", "signal", "signest", "sigpending", "sigpipe",
	"sigq", "sigrt", "sigsegv", "sigstop", "sigsuspend", "sigtrap", "sigurg",
	"sigvtalrm", "sigxcpu", "sigxfsz", "skiplist", "sleep", "smi", "sock", "sockabuse",
	"sockdiag", "sockfd", "sockmany", "sockpair", "softlockup", "sparsematrix", "spawn",
	"spec-rollback", "spinmem", "splice", "stack", "stackmmap", "statmount", "str",
	"stream", "strnum", "swap", "switch", "symlink", "sync-file", "syncload",
	"sysbadaddr", "syscall", "sysfs", "sysinfo", "sysinval", "tee", "time-warp", "timer",
	"timerfd", "timermix", "tlb-numa", "tlb-shootdown", "tmpfs", "touch", "tree", "trig",
	"tsc", "tsearch", "tun", "udp", "udp-flood", "umask", "umount", "unlink", "unshare",
	"uprobe", "urandom", "userfaultfd", "usersyscall", "utime", "varyload", "vdso",
	"veccmp", "vecfp", "vecmath", "vecshuf", "vecwide", "verity", "vfork", "vforkmany",
	"vm", "vm-addr", "vm-rw", "vm-segv", "vm-splice", "vma", "vnni", "wait", "waitcpu",
	"watchdog", "wcs", "workload", "x86cpuid", "x86syscall", "xattr", "yield", "zero",
	"zlib", "zombie",
};

/* stress-ng takes _ for - in the names it is given. */
static int stress_ng_compare(const void *key, const void *entry)
{
	const char *word = key, *name = *(const char *const *)entry;

	for (; *word && (*word == *name || (*word == '_' && *name == '-')); word++)
		name++;
	return (*word == '_' ? '-' : (unsigned char)*word) - (unsigned char)*name;
}

bool fs_stress_ng_has(const char *name)
{
	return bsearch(name, stress_ng_names, FS_ARRAY_SIZE(stress_ng_names),
		       sizeof(stress_ng_names[0]), stress_ng_compare) != NULL;
}
