// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the machine did beside a stage, as JSON
 */
#include "core/report_parts.h"

static json_t *json_pressure(const struct environment *e)
{
	json_t *o = json_object();

	json_object_set_new(o, "cpu_some_s", fs_json_real(e->cpu_some_s));
	json_object_set_new(o, "io_some_s", fs_json_real(e->io_some_s));
	json_object_set_new(o, "io_full_s", fs_json_real(e->io_full_s));
	json_object_set_new(o, "memory_some_s", fs_json_real(e->memory_some_s));
	json_object_set_new(o, "memory_full_s", fs_json_real(e->memory_full_s));
	return o;
}

static json_t *json_pages(const struct environment *e, unsigned end)
{
	json_t *o = json_object();

	json_object_set_new(o, "dirty_bytes", fs_json_count(e->dirty_bytes[end]));
	json_object_set_new(o, "writeback_bytes", fs_json_count(e->writeback_bytes[end]));
	return o;
}

static json_t *json_background(const struct environment *e)
{
	json_t *o = json_object();

	json_object_set_new(o, "start", json_pages(e, 0));
	json_object_set_new(o, "end", json_pages(e, 1));
	json_object_set_new(o, "ext4lazyinit", fs_json_tristate(e->lazyinit));
	json_object_set_new(o, "md_sync_action", fs_json_text(e->sync_action));
	return o;
}

/* All workers' files together; null where that is more than can be counted. */
static json_t *json_working_set(const struct stage *s)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(s->need.bytes, s->workers, &bytes))
		return json_null();
	return fs_json_count(bytes);
}

void fs_json_pressure(json_t *o, const struct stage_result *r)
{
	json_object_set_new(o, "working_set_bytes", json_working_set(r->stage));
	json_object_set_new(o, "pressure", json_pressure(&r->environment));
	json_object_set_new(o, "background", json_background(&r->environment));
}
