// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_spec.c - what a disk and its mount shall be, from text
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "platform/disk_inside.h"

#define DISK_VALID "loop:2G[,dir=DIR], mem:2G, zram:2G, tmpfs:2G or /dev/X"

static const struct {
	const char *name;
	unsigned long set, clear;
} disk_flags[] = {
	{ "ro", MS_RDONLY, 0 },			{ "rw", 0, MS_RDONLY },
	{ "nosuid", MS_NOSUID, 0 },		{ "suid", 0, MS_NOSUID },
	{ "nodev", MS_NODEV, 0 },		{ "dev", 0, MS_NODEV },
	{ "noexec", MS_NOEXEC, 0 },		{ "exec", 0, MS_NOEXEC },
	{ "sync", MS_SYNCHRONOUS, 0 },		{ "async", 0, MS_SYNCHRONOUS },
	{ "noatime", MS_NOATIME, MS_RELATIME | MS_STRICTATIME },
	{ "atime", 0, MS_NOATIME },
	{ "relatime", MS_RELATIME, MS_NOATIME | MS_STRICTATIME },
	{ "norelatime", 0, MS_RELATIME },
	{ "strictatime", MS_STRICTATIME, MS_NOATIME | MS_RELATIME },
	{ "nostrictatime", 0, MS_STRICTATIME },
	{ "nodiratime", MS_NODIRATIME, 0 },	{ "diratime", 0, MS_NODIRATIME },
	{ "lazytime", MS_LAZYTIME, 0 },		{ "nolazytime", 0, MS_LAZYTIME },
	{ "dirsync", MS_DIRSYNC, 0 },		{ "mand", MS_MANDLOCK, 0 },
	{ "defaults", 0, 0 },
};

/* 2G = 2Gi = 2GiB = 2 * 2^30, 2GB = 2 * 10^9, as in all other options. */
static bool disk_scan_size(const char *text, size_t n, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	char *end;
	const uint64_t number = strtoull(text, &end, 10);
	const char *unit = n > (size_t)(end - text) && *end ? strchr(units, *end) : NULL;
	bool decimal, binary;
	uint64_t factor = 1;
	size_t tail;

	if (!isdigit((unsigned char)text[0]) || end > text + n)
		return false;
	if (unit)
		end++;
	tail = n - (size_t)(end - text);
	decimal = tail == 1 && *end == 'B';
	binary = !tail || (tail == 1 && *end == 'i') || (tail == 2 && !strncmp(end, "iB", 2));
	if (unit ? !decimal && !binary : tail > 0)
		return false;
	for (const char *u = units; unit && u <= unit; u++)
		factor *= decimal ? 1000 : 1024;
	*bytes = number * factor;
	return number && number <= INT64_MAX / factor;
}

/* loop:SIZE[,dir=DIR] behind the colon; dir is everything to the end, commas included. */
static int disk_parse_sized(const char *text, struct fs_disk_spec *spec, char why[256])
{
	const char *dir = strstr(text, ",dir=");
	const size_t n = dir && spec->kind == FS_DISK_LOOP ? (size_t)(dir - text) : strlen(text);
	char shown[FS_SHOWN_MAX];

	if (!disk_scan_size(text, n, &spec->bytes)) {
		snprintf(why, 256, "size '%s' is not valid; write " DISK_VALID,
			 fs_shown(text, shown));
		return -EINVAL;
	}
	if (!text[n])
		return 0;
	dir += strlen(",dir=");
	if (!*dir || strlen(dir) >= sizeof(spec->dir)) {
		snprintf(why, 256, "dir= needs the name of a directory; write " DISK_VALID);
		return -EINVAL;
	}
	strcpy(spec->dir, dir);
	return 0;
}

int fs_disk_parse(const char *text, struct fs_disk_spec *spec, char why[256])
{
	static const struct {
		const char *name;
		enum fs_disk_kind kind;
	} kinds[] = {
		{ "loop:", FS_DISK_LOOP }, { "mem:", FS_DISK_MEM }, { "zram:", FS_DISK_ZRAM },
		{ "tmpfs:", FS_DISK_TMPFS }
	};
	char shown[FS_SHOWN_MAX];

	memset(spec, 0, sizeof(*spec));
	for (size_t i = 0; i < FS_ARRAY_SIZE(kinds); i++) {
		if (strncmp(text, kinds[i].name, strlen(kinds[i].name)))
			continue;
		spec->kind = kinds[i].kind;
		return disk_parse_sized(text + strlen(kinds[i].name), spec, why);
	}
	if (strncmp(text, "/dev/", 5) || !text[5] || strlen(text) >= sizeof(spec->device)) {
		snprintf(why, 256, "'%s' is not a disk; write " DISK_VALID,
			 fs_shown(text, shown));
		return -EINVAL;
	}
	spec->kind = FS_DISK_DEVICE;
	strcpy(spec->device, text);
	return 0;
}

static bool disk_flag(const char *word, size_t n, uint64_t *flags)
{
	for (size_t i = 0; i < FS_ARRAY_SIZE(disk_flags); i++) {
		if (strlen(disk_flags[i].name) != n || strncmp(word, disk_flags[i].name, n))
			continue;
		*flags = (*flags & ~disk_flags[i].clear) | disk_flags[i].set;
		return true;
	}
	return false;
}

int fs_disk_options(const char *opts, struct fs_disk *disk, char why[FS_DISK_WHY_MAX])
{
	size_t n, used = strlen(disk->data);

	for (; opts && *opts; opts += n + (opts[n] == ',')) {
		n = strcspn(opts, ",");
		if (!n || disk_flag(opts, n, &disk->flags))
			continue;
		if (used + n + 2 > sizeof(disk->data))
			return fs_disk_fail(why, -EINVAL, "mount options are longer than %zu bytes",
					    sizeof(disk->data) - 1);
		used += (size_t)snprintf(disk->data + used, sizeof(disk->data) - used, "%s%.*s",
					 used ? "," : "", (int)n, opts);
	}
	return 0;
}
