#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults.sh - errors injected into the calls of a run, a target that goes away under it, a device
# that dies: one clear reason, no rate, and nothing left where anything can be removed
# Alone: some things happen a second after a run has begun, whatever it has come to.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
need jq strace xfs_io
make_fs tmpfs 600M
cd "$M" || exit
run=("$FSSTRESS" --nr-threads 1 --ops 2000 --settle 0)

# inject CALL HOW COMMAND...: strace makes a call of the run end as it is told
inject()
{
	local call=$1 how=$2
	shift 2
	leaky strace -f -o /dev/null -e trace="$call" -e inject="$call:$how" "$@"
}

# failed KEY ERRNO: in $work/json that stage failed with that errno, without a rate, and the table
# says why, once
failed()
{
	check "$1 failed" [ \
		"$(stage "$work/json" "$1" '[.status, .errno_name, .ops_per_sec] | join(" ")')" = \
		"failed $2 " ]
	check "$1: results" sound "$work/json"
	check "$1: the table says why, once" [ \
		"$(grep -c "^  $1 .* - .*failed: .*($2)" "$work/out")" = 1 ]
}

check "EIO in the 500th op" status 1 inject fallocate error=EIO:when=500+ "${run[@]}" --test \
	fallocate,lease --metrics-brief \
	--json "$work/json"
failed fallocate.alloc EIO
hold "what was done before it is counted" "$(stage "$work/json" fallocate.alloc .ops)" == 499
check "the next stage passed" [ "$(stage "$work/json" lease.cycle .status)" = passed ]
check "stress-ng's table alone says 0.00" grep -qE \
	'metrc:.* fallocate\.alloc +0( +[0-9.]+){3} +0\.00 +0\.00$' "$work/out"
check "nothing left" empty .

check "EIO: --lkp" status 1 inject fallocate error=EIO:when=500+ "${run[@]}" --test \
	fallocate,lease --lkp
check "EIO: lkp sees the failure" grep -qx 'fallocate.alloc.fail: 1' "$work/out"
check "EIO: and no rate" [ "$(grep -c fallocate.alloc.ops "$work/out")" = 0 ]

check "ENOSPC" status 1 inject fallocate error=ENOSPC:when=500+ "${run[@]}" --test fallocate \
	--json "$work/json"
failed fallocate.alloc ENOSPC
check "a short write" status 1 inject pwrite64 retval=100:when=500+ "${run[@]}" --test revio \
	--json "$work/json"
failed revio.sparse EIO
check "EIO in the fill" status 1 inject ftruncate error=EIO:when=6+ "${run[@]}" --test revio \
	--json "$work/json" --revio-bytes 64K
failed revio.sparse EIO
check "never supported" status 4 inject fallocate error=EOPNOTSUPP:when=1+ "${run[@]}" --test \
	fallocate --json "$work/json"
check "is skipped" [ "$(stage "$work/json" fallocate.alloc '[.status, .errno_name] | join(" ")')" \
	= "skipped EOPNOTSUPP" ]
check "supported at first" status 1 inject fallocate error=EOPNOTSUPP:when=500+ "${run[@]}" --test \
	fallocate --json "$work/json"
failed fallocate.alloc EOPNOTSUPP
check "nothing left" empty .
check "no directory can be made" status 3 inject mkdirat error=EDQUOT:when=1+ "${run[@]}" --test \
	lease
check "one line" one_line "$work/err" EDQUOT

# after SECONDS COMMAND...: in the background, for the run that follows
after()
{
	local seconds=$1
	shift
	(sleep "$seconds"; exec "$@") &
	background+=($!)
}

says_left()
{
	grep -q "warning: fsstress\..* is left in the target" "$work/err" && return 0
	sed 's/^/  err: /' "$work/err"
	ls -lA "$M"
	return 1
}

long=("$FSSTRESS" --nr-threads 1 --timeout 1.5 --warmup 0.2 --settle 0)
mkdir gone
after 1 rm -rf gone
check "the target is removed" status 1 "${long[@]}" --target gone --test lease,revio --json \
	"$work/json"
failed lease.cycle ENOENT
failed revio.sparse ENOENT
check "nothing left" empty .
mkdir gone
cd gone || exit
after 1 rm -rf ../gone
check "the current directory is removed" status 1 "${long[@]}" --test lease,revio --json \
	"$work/json"
failed lease.cycle ENOENT
failed revio.sparse ENOENT
cd ..
check "nothing left" empty .
after 1 sh -c 'rm -rf fsstress.*'
check "the work directory is removed" status 1 "${long[@]}" --test lease,revio --json "$work/json"
failed lease.cycle ENOENT
check "the next stage makes another" [ "$(stage "$work/json" revio.sparse .status)" = passed ]
check "nothing left" empty .

make_fs ext4 256M
cd / || exit
after 1 xfs_io -x -c shutdown "$M"
check "the filesystem is shut down" status 1 "${long[@]}" --target "$M" --test fallocate,lease \
	--json "$work/json"
failed fallocate.alloc EIO
failed lease.cycle EIO
check "what is left is named" says_left
umount "$M" && mount -o loop "$M.image" "$M"
check "clean removes it" status 0 "$FSSTRESS" clean --target "$M"
check "nothing left" empty "$M"
finish
