#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# window.sh - the window is the window: as long as asked for, nothing hidden between the parts of a
# stage, counts exact
# Alone: its times are to be the stage's own.
. "$(dirname "$0")/lib.sh"
need jq

cd "$work" || exit 1
# An ext4 of its own where that can be: a disk that others write to, too, may stall for a second.
make_target ext4
target=$M
ncpus=$(nproc)

# run STATUS PROGRAM OPTION...: the result is left in $work/json
run()
{
	local want=$1 program=$2
	shift 2
	status "$want" "$program" --target "$target" --quiet --json "$work/json" "$@"
}

# each FILTER: true of every stage
each()
{
	jq -e ".stages | length > 0 and all(.[]; $1)" "$work/json" >/dev/null && return 0
	echo "not so: $1"
	jq -c '.stages[] | [.key, .workers, .status, .reason, .ops, .ops_per_sec, .time, .warnings]' \
		"$work/json"
	return 1
}

# The same, again up to twice when others took the CPUs from us: times are judged by a run in peace.
in_peace()
{
	local i
	for i in 1 2 3; do
		run "$@" || return 1
		each "($in_time) and ($accounted)" >/dev/null && return 0
	done
}

parts='(.prepare_s + .settle_s + .warmup_s + .measured_s + .verify_s + .teardown_s)'
real='((.window.end.monotonic_ns - .window.start.monotonic_ns) / 1e9)'
in_time='.time.measured_s | . >= 0.99 and . <= 1.01'
accounted=".time | .wall_s - $parts | . >= -0.001 and . <= 0.2"
near='(. < 1e-6 and . > -1e-6)'

for kind in thread process; do
	check "1 s, as many workers as CPUs at most ($kind)" \
		in_peace 0 "$FSSTRESS" --timeout 1 --nr-threads 1,100% --workers $kind \
		--test lease.cycle,fiemap.warm,fallocate.alloc
	check "... measured_s is within 1 % of it" each "$in_time"
	check "... and the distance of the stamps of the window" \
		each ".time.measured_s - $real | $near"
	check "... the parts account for the wall time" \
		each "$accounted"
	check "... warm-up is 0.2 s, or that extended up to three times" \
		each '.time.warmup_s | . >= 0.199 and . <= 0.85'
	check "... the rate is ops by timed seconds" each \
		'.time as $t | .workers as $n | .ops / ($t.measured_s - $t.off_s / $n) / .ops_per_sec
		| . > 0.9 and . < 1.1'
	check "... duty is the timed share" each \
		'.time as $t | $t.duty - (1 - $t.off_s / (.workers * $t.measured_s)) | '"$near"
	check "... without warnings of the clock" \
		each 'all(.warnings[]; test("the window took") | not)'
done

check "verify and a short warm-up" \
	in_peace 0 "$FSSTRESS" --timeout 1 --warmup 0.3 --verify --nr-threads 1 --test fallocate.punch
check "... the parts account for the wall time" \
	each "$accounted"
check "... warm-up as asked for, or extended" each '.time.warmup_s | . >= 0.299 and . <= 1.25'

check "several together" run 0 "$FSSTRESS" --timeout 0.5 --all 1 --verify --class filesystem \
	--exclude fiemap,iomix
slow='.stages | map(select(.key == "fallocate.alloc"))[0].time.verify_s'
quick='.stages | map(select(.key == "lease.cycle"))[0].time.teardown_s'
check "... each has times of its own" jq -e "($quick) < ($slow)" "$work/json"

check "more workers than CPUs" run 0 "$FSSTRESS" --timeout 1 --nr-threads 1600% --test lease.cycle
check "... as many as asked for" each ".workers == $((16 * ncpus)) and .oversubscribed"
check "... measured_s is the real interval" each ".time.measured_s - $real | $near"
check "... at least as long as asked for" each '.time.measured_s >= 0.99'
check "... with a warning beyond 5 %" \
	each '(.time.measured_s > 1.05) == any(.warnings[]; test("the window took"))'

for workers in 1 $((4 * ncpus)); do
	tests=lease.cycle,fallocate.alloc,fallocate.punch
	[ "$workers" != 1 ] || tests+=,fiemap.warm,revio.sparse,iomix.mix
	check "--ops 2000, $workers worker(s)" \
		run 0 "$FSSTRESS" --ops 2000 --nr-threads "$workers" --warmup 5 --test $tests
	check "... exactly that many" \
		each '.ops == 2000 * .workers and all(.worker_detail[]; .ops == 2000)'
	check "... no warm-up" each '.time.warmup_s == 0 or .time.warmup_s == null'
	check "... measured from the release to the last one's end" \
		each ".time.measured_s > 0 and (.time.measured_s - $real | $near)"
	check "... with a rate" each '.ops_per_sec > 0'
done
check "--ops 2000, processes" \
	run 0 "$FSSTRESS" --ops 2000 --nr-threads 3 --workers process \
	--test lease.cycle,fallocate.alloc
check "... exactly that many" each '.ops == 6000 and all(.worker_detail[]; .ops == 2000)'

check "each seventh op fails tolerably" \
	run 0 "$FSSTRESS_TEST" --ops 2000 --nr-threads 3 \
	--test misbehave.tolerated --misbehave-at 150
check "... 2000 succeed" each '.ops == 6000 and all(.worker_detail[]; .ops == 2000)'
check "... 13 of each worker's tries are tallied" each '.errors == { "EAGAIN": 39 }'

check "nothing is left" empty "$target"
finish
