#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# regime.sh - what ops cost device, log and filesystem, on mounts where that is known beforehand
# Alone: shares of time are asserted.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
need jq

# run OPTION...: one worker on $M; the result is left in $work/json
run()
{
	status 0 "$FSSTRESS" --target "$M" --nr-threads 1 --quiet --json "$work/json" "$@"
}

# of KEY JQ: what the last run says
of()
{
	stage "$work/json" "$@"
}

# is WHAT KEY JQ VALUE
is()
{
	check "$1" [ "$(of "$2" "$3")" = "$4" ]
}

fsync=(--test fallocate.alloc.fsync --ops 150)
log=fallocate.alloc.fsync

# An ext4 for each run that looks at the bytes logged: their average since the mount says less with each commit.
make_fs ext4 1G -J size=64
check "ext4: calls that end in memory" run --test fiemap.warm,lease.cycle --timeout 0.5
is "... fiemap" fiemap.warm .regime memory
is "... lease" lease.cycle .regime memory
is "... and no transaction" fiemap.warm .fs_counters.jbd2_transactions 0
is "... nothing logged" fiemap.warm .log_bytes_per_op 0
check "the size of the journal" [ "$(jq .target.log_bytes "$work/json")" = $((64 << 20)) ]
device=/sys/dev/block/$(mountpoint -d "$M")
read -ra before <"$device/stat"
check "ext4: fsync" run "${fsync[@]}"
read -ra after <"$device/stat"
is "... is the log" $log .regime log
hold "... a transaction each" "$(of $log .fs_counters.jbd2_transactions)" '>=' 149
hold "... in at least a descriptor, a block and a commit record" "$(of $log .log_bytes_per_op)" '>=' $((3 * 4096))
hold "... no more than what was written" "$(of $log .log_bytes_per_op)" '<=' \
	"$(of $log .device_io.per_op.write_bytes)"
hold "... flushed" "$(of $log .device_io.per_op.flushes)" '>=' 0.99
hold "... as long as all requests took" "$(of $log '.device_io.queue_s * 1000')" '>=' \
	$(((after[10] - before[10]) * 8 / 10))
hold "... and the flushes" "$(of $log '.device_io.flush_s * 1000')" '>=' $(((after[16] - before[16]) * 8 / 10))
is "... turnover is by the size" $log \
	'(.fs_counters.jbd2_logged_bytes / .log_turnover / 1048576 | round)' 64
is "... an op's share is a share" $log \
	'(.ops * .device_io.per_op.writes | round) == .device_io.writes' true
make_fs ext4
check "... in the table" status 0 "$FSSTRESS" --target "$M" --nr-threads 1 "${fsync[@]}"
check "... with its transactions" grep -qE ' [0-9.]+ logged bytes/op, .*jbd2 transactions/op' "$work/out"
make_fs ext4
check "... for lkp" status 0 "$FSSTRESS" --target "$M" --nr-threads 1 "${fsync[@]}" --lkp
check "... by the bytes" grep -qE "^$log.log_bytes_per_op: [0-9.]+$" "$work/out"

check "ext4: direct writes" run --test revio --revio-opts direct --timeout 1
is "... are the device" revio.sparse.direct .regime device
is "... with refills: bounds" revio.sparse.direct \
	'.time.duty < 1 and .device_io.per_op.upper_bound' true

writes=(--test revio --revio-opts fsync --revio-size 64K --ops 100)
logged=revio.sparse.fsync
make_fs ext4
check "ext4: data=ordered" run "${writes[@]}"
ordered=$(of $logged .log_bytes_per_op)
mount_options=data=journal make_fs ext4
check "ext4: data=journal" run "${writes[@]}"
hold "... logs the data as well" "$(of $logged ".log_bytes_per_op - $ordered")" '>' 50000
mount_options=barrier=0 make_fs ext4
check "ext4: barrier=0" run "${fsync[@]}"
is "... flushes nothing" $log .device_io.flushes 0
is "... and takes no time for it" $log .device_io.flush_s 0
hold "... and logs as before" "$(of $log .log_bytes_per_op)" '>=' $((3 * 4096))

stats=/sys/dev/block/$(mountpoint -d "$M")/queue/iostats
echo 0 >"$stats"
check "a device that counts nothing" run --test lease.cycle --ops 1000
echo 1 >"$stats"
is "... is not one that did nothing" lease.cycle '[.device_io, .regime] == [null, null]' true

make_fs ext4 1G -J size=4
check "a log that becomes full" run "${fsync[@]}"
hold "... nearly once" "$(of $log .log_turnover)" '>' 0.5
is "... is two regimes" $log .regime mixed
is "... with a warning" $log 'any(.warnings[]; test("two regimes"))' true

if kernel_has xfs; then
	make_fs xfs
	check "xfs: fsync" run "${fsync[@]}"
	is "... is the log" $log .regime log
	hold "... forced each time" "$(of $log .fs_counters.xfs_log_forces)" '>=' 149
	hold "... written each time" "$(of $log .fs_counters.xfs_log_writes)" '>=' 149
	hold "... by sectors" "$(of $log .fs_counters.xfs_log_bytes)" '>=' $((149 * 512))
	# The filesystem's counters are read just outside of the device's: a log write may lie between.
	is "... nothing else was written" $log '0.95 * .fs_counters.xfs_log_bytes <= .device_io.write_bytes' true
	size=$(xfs_info "$M" | sed -n 's/^log .*bsize=\([0-9]*\) *blocks=\([0-9]*\).*/\1 * \2/p')
	check "the size of the log" [ "$(jq .target.log_bytes "$work/json")" = $((size)) ]
fi
if kernel_has btrfs; then
	make_fs btrfs
	check "btrfs: fsync" run "${fsync[@]}"
	is "... is the log" $log .regime log
	is "... of no size" $log '[.log_bytes_per_op, .log_turnover] == [null, null]' true
	[ ! -e "$(echo /sys/fs/btrfs/*-*/commit_stats | cut -d' ' -f1)" ] ||
		is "... commits are counted" $log '.fs_counters.btrfs_commits | type' number
fi
make_fs tmpfs 600M
check "tmpfs: fsync" run "${fsync[@]}"
is "... is memory" $log .regime memory
is "... without counters" $log .fs_counters null
if kernel_has overlay; then
	make_fs overlay
	check "overlay: fsync" run "${fsync[@]}"
	is "... is not known" $log '[.device_io, .fs_counters, .regime] == [null, null, null]' true
fi
finish
