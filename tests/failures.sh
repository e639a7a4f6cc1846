#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What goes wrong is counted exactly, named once, and costs the stage that it happens in, not the run. And with several
# workers: counts that must be equal, times that must not overlap.
# Alone: its windows are too short for workers that wait for a CPU.

. tests/lib.sh
need jq timeout

make_target tmpfs 512M

# run STATUS KEY,... [OPTION...]: in the target, results in $work/json; in a minute at most
run()
{
	local want=$1
	status "$want" timeout --foreground -k 10 60 \
		"$FSSTRESS_TEST" --target "$M" --seed 1 --json "$work/json" --test "${@:2}" &&
		sound "$work/json" && empty "$M"
}

# is KEY JQ VALUE
is()
{
	local got
	got=$(stage "$work/json" "$1" "$2")
	[ "$got" = "$3" ] && return 0
	echo "$1: $2 is '$got', not '$3'"
	return 1
}

# says FILE REGEX...
says()
{
	local regex
	for regex in "${@:2}"; do
		grep -qE -e "$regex" "$1" && continue
		echo "nothing like '$regex' in:"
		sed 's/^/  /' "$1"
		return 1
	done
}

timed="--nr-threads 2 --timeout 0.3 --unlink-files 64"

# --- errors that are tolerated: the k-th attempt fails, so N successes take (N - 1) / (k - 1) failures

tolerated()
{
	run "$1" misbehave.tolerated --misbehave-at "$2" --ops 10000 --nr-threads "$3"
	is misbehave.tolerated .errors.EAGAIN $((9999 / ($2 - 1) * $3)) &&
		is misbehave.tolerated '[.worker_detail[].ops] | unique | join(",")' 10000
}

check "one in 200 fails: counted exactly" tolerated 0 200 1
check "the same with two workers" tolerated 0 200 2
check "just below 1 %: passed" tolerated 0 101 1
check "passed" is misbehave.tolerated .status passed
check "just above 1 %: failed" tolerated 1 99 1
check "failed" is misbehave.tolerated .status failed
check "the reason names the share and the errno" says "$work/out" '1\.0 %.* 10102 .*EAGAIN'

# --- an error that is not

check "an unexpected error ends the stage, and the run with 1" \
	run 1 misbehave.fail,unlink --misbehave-at 777 --ops 2000 --nr-threads 1 --unlink-files 64
check "at the first: after 776 ops" is misbehave.fail '.ops, .worker_detail[0].ops' $'776\n776'
check "with its errno" is misbehave.fail '"\(.errno) \(.errno_name)"' "5 EIO"
check "no rate" is misbehave.fail .ops_per_sec null
check "the table says where it stopped, and why" \
	says "$work/out" '^ *misbehave\.fail +1 +776 +- .*failed: op: .*EIO.*worker 0'
check "once in the table, once on stderr" \
	[ "$(grep -c EIO "$work/out" "$work/err" | cut -d : -f 2 | paste -sd +)" = 1+1 ]
check "the next stage runs" is unlink '"\(.status) \(.ops)"' "passed 2000"
# shellcheck disable=SC2086
check "the same in a timed run" run 1 misbehave.fail,unlink $timed
check "failed" is misbehave.fail '"\(.status) \(.errno_name)"' "failed EIO"
check "the next stage runs" is unlink .status passed

# --- a crash, which no sanitizer is to make an exit of

export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0
for workers in thread process; do
	# shellcheck disable=SC2086
	check "a crash of a $workers" run 1 misbehave.crash,unlink $timed --workers $workers
	check "is a failure of that stage" is misbehave.crash '"\(.status) \(.ops_per_sec)"' "failed null"
	check "named by its signal" says "$work/out" 'misbehave\.crash .*failed: .*signal 11 \(Segmentation fault\)'
	check "the next stage runs" is unlink .status passed
	check "the same with --ops" \
		run 1 misbehave.crash,unlink --ops 3000 --nr-threads 2 --unlink-files 64 --workers $workers
	check "failed, and the next stage runs" is unlink .status passed
done

# --- a hang

