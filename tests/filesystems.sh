#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# filesystems.sh - on each filesystem a class, a list at two worker counts, and every variant:
# passed, or skipped for a reason that another program finds as well
# Alone: its windows are too short for workers that wait for a CPU.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
need jq xfs_io

mapfile -t variants < <("$FSSTRESS" list --json - | jq -r '.[] | select(.built) | .variants[].key')
check "there are variants to run" [ "${#variants[@]}" -gt 20 ]

# try FILE COMMAND...: what xfs_io can do with a file of 1 MiB here
try()
{
	local file=$1
	shift
	[ -e "$file" ] || xfs_io -f -c 'pwrite -q 0 1m' -c fsync "$file"
	! xfs_io -c "$*" "$file" 2>&1 | grep -qi 'not supported\|inappropriate\|not found'
}

# possible TYPE KEY: whether the kernel can do that here; 2: only it knows
possible()
{
	local rc
	case $2 in
	fallocate.punch) try "$M/x" fpunch 0 64k ;;
	fallocate.zero) try "$M/x" fzero 0 64k ;;
	fallocate.collapse) try "$M/x" fcollapse 0 64k ;;
	fallocate.insert) try "$M/x" finsert 0 64k ;;
	fallocate.unshare)
		try "$M/x" fsync && cp --reflink=always "$M/x" "$M/y" 2>/dev/null && try "$M/y" \
			funshare 0 64k ;;
	fallocate.write-zeroes) return 2 ;;
	fiemap.first) [ "$1" = ext4 ] ;;
	fiemap.cold) false ;;
	fiemap.*) try "$M/x" fiemap ;;
	esac
	rc=$?
	rm -f "$M/x" "$M/y"
	return $rc
}

# honest TYPE FILE: exactly what the kernel cannot do was skipped
honest()
{
	local key result wanted
	while read -r key result; do
		possible "$1" "$key"
		case $? in
		0) wanted=passed ;;
		1) wanted=skipped ;;
		*) continue ;;
		esac
		[ "$result" = "$wanted" ] || fail "$1: $key is $result, not $wanted"
	done < <(jq -r '.stages[] | "\(.key) \(.status)"' "$2")
	jq -e 'all(.stages[]; .status == "passed" or (.errno_name | IN("EOPNOTSUPP", "ENOTTY")))' \
		"$2" >/dev/null
}

for type in $FILESYSTEMS; do
	kernel_has "$type" || { echo "this kernel has no $type"; continue; }
	make_fs "$type"
	cd "$M" || exit
	json=$work/$type.json
	check "$type: --class filesystem" status 0 "$FSSTRESS" --class filesystem --warmup 0.05 \
		--timeout 0.1 --json "$json"
	check "$type: class results" sound "$json" passed
	check "$type: is seen as such" [ "$(jq -r .target.fstype "$json")" = "$type" ]
	check "$type: nothing left" empty .
	check "$type: a list at 1,100%" status 0 "$FSSTRESS" --test \
		fiemap,fallocate,revio,iomix,lease --nr-threads 1,100% \
		--warmup 0.05 --timeout 0.1 --verify --json -
	check "$type: list results" sound "$work/out" passed
	check "$type: two stages each" [ \
		"$(jq '[.stages[].key] | group_by(.) | map(length) | unique == [2]' "$work/out")" \
		= true ]
	check "$type: nothing left" empty .
	check "$type: every variant" status 0 "$FSSTRESS" --test "$(IFS=,; echo "${variants[*]}")" \
		--nr-threads 1 --ops 100 \
		--settle 0 --verify --quiet --json "$json"
	check "$type: variant results" sound "$json" passed
	check "$type: as many ops as asked" [ "$(jq -c '[.stages[].ops // 100] | unique' "$json")" \
		= '[100]' ]
	check "$type: skipped is only what cannot be done" honest "$type" "$json"
	check "$type: nothing left" empty .
done
finish
