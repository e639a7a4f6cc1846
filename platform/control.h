/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the protocol of perf's --control (perf-record(1)): command lines in one FIFO, answers
 * from another
 */
#ifndef PLATFORM_CONTROL_H
#define PLATFORM_CONTROL_H

#include <stdint.h>

struct fs_control {			/* descriptors, close-on-exec; -1: none */
	int commands, answers;
};

/*
 * Open both ends; answers NULL: nobody will answer. -errno with *which set to the path it is about:
 * -ENXIO nobody reads the commands, -EINVAL it is no FIFO.
 */
int fs_control_open(const char *commands, const char *answers, struct fs_control *c,
		    const char **which);
void fs_control_close(struct fs_control *c);

/*
 * Send "enable", "disable" or the like, and wait for the answer if there is to be one. 0; -EPIPE
 * nobody reads any more; -ETIMEDOUT no answer; -errno. One caller at a time; any task may be it.
 */
int fs_control_say(const struct fs_control *c, const char *command, uint64_t limit_ns);

#endif