# shellcheck disable=SC2086
check "a hang: not trustworthy" run 5 misbehave.hang,unlink $timed
check "that stage is incomplete, without a rate" is misbehave.hang '"\(.status) \(.ops_per_sec)"' "incomplete null"
check "the report says which worker, in what" says "$work/out" \
	"misbehave\\.hang .*incomplete: worker [01] \\(tid [0-9]+\\).* in run .*state S"
check "at once, for each worker" says "$work/err" 'misbehave\.hang: worker 0 \(tid ' 'misbehave\.hang: worker 1 \(tid '
[ "$(cat /proc/self/wchan 2>/dev/null)" = "" ] || [ "$(id -u)" != 0 ] ||
	check "and where it waits" says "$work/err" 'wchan .*pause'
check "the tid is the worker's" \
	is misbehave.hang '(.worker_detail[0].tid | tostring) as $tid | .reason | test("tid \($tid)\\b")' true
check "the next stage runs" is unlink .status passed

# --- a set-up that fails, one that hangs, and a target that goes away

# shellcheck disable=SC2086
check "a worker's set-up fails while another's hangs" run 1 misbehave.stuck,unlink $timed
check "the first failure is the reason" is misbehave.stuck '"\(.status) \(.errno_name)"' "failed EIO"
check "the one that hangs is named" says "$work/err" 'misbehave\.stuck: worker 1 \(tid [0-9]+\) .* in setup for '
check "well before a minute is over" is misbehave.stuck '.time.wall_s < 20' true
check "the next stage runs" is unlink .status passed
check "nobody waits for a leader that has failed" \
	run 1 misbehave.stuck --nr-threads 2 --timeout 0.3 --share file
check "failed at once" is misbehave.stuck.file '"\(.errno_name) \(.time.wall_s < 4)"' "EIO true"

# A lazy unmount leaves the first stage its files, and the second one an empty directory.
unmounted()
{
	mkdir "$work/away"
	mount -t tmpfs away "$work/away" || return
	mounts+=("$work/away")
	"$FSSTRESS_TEST" --target "$work/away" --test unlink,misbehave.tolerated --nr-threads 2 --timeout 2 \
		--json "$work/json" >"$work/out" 2>"$work/err" &
	sleep 1.5
	umount -l "$work/away"
	unset 'mounts[-1]'
	wait $!
	[ $? = 1 ] && empty "$work/away"
}

if [ "$(id -u)" = 0 ]; then
	check "the target is unmounted during the run" unmounted
	check "nothing runs on what lies below" is misbehave.tolerated '"\(.status) \(.errno_name)"' "failed ESTALE"
fi

# SIGTERM to the stage process alone: it is not the one to be asked.
stage_termed()
{
	local pid stage
	"$FSSTRESS_TEST" --target "$M" --test unlink --nr-threads 2 --timeout 2 --json "$work/json" \
		>"$work/out" 2>"$work/err" &
	pid=$!
	sleep 1.2
	for stage in $(cat "/proc/$pid/task/$pid/children"); do
		kill -TERM "$stage"
	done
	wait $pid
}

check "a signal to a stage's process does not end it" stage_termed
check "passed" is unlink .status passed

# --- nothing done, nothing to do

# shellcheck disable=SC2086
check "no progress" run 1 misbehave.idle,unlink $timed
check "no op, no rate" is misbehave.idle '"\(.status) \(.ops) \(.ops_per_sec)"' "no-progress 0 null"
check "is never called a success" [ "$(grep -ciE 'success|misbehave.idle .*passed' "$work/out")" = 0 ]
check "the next stage runs" is unlink .status passed

check "all skipped: 4" run 4 misbehave.skip --timeout 0.3
# shellcheck disable=SC2086
check "skipped beside a passed stage: 0" run 0 misbehave.skip,unlink $timed
check "with a reason and an errno" is misbehave.skip '"\(.status) \(.errno_name)"' "skipped EOPNOTSUPP"
# shellcheck disable=SC2086
check "with --strict: 5" run 5 misbehave.skip,unlink $timed --strict

# shellcheck disable=SC2086
check "what verify finds is a failure" run 1 misbehave.mismatch,unlink $timed --verify
check "that keeps its ops, but has no rate" \
	is misbehave.mismatch '"\(.status) \(.ops > 0) \(.ops_per_sec)"' "failed true null"
