// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the ops of a stage cost device and filesystem, as JSON
 */
#include "core/report_parts.h"

/* Whoever did not pass has not done the ops that a count could be divided by. */
static json_t *json_per_op(const struct stage_result *r)
{
	const struct device_io *io = &r->device_io;
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "reads", io->reads }, { "read_bytes", io->read_bytes },
		{ "writes", io->writes }, { "write_bytes", io->write_bytes },
		{ "flushes", io->flushes }, { "discards", io->discards },
	};
	json_t *o;

	if (r->status != STATUS_PASSED || !r->ops)
		return json_null();
	o = json_object();
	for (unsigned i = 0; i < FS_ARRAY_SIZE(counts); i++)
		json_object_set_new(o, counts[i].name,
				    fs_json_real(fs_report_per_op(counts[i].n, r->ops)));
	json_object_set_new(o, "busy_us", fs_json_real(1e6 * io->busy_s / (double)r->ops));
	json_object_set_new(o, "upper_bound", json_boolean(fs_report_upper_bound(r)));
	return o;
}

static double json_mean(uint64_t bytes, uint64_t requests)
{
	return requests ? (double)bytes / (double)requests : NAN;
}

static json_t *json_device_io(const struct stage_result *r)
{
	const struct device_io *io = &r->device_io;
	json_t *o;

	if (!io->known)
		return json_null();
	o = json_object();
	json_object_set_new(o, "reads", fs_json_count(io->reads));
	json_object_set_new(o, "read_bytes", fs_json_count(io->read_bytes));
	json_object_set_new(o, "mean_read_bytes",
			    fs_json_real(json_mean(io->read_bytes, io->reads)));
	json_object_set_new(o, "writes", fs_json_count(io->writes));
	json_object_set_new(o, "write_bytes", fs_json_count(io->write_bytes));
	json_object_set_new(o, "mean_write_bytes",
			    fs_json_real(json_mean(io->write_bytes, io->writes)));
	json_object_set_new(o, "flushes", fs_json_count(io->flushes));
	json_object_set_new(o, "discards", fs_json_count(io->discards));
	json_object_set_new(o, "busy_s", fs_json_real(io->busy_s));
	json_object_set_new(o, "queue_s", fs_json_real(io->queue_s));
	json_object_set_new(o, "flush_s", fs_json_real(io->flush_s));
	json_object_set_new(o, "per_op", json_per_op(r));
	return o;
}

static json_t *json_fs_counters(const struct stage_result *r)
{
	json_t *o;

	if (!r->nmount_counts)
		return json_null();
	o = json_object();
	for (unsigned i = 0; i < r->nmount_counts; i++)
		json_object_set_new(o, r->mount_counts[i].name,
				    fs_json_count(r->mount_counts[i].n));
	return o;
}

void fs_json_cost(json_t *o, const struct stage_result *r)
{
	const bool passed = r->status == STATUS_PASSED;

	json_object_set_new(o, "device_io", json_device_io(r));
	json_object_set_new(o, "fs_counters", json_fs_counters(r));
	json_object_set_new(o, "log_bytes_per_op",
			    fs_json_real(passed ? fs_report_per_op(r->log_bytes, r->ops) : NAN));
	json_object_set_new(o, "log_turnover", fs_json_real(r->log_turnover));
	json_object_set_new(o, "regime",
			    fs_json_text(passed ? fs_regime_names[r->regime] : NULL));
}
