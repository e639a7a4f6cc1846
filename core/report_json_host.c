// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a run was made: machine, directory under test, the axes that a table of runs is sorted by
 */
#include <stdlib.h>
#include <string.h>

#include "core/report_parts.h"

/* "name: text\n" lines to an object. */
static json_t *json_mitigations(const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;
	json_t *o = json_object();

	while (copy && (line = strsep(&rest, "\n"))) {
		char *colon = strstr(line, ": ");

		if (!colon)
			continue;
		*colon = '\0';
		json_object_set_new(o, line, fs_json_text(colon + 2));
	}
	free(copy);
	return o;
}

static json_t *json_debug_configs(const struct fs_host *h)
{
	char text[sizeof(h->debug_configs)], *rest = text;
	json_t *list;

	if (!h->debug_configs_known)
		return json_null();
	list = json_array();
	memcpy(text, h->debug_configs, sizeof(text));
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		json_array_append_new(list, fs_json_text(word));
	return list;
}

static json_t *json_known(int64_t n)
{
	return n < 0 ? json_null() : fs_json_int(n);
}

static json_t *json_centiseconds(int64_t n)
{
	return n < 0 ? json_null() : json_real((double)n / 100);
}

static json_t *json_dirty(const struct fs_dirty_limits *d)
{
	json_t *o = json_object();

	json_object_set_new(o, "ratio", json_known(d->ratio));
	json_object_set_new(o, "background_ratio", json_known(d->background_ratio));
	json_object_set_new(o, "bytes", json_known(d->bytes));
	json_object_set_new(o, "background_bytes", json_known(d->background_bytes));
	json_object_set_new(o, "expire_s", json_centiseconds(d->expire_cs));
	json_object_set_new(o, "writeback_s", json_centiseconds(d->writeback_cs));
	return o;
}

static void json_load(json_t *o, const struct fs_host *h)
{
	static const char *const names[] = { "load", "load_5min", "load_15min" };

	for (unsigned i = 0; i < FS_ARRAY_SIZE(names); i++)
		json_object_set_new(o, names[i], fs_json_real(h->load[i] < 0 ? NAN : h->load[i]));
}

static json_t *json_positive(int n)
{
	return n > 0 ? json_integer(n) : json_null();
}

json_t *fs_json_host(const struct fs_host *h)
{
	json_t *o = json_object();

	json_object_set_new(o, "kernel", fs_json_text(h->kernel));
	json_object_set_new(o, "release", fs_json_text(h->release));
	json_object_set_new(o, "boot_id", fs_json_text(h->boot_id));
	json_object_set_new(o, "machine", fs_json_text(h->machine));
	json_object_set_new(o, "nodename", fs_json_text(h->nodename));
	json_object_set_new(o, "cpu_model", fs_json_text(h->cpu_model));
	json_object_set_new(o, "microcode", fs_json_text(h->microcode));
	json_object_set_new(o, "hypervisor", fs_json_text(h->hypervisor));
	json_object_set_new(o, "cpus_online", json_positive(h->cpus_online));
	json_object_set_new(o, "numa_nodes", json_positive(h->numa_nodes));
	json_object_set_new(o, "page_size", fs_json_count(h->page_size));
	json_object_set_new(o, "mem_total_bytes", fs_json_count(h->mem_total_bytes));
	json_object_set_new(o, "mem_available_bytes", fs_json_count(h->mem_available_bytes));
	json_object_set_new(o, "swap_total_bytes", fs_json_count(h->swap_total_bytes));
	json_object_set_new(o, "swap_free_bytes", fs_json_count(h->swap_free_bytes));
	json_object_set_new(o, "dirty", json_dirty(&h->dirty));
	json_object_set_new(o, "governor", fs_json_text(h->governor));
	json_object_set_new(o, "turbo", fs_json_tristate(h->turbo));
	json_object_set_new(o, "clocksource", fs_json_text(h->clocksource));
	json_object_set_new(o, "smt", fs_json_text(h->smt));
	json_object_set_new(o, "autogroup", fs_json_tristate(h->autogroup));
	json_object_set_new(o, "thp", fs_json_text(h->thp));
	json_object_set_new(o, "cmdline", fs_json_text(h->cmdline));
	json_object_set_new(o, "mitigations", json_mitigations(h->mitigations));
	json_object_set_new(o, "debug_configs", json_debug_configs(h));
	json_load(o, h);
	return o;
}

static json_t *json_device(const struct fs_target *t)
{
	json_t *o;

	if (!*t->device)
		return json_null();
	o = json_object();
	json_object_set_new(o, "name", fs_json_text(t->device));
	json_object_set_new(o, "rotational", fs_json_tristate(t->rotational));
	json_object_set_new(o, "scheduler", fs_json_text(t->scheduler));
	json_object_set_new(o, "write_cache", fs_json_tristate(t->write_cache));
	return o;
}

/* The exact bytes, where the printable form is not they. */
static json_t *json_path_hex(const char *path)
{
	char text[REPORT_PATH_MAX];
	size_t n = strlen(path);

	if (!strcmp(fs_printable(path, text, sizeof(text)), path))
		return json_null();
	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)path[i]);
	return json_string(text);
}

