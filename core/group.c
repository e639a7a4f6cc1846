// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/group.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/stage.h"

#define GROUP_NS_PER_BYTE 50		/* 1 s more per 20 MB to be made */

bool fs_group_over(const struct flight *f)
{
	return !f->spawned || f->hung || f->child.ended ||
	       fs_load_acquire(&f->stage->failure.complete);
}

uint64_t fs_group_bytes_ns(const struct flight *f)
{
	return f->stage->plan.need_bytes * fs_group_workers(f) * GROUP_NS_PER_BYTE;
}

void fs_group_go(struct group *g)
{
	fs_store_release(&g->area->gate.go, 1);
	fs_futex_wake_all(&g->area->gate.go);
}

static void group_plan(const struct group *g, unsigned i)
{
	const struct config *c = g->session->config;
	const struct stage *stage = g->flights[i].to->stage;
	struct area_plan *p = &area_stage(g->area, i)->plan;
	const uint64_t trial = stage->variant->batch_multiple ? stage->variant->batch_multiple : 1;

	snprintf(p->stressor, sizeof(p->stressor), "%s", stage->stressor->name);
	snprintf(p->variant, sizeof(p->variant), "%s", stage->variant->name);
	snprintf(p->key, sizeof(p->key), "%s", stage->key);
	p->share = stage->share;
	p->process = stage->process;
	p->crowded = stage->oversubscribed || g->n > 1;
	p->numa_node = c->numa_node.text ? atoi(c->numa_node.text) : -1;
	p->verify = c->verify && !g->probing;
	p->probing = g->probing;
	p->keep = g->probing ? KEEP_NEVER : c->keep;
	p->seed = c->seed;
	p->ops_limit = g->probing ? trial : stage->ops;
	p->latency = g->probing ? LATENCY_OFF : c->latency;
	p->rate = g->probing ? 0 : c->rate;
	p->reference = g->flights[i].to->reference;
	p->settle_ns = c->settle_ns;
	p->need_bytes = stage->need.bytes;
	p->run_pid = (uint32_t)getpid();
	memcpy(p->state, stage->state, sizeof(p->state));
	p->loads = stage->nloads;
	memcpy(p->load, stage->loads, sizeof(p->load));
}

static void group_places(const struct group *g, unsigned i)
{
	const struct stage *stage = g->flights[i].to->stage;
	const unsigned helpers = fs_stage_helpers(stage);

	for (unsigned w = 0; w < area_stage(g->area, i)->plan.workers; w++) {
		struct area_slot *slot = area_slot(g->area, i, w);

		slot->cpu = stage->cpus ? stage->cpus[w] : -1;
		for (unsigned h = 0; h < FS_ARRAY_SIZE(slot->helper_cpu); h++)
			slot->helper_cpu[h] = h < helpers && stage->helper_cpus ?
					      stage->helper_cpus[w * helpers + h] : -1;
	}
}

static void group_disk(const struct group *g)
{
	const struct fs_disk *d = &g->session->disk;

	if (!g->session->has_disk)
		return;
	snprintf(g->area->mount_source, sizeof(g->area->mount_source), "%s", d->source);
	snprintf(g->area->mount_point, sizeof(g->area->mount_point), "%s", d->point);
	snprintf(g->area->mount_fstype, sizeof(g->area->mount_fstype), "%s", d->fstype);
	snprintf(g->area->mount_data, sizeof(g->area->mount_data), "%s", d->data);
	g->area->mount_flags = d->flags;
	g->area->mount_below_dev = d->below_dev;
}

static struct area_size group_size(const struct group *g, const struct stage *stage)
{
	if (g->probing)
		return (struct area_size){ 1, 0 };
	return (struct area_size){ stage->workers, stage->histograms };
}

int fs_group_open(struct group *g, const char *target)
{
	struct area_size sizes[AREA_STAGES_MAX];
	int rc;

	for (unsigned i = 0; i < g->n; i++)
		sizes[i] = group_size(g, g->flights[i].to->stage);
	rc = fs_area_create(g->n, sizes, &g->area, &g->area_fd);
	if (rc < 0)
		return rc;
	snprintf(g->area->target, sizeof(g->area->target), "%s", target);
	g->area->target_dev = g->facts ? g->facts->dev : 0;
	group_disk(g);
	if (!g->probing)
		fs_tracing_lend(&g->session->tracing, g->area);
	for (unsigned i = 0; i < g->n; i++) {
		g->flights[i].stage = area_stage(g->area, i);
		group_plan(g, i);
		group_places(g, i);
		rc = fs_snapshot_alloc(&g->flights[i].start, fs_group_workers(&g->flights[i]));
		if (rc == 0)
			rc = fs_snapshot_alloc(&g->flights[i].end,
					       fs_group_workers(&g->flights[i]));
		if (rc < 0) {
			fs_group_close(g);
			return rc;
		}
	}
	return 0;
}

void fs_group_close(struct group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		fs_snapshot_free(&g->flights[i].start);
		fs_snapshot_free(&g->flights[i].end);
		fs_child_forget(g->session, &g->flights[i].child);
	}
	fs_area_close(g->area, g->area_fd);
}

struct group_exec {
	const struct group *g;
	unsigned index;
};

/* The program again, by descriptor: a stage starts from a fresh address space, where that works. */
static int group_exec(void *arg)
{
	const struct group_exec *e = arg;
	char fd[12], index[12];
	char *argv[] = { "fsstress", "--stage-fd", fd, index, NULL };
	extern char **environ;

	snprintf(fd, sizeof(fd), "%d", e->g->area_fd);
	snprintf(index, sizeof(index), "%u", e->index);
	fs_tracing_keep(e->g->area);
	syscall(SYS_execveat, e->g->session->exe_fd, "", argv, environ, AT_EMPTY_PATH);
	return fs_stage_main(e->g->area_fd, e->index);
}

int fs_group_spawn(struct group *g, unsigned i)
{
	struct group_exec e = { g, i };
	struct flight *f = &g->flights[i];

	f->spawned_ns = fs_now_ns();
	f->spawn_err = fs_session_fork(g->session, &f->child, group_exec, &e);
	f->spawned = f->spawn_err == 0;
	return f->spawn_err;
}
