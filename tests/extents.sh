#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# extents.sh - fiemap maps files of exactly K extents, by as many ioctls as they need, and others
# count the same
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
need jq xfs_io

# mapped FILE: extents, by xfs_io, which prints holes as well
mapped()
{
	xfs_io -r -c 'fiemap' "$1" | grep -c '^[[:space:]]*[0-9]*: \[.*\]: [0-9]'
}

# fiemap FS K OPTION...: maps files of K extents, results in $work/out
fiemap()
{
	local type=$1 extents=$2
	shift 2
	check "$type: K=$extents $*" status 0 "$FSSTRESS" --fiemap 1 --fiemap-extents "$extents" \
		--ops 20 --settle 0 --verify \
		--quiet --json - "$@"
	check "$type: 20 passes" [ "$(stage "$work/out" fiemap.warm .ops)" = 20 ]
	hold "$type: extents of a pass" \
		"$(stage "$work/out" fiemap.warm .metrics.extents_per_op.value)" == "$extents"
}

# In blocks smaller than a page a piece of a page could be split in two: a small ext4 has them.
make_fs ext4 400M
cd "$M" || exit
check "1K blocks" [ "$(stat -f -c %s .)" = 1024 ]
check "1K blocks: all files as asked for" status 0 "$FSSTRESS" --test fiemap.first --nr-threads 1 \
	--ops 64 --settle 0 --verify --quiet --json -
check "1K blocks: nothing left" empty .

for type in ext4 xfs btrfs overlay; do
	kernel_has "$type" || { echo "this kernel has no $type"; continue; }
	make_fs "$type"
	cd "$M" || exit
	for extents in 1 2 511 512 513 1024 20000; do
		fiemap "$type" "$extents"
		hold "$type: ioctls of a pass" \
			"$(stage "$work/out" fiemap.warm .metrics.ioctls_per_op.value)" == \
			$(((extents + 511) / 512))
	done
	fiemap "$type" 100 --fiemap-buffer 0
	hold "$type: counting takes one ioctl" \
		"$(stage "$work/out" fiemap.warm .metrics.ioctls_per_op.value)" == 1
	fiemap "$type" 100 --fiemap-buffer 1
	hold "$type: room for one: an ioctl each" \
		"$(stage "$work/out" fiemap.warm .metrics.ioctls_per_op.value)" == 100
	check "$type: nothing left" empty .

	fiemap "$type" 513 --keep-files always
	file=$(find . -name extents)
	check "$type: xfs_io counts as many" [ "$(mapped "$file")" = 513 ]
	check "$type: what was kept is cleaned" status 0 "$FSSTRESS" clean
	check "$type: nothing left" empty .
done
finish
