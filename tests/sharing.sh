#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sharing.sh - every variant with two workers at a time, for all that they can share: both get their ops done, and
# verify finds what they should have left. Built with SAN=thread this is the search for data races.
# Alone: its windows are too short for workers that wait for a CPU.

. tests/lib.sh
need_root
need jq mkfs.ext4

"$FSSTRESS" list --json - >"$work/list"
# So little that 300 ops are many rounds.
small=(--fallocate-bytes 1M --fiemap-extents 64 --revio-bytes 1M)

# keys SHARE: of all variants that can
keys()
{
	jq -r --arg share "$1" '[.[] | select(.built) | .variants[] | select(.share | index($share)) | .key]
		| join(",")' "$work/list"
}

# both SHARE DISK OPTION...: each of the two has done its ops, or the op cannot be done on this disk
both()
{
	status 0 "$FSSTRESS" --test "$(keys "$1")" --share "$1" --nr-threads 2 --ops 300 "${small[@]}" --settle 0 \
		--verify --quiet --json - --disk "${@:2}" && sound "$work/out" passed &&
		jq -e '[.stages[].worker_detail[].ops] | length > 0 and all(. == 300)' "$work/out" >/dev/null
}

check "there are variants" [ -n "$(keys none)" ]
for share in none dir file range; do
	[ -n "$(keys "$share")" ] || continue
	check "sharing $share on ext4" both "$share" "loop:512M,dir=$work" --fs ext4
	check "sharing $share on tmpfs" both "$share" tmpfs:512M
done
finish
