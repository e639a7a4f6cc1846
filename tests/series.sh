#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# series.sh - slices add up, latencies and the reference are there, and what held the workers up is seen: a hog on one
# CPU, a worker that was stopped, a stage that was stopped
# Alone: what held workers up is to be what it did to them.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need jq
make_target ext4
cd "$M" || exit
run=("$FSSTRESS" --settle 0 --quiet --json "$work/json")
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# each FILTER: true of every stage
each()
{
	jq -e ".stages | length > 0 and all(.[]; $1)" "$work/json" >/dev/null && return 0
	echo "not so: $1"
	jq -c '.stages[] | [.key, .workers, .status, .reason, .ops, .fairness, .cpu_s, .warnings]' "$work/json"
	return 1
}

# warned TEXT: in every stage
warned()
{
	each "any(.warnings[]; contains(\"$1\"))"
}

sums='[.slices.workers[] | map(.[1]) | add]'
for kind in thread process; do
	check "slices, $kind" status 0 "${run[@]}" --timeout 1 --workers $kind --nr-threads 1,2 \
		--test lease,fallocate.alloc,fallocate.alloc.fsync
	check "... add up to the ops of each worker" each "$sums == [.worker_detail[].ops]"
	check "... and to all ops" each "($sums | add) == .ops"
	check "... their times to the window" each \
		'.time.measured_s as $s | all(.slices.workers[]; (map(.[0]) | add) / 1e9 - $s | fabs < 1e-6)'
	check "... at most 512 a worker, all in order" each \
		'all(.slices.workers[]; length <= 513 and all(.[]; .[0] > 0 and .[1] >= 0 and .[2] <= .[0]))'
	check "... an interval around it, or none" each \
		'.ops_per_sec as $r | .ci95 == null or (.ci95.low <= $r and .ci95.high >= $r)'
	check "... latencies of ops at random" each \
		'.latency_ns | .samples > 0 and .max >= .min and (.p50 == null or .p50 >= .min)'
done

check "--latency all" status 0 "${run[@]}" --timeout 1 --nr-threads 1 --test lease --latency all
check "... nearly every op" each '.latency_ns.samples / .ops | . > 0.98 and . < 1.02'
check "... every op is in a cell" each '([.latency_ns.histogram[][1]] | add) == .latency_ns.samples'
check "--latency off" status 0 "${run[@]}" --timeout 0.5 --nr-threads 1 --test lease --latency off
check "... none" each '.latency_ns == null'
check "--ops" status 0 "${run[@]}" --ops 1000 --nr-threads 1 --test lease
check "... no slices, but latencies" each '.slices == null and .ci95 == null and .latency_ns.samples > 0'

check "--rate" status 0 "${run[@]}" --timeout 1 --rate 200 --nr-threads 1 --test lease
check "... that many" each '.ops >= 100 and .ops <= 210'
check "... response times beside service times" each '.response_ns.samples > 50 and .latency_ns.samples > 50'
check "... a response includes the service" each '.response_ns.mean >= .latency_ns.mean'

for kind in spin syscall; do
	check "--ref $kind" status 0 "${run[@]}" --timeout 1 --nr-threads 1 --test lease --ref $kind
	check "... its rate, and the one adjusted by it" each \
		".reference | .kind == \"$kind\" and .ops_per_sec > 0 and .adjusted_ops_per_sec > 0"
	check "... at most 2 % of the window, when the CPU is ours" each \
		'.time.duty > 0.97 or .cpu_s.run_queue_wait > 0.01'
done
check "--ref none" status 0 "${run[@]}" --timeout 0.5 --nr-threads 1 --test lease --ref none
check "... none" each '.reference == null and .time.duty == 1'
check "... then the series adds up to the ops as well" each \
	'(.slices | (.ops_per_sec | add) * .step_s) / .ops - 1 | fabs < 1e-6'

# A hog on the CPU of the first of two workers for half of the window.
if [ "$(nproc)" -ge 2 ]; then
	(sleep 1; exec timeout 2 taskset -c "$cpu" sh -c 'while :; do :; done') &
	background+=("$!")
	check "a hog on one CPU" status 0 "${run[@]}" --timeout 3 --nr-threads 2 --ref none --test lease
	check "... shows in the waits" warned "waited for a CPU"
	check "... of that worker" each '.worker_detail | .[0].wait_s > 0.3 and .[0].wait_s > .[1].wait_s'
	check "... in the fairness" each '.fairness < 0.9'
	wait
fi

# stopped WHICH COMMAND...: a worker process (worker), or its parent (stage), is stopped for a second within the window
stopped()
{
	local which=$1 pid='' run_pid i
	shift
	"$@" >"$work/out" 2>"$work/err" &
	run_pid=$!
	background+=("$run_pid")
	# The trial before it is over within a second.
	sleep 1.5
	for ((i = 0; i < 100; i++)); do
		pid=$(pgrep -P "$run_pid" | head -n 1)
		[ "$which" = stage ] || pid=$(pgrep -P "${pid:-0}" -x fss:lease)
		[ -n "$pid" ] && break
		sleep 0.05
	done
	kill -STOP "$pid" && sleep 1 && kill -CONT "$pid"
	wait "$run_pid"
}

check "a worker that is stopped" stopped worker "${run[@]}" --timeout 4 --nr-threads 1 --workers process --test lease
check "... is named" warned "ended no op for"
check "... measured_s is the real one" each '.time.measured_s | . > 3.9 and . < 4.4'
check "a stage that is stopped" stopped stage "${run[@]}" --timeout 4 --nr-threads 1 --test lease
check "... is seen" warned "ended no op for"
check "strict JSON" sound "$work/json" passed
check "nothing is left" empty .
finish