json_t *fs_json_target(const struct fs_target *t)
{
	json_t *o = json_object();

	json_object_set_new(o, "path", fs_json_text(t->path));
	json_object_set_new(o, "path_hex", json_path_hex(t->path));
	json_object_set_new(o, "fstype", fs_json_text(t->fstype));
	json_object_set_new(o, "source", fs_json_text(t->source));
	json_object_set_new(o, "mount_options", fs_json_text(t->mount_options));
	json_object_set_new(o, "super_options", fs_json_text(t->super_options));
	json_object_set_new(o, "requested_mount_options", fs_json_text(t->requested_mount_options));
	json_object_set_new(o, "block_size", fs_json_count(t->block_size));
	json_object_set_new(o, "size_bytes", fs_json_count(t->size_bytes));
	json_object_set_new(o, "free_bytes", fs_json_count(t->free_bytes));
	json_object_set_new(o, "inodes", fs_json_given(t->inodes));
	json_object_set_new(o, "free_inodes",
			    fs_json_count(t->inodes ? t->free_inodes : FS_UNKNOWN));
	json_object_set_new(o, "log_bytes", fs_json_given(t->log_bytes));
	json_object_set_new(o, "on_root", json_boolean(t->on_root));
	json_object_set_new(o, "made_by_us", json_boolean(t->ours));
	json_object_set_new(o, "device", json_device(t));
	return o;
}

/* The worker count in the words of whoever gave it. */
static const char *json_nr_threads(const struct config *c)
{
	if (c->nr_threads.text)
		return c->nr_threads.text;
	if (c->sequential.text)
		return c->sequential.text;
	if (c->all.text)
		return c->all.text;
	return c->npicks == 1 && c->picks[0].workers ? c->picks[0].workers : "100%";
}

static json_t *json_tests(const struct config *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = c->npicks ? open_memstream(&text, &size) : NULL;
	json_t *json;

	if (!out)
		return json_null();
	for (unsigned i = 0; i < c->npicks; i++)
		fprintf(out, "%s%s", i ? "," : "", c->picks[i].key);
	fclose(out);
	json = fs_json_text(text);
	free(text);
	return json;
}

static void json_labels(json_t *o, const struct config *c)
{
	for (unsigned i = 0; i < c->nlabels; i++) {
		const char *value = strchr(c->labels[i], '=');
		char *key = value ? strndup(c->labels[i], (size_t)(value - c->labels[i])) : NULL;
		char *printable = key ? malloc(4 * strlen(key) + 1) : NULL;

		if (printable)
			json_object_set_new(o, fs_printable(key, printable, 4 * strlen(key) + 1),
					    fs_json_text(value + 1));
		free(printable);
		free(key);
	}
}

json_t *fs_json_params(const struct run_result *run)
{
	static const char *const only_labels[] = { "rootfs", "tbox_group", "commit" };
	const struct config *c = run->config;
	json_t *o = json_object();

	json_object_set_new(o, "nr_threads", fs_json_text(json_nr_threads(c)));
	json_object_set_new(o, "disk", fs_json_text(run->disk));
	json_object_set_new(o, "fs", fs_json_text(run->fs));
	json_object_set_new(o, "testtime",
			    fs_json_text(c->timeout.text || c->ops ? c->timeout.text : "10s"));
	json_object_set_new(o, "class", fs_json_text(c->class_text.text));
	json_object_set_new(o, "test", json_tests(c));
	json_object_set_new(o, "cpufreq_governor", fs_json_text(run->host.governor));
	json_object_set_new(o, "ucode", fs_json_text(run->host.microcode));
	json_object_set_new(o, "compiler", json_string(__VERSION__));
	json_object_set_new(o, "kconfig", fs_json_text(run->host.kconfig));
	for (unsigned i = 0; i < FS_ARRAY_SIZE(only_labels); i++)
		json_object_set_new(o, only_labels[i], json_null());
	json_labels(o, c);
	return o;
}

json_t *fs_json_plan(const struct run_result *run)
{
	static const char *const pins[] = { "spread", "compact", "none" };
	const struct config *c = run->config;
	json_t *o = json_object();

	json_object_set_new(o, "estimate_s", fs_json_seconds(run->plan->seconds_ns));
	json_object_set_new(o, "timeout_s", c->ops ? json_null() : fs_json_seconds(c->timeout_ns));
	json_object_set_new(o, "warmup_s",
			    c->warmup_given ? fs_json_seconds(c->warmup_ns) : json_null());
	json_object_set_new(o, "settle_s", fs_json_seconds(c->settle_ns));
	json_object_set_new(o, "order", json_string(c->order == ORDER_RANDOM ? "random" : "given"));
	json_object_set_new(o, "pin", json_string(pins[c->pin]));
	json_object_set_new(o, "verify", json_boolean(c->verify));
	json_object_set_new(o, "repeat", json_integer(c->repeat));
	json_object_set_new(o, "notes",
			    fs_json_lines(run->plan->notes, FS_ARRAY_SIZE(run->plan->notes)));
	return o;
}