check "and says what differs" says "$work/out" 'misbehave\.mismatch .*failed: verify: byte 17 is 3, should be 4'
# shellcheck disable=SC2086
check "without --verify nobody looks" run 0 misbehave.mismatch,unlink $timed

# shellcheck disable=SC2086
check "what does not fit is refused" status 3 "$FSSTRESS_TEST" --target "$M" --test misbehave.huge,unlink $timed
check "in one line" one_line "$work/err" "misbehave.huge: needs 2048 TiB for 2 worker(s)"
check "nothing is printed" [ ! -s "$work/out" ]
check "nothing is left" empty "$M"

# --- all statuses in one run, and their sum

# shellcheck disable=SC2086
check "failed wins over incomplete and skipped" \
	run 1 misbehave.fail,misbehave.hang,misbehave.idle,misbehave.skip,unlink $timed
check "each status once" [ "[5,1,1,1,1,1]" = \
	"$(jq -c '[.planned, .passed, .skipped, .failed, .no_progress, .incomplete]' "$work/json")" ]

# --- rounds: all fill, run together, drain. No fill begins, and no drain ends, while a neighbour is timed

rounds_apart()
{
	jq -e --arg key "$1" '
		.stages[] | select(.key == $key) | [.worker_detail[].rounds] as $workers
		| all($workers[]; length >= 3 and all(.[]; .[0] <= .[1] and .[1] < .[2] and .[2] <= .[3]))
		and all(range($workers | length) as $i | range($workers | length) as $j | select($i != $j)
			| $workers[$i][] as $mine | $workers[$j][] | [$mine, .];
			(.[0][0] > .[1][1] and .[0][0] < .[1][2] or .[0][3] > .[1][1] and .[0][3] < .[1][2]) | not)' \
		"$work/rounds" >/dev/null
}

# The same seen from outside: the calls of a fill, in a trace with times, against everybody's time on the clock.
traced_apart()
{
	awk '
	FNR == 1 { tasks++; on = 0 }
	$2 ~ /^prctl\(PR_SET_NAME,$/ && $3 ~ /^"fss:/ { on = $1; next }
	$2 ~ /^prctl\(PR_SET_NAME,$/ && $3 ~ /^"fso:/ {
		if (on) { n++; from[n] = on; to[n] = $1; of[n] = tasks }
		on = 0
		next
	}
	!on && $2 ~ /^(openat|unlinkat)\(/ && /"[0-9]/ { m++; at[m] = $1; by[m] = tasks }
	END {
		for (i = 1; i <= m; i++) {
			for (j = 1; j <= n; j++) {
				if (by[i] != of[j] && at[i] > from[j] && at[i] < to[j])
					bad++
			}
		}
		print m " calls of fills and drains, " n " times on the clock, " bad + 0 " meetings"
		exit bad || m < 100 || n < 8
	}' "$@"
}

check "rounds of four workers" status 0 "$FSSTRESS_TEST" --target "$M" --test unlink,fallocate.alloc --nr-threads 4 \
	--timeout 1 --fallocate-bytes 16M --json "$work/rounds"
check "unlink: nobody fills or drains while another is timed" rounds_apart unlink
check "fallocate.alloc: the same" rounds_apart fallocate.alloc
if command -v strace >/dev/null; then
	check "rounds under strace" status 0 leaky strace -ff -qq -ttt -o "$work/task" "$FSSTRESS_TEST" --target "$M" \
		--test unlink --nr-threads 4 --ops 500 --unlink-files 100 --json "$work/rounds"
	# shellcheck disable=SC2046
	check "the trace says the same" traced_apart \
		$(jq -r --arg task "$work/task" '.stages[0].worker_detail[] | "\($task).\(.tid)"' "$work/rounds")
fi

# --- counts that must be equal

check "lease.break, four workers" run 0 lease.break --nr-threads 4 --ops 25000
check "breaks, signals and ops are one number" \
	is lease.break '"\(.ops) \(.metrics.breaks.value) \(.metrics.sigios.value)"' "100000 100000 100000"
finish
