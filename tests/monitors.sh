#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# monitors.sh - what others see of a run: monitors, snapshots, marks in the trace buffer, perf
# Alone: how soon who is told to end has ended.
. "$(dirname "$0")/lib.sh"
need jq mkfifo

if [ "$(id -u)" = 0 ]; then
	make_fs ext4 512M
	target=$M
else
	target=$work/target
	mkdir "$target"
fi
mkdir "$work/results"
results=$work/results

# Of the runs: one worker of an op that leaves no doubt.
lease=(--test lease.cycle --nr-threads 1)
quick=("${lease[@]}" --timeout 1)

# run STATUS PROGRAM OPTION...: the result is left in $results/json
run()
{
	local want=$1 program=$2
	shift 2
	FSSTRESS_TEST_RUN=$work status "$want" "$program" --target "$target" --quiet --settle 0 \
		--json "$results/json" "$@"
}

# All live processes of the run but this test's own.
alive()
{
	grep -lsz "^FSSTRESS_TEST_RUN=$work\$" /proc/[0-9]*/environ | cut -d/ -f3
}

gone()
{
	local end=$((SECONDS + 2))
	while [ -n "$(alive)" ]; do
		[ $SECONDS -lt $end ] || { ps -o pid,args -p "$(alive | paste -sd,)"; return 1; }
		sleep 0.05
	done
}

within()
{
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

warned()
{
	jq -e --arg text "$1" 'any(.stages[].warnings[]; contains($text))' "$results/json" >/dev/null && return 0
	jq -c '.stages[].warnings' "$results/json"
	return 1
}

not_warned()
{
	! jq -r '.stages[].warnings[]' "$results/json" |
		grep -E "monitor|snapshot|perf-control|trace-marker"
}

# value FILE NAME: of NAME=VALUE
value()
{
	sed -n "s/^$2=//p" "$1"
}

# --- a monitor that nothing impresses: it takes its 12 s while other things are tried -------------

mkdir "$work/stubborn"
FSSTRESS_TEST_RUN=$work.stubborn "$FSSTRESS" --target "$target" "${quick[@]}" --settle 0 --quiet \
	--json "$work/stubborn/json" --monitor 'trap "" INT TERM; while :; do sleep 1; done' \
	>/dev/null 2>&1 &
stubborn=$!
background+=("$stubborn")

# --- monitors -------------------------------------------------------------------------------------

# The shell's own child is in the background, where a shell ignores SIGINT for it.
check "a monitor" run 0 "$FSSTRESS" --test lease.cycle --nr-threads 2 --timeout 1 --monitor \
	'env >%o.env; trap "date +%s%N >%o.told; kill \$!; exit" INT; sleep 100 & wait'
check "... is gone" gone
check "... and found nothing wrong with" not_warned
env=$results/lease.cycle.env
check "... knows the stage" [ "$(value "$env" FSS_STAGE)" = lease.cycle ]
check "... the workers" [ "$(value "$env" FSS_TIDS)" = \
	"$(stage "$results/json" lease.cycle '[.worker_detail[].tid] | join(",")')" ]
check "... the mount" [ "$(value "$env" FSS_MOUNT)" = "$(findmnt -nro TARGET -T "$target")" ]
[ "$(id -u)" != 0 ] ||
	check "... the device" [ "$(value "$env" FSS_DEV)" = "$(findmnt -nro SOURCE -T "$target")" ]
hold "... is told to end after the window" "$(cat "$results/lease.cycle.told")" '>' \
	"$(stage "$results/json" lease.cycle '.window.end.realtime_ns | tonumber')"

check "several, in several stages" run 0 "$FSSTRESS" --test lease.cycle --nr-threads 1,2 --timeout 1 \
	--monitor 'echo one >%o.one; exec sleep 100' --monitor 'echo two >%o.two; sleep 100 | sleep 100'
check "... have files of their own" [ "$(cd "$results" && echo *.one *.two)" = \
	"lease.cycle.w1.one lease.cycle.w2.one lease.cycle.w1.two lease.cycle.w2.two" ]
check "... are gone" gone
check "repetitions" run 0 "$FSSTRESS" "${quick[@]}" --repeat 2 --monitor 'echo >%o.run'
check "... have files of their own" \
	[ "$(cd "$results" && echo *.run)" = "lease.cycle.r1.run lease.cycle.r2.run" ]
check "all together" run 0 "$FSSTRESS" --class filesystem --with lease,fallocate.punch \
	--fallocate-bytes 1M --all 1 --timeout 1 --monitor 'env >%o.all'
check "... have one monitor" [ "$(cd "$results" && echo *.all)" = all.all ]
check "... that knows all workers" [ "$(value "$results/all.all" FSS_TIDS)" = \
	"$(jq -r '[.stages[].worker_detail[].tid] | join(",")' "$results/json")" ]
check "... of more than one stage" grep -q 'FSS_TIDS=.*,' "$results/all.all"
check "a run of --ops" run 0 "$FSSTRESS" "${lease[@]}" --ops 10 \
	--monitor 'echo up >%o.ops; exec sleep 100'
check "... waits for it to come up" [ -s "$results/lease.cycle.ops" ]

check "a shell that leaves somebody behind" run 0 "$FSSTRESS" "${quick[@]}" \
	--monitor 'env --default-signal=INT sleep 100 & exit 0'
check "... nobody is left, nothing is wrong" not_warned
check "..." gone
check "what fails is a warning" run 0 "$FSSTRESS" "${quick[@]}" \
	--monitor 'exit 7' --monitor /nonexistent --monitor 'exec sleep 100'
check "... with its status" warned "monitor 'exit 7' ended with status 7"
check "... also what cannot be run" warned "monitor '/nonexistent' ended with status 127"
check "... and is not trusted by --strict" \
	run 5 "$FSSTRESS" "${quick[@]}" --strict --monitor 'exit 7'
check "what it prints is no part of ours" status 0 "$FSSTRESS" --target "$target" "${quick[@]}" \
	--settle 0 --json - --monitor 'echo it prints'
check "..." jq -e '.stages[0].status == "passed"' "$work/out" >"$work/jq"
check "... it is on stderr" grep -qx "it prints" "$work/err"

# started OPTION...: in the background, when its monitor is up
started()
{
	rm -f "$results"/*.up
	FSSTRESS_TEST_RUN=$work "$FSSTRESS" --settle 0 --quiet --timeout 100 --warmup 0.2 --json "$results/json" \
		--monitor 'sleep 100 | sleep 100 & echo up >%o.up; exec sleep 100' "$@" >/dev/null 2>"$work/err" &
	pid=$!
	background+=("$pid")
	within 30 up && [ "$(alive | wc -l)" -ge 5 ]
}

up()
{
	[ -n "$(find "$results" -name '*.up')" ]
}

if [ "$(id -u)" = 0 ]; then
	disk=(--disk "loop:256M,dir=$work" --fs ext4 --test fallocate.punch --fallocate-bytes 1M --nr-threads 1)
	no_loops()
	{
		! grep -qs "$work/.*(deleted)" /sys/block/loop*/loop/backing_file
	}
	# shellcheck disable=SC2016 # for the monitor
	see='echo $FSS_DEV >%o.dev; ls $FSS_MOUNT >%o.ls; readlink /proc/self/ns/mnt >%o.ns; exec sleep 100'
	check "beside a disk of ours" status 0 env FSSTRESS_TEST_RUN="$work" "$FSSTRESS" "${disk[@]}" --timeout 1 \
		--settle 0 --quiet --json "$results/disk.json" --monitor "$see"
	check "... it sees the files" grep -q lost+found "$results/fallocate.punch.ls"
	check "... and the device" grep -q '^/dev/loop' "$results/fallocate.punch.dev"
	check "... but is where the user is" \
		[ "$(cat "$results/fallocate.punch.ns")" = "$(readlink /proc/self/ns/mnt)" ]
	check "... is gone" gone
	check "killed beside a disk of ours: runs" started "${disk[@]}" --monitor 'setsid -f sleep 10'
	check "... there is a disk" eval '! no_loops'
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	check "... who has left the group lives on, and the disk does not" within 2 no_loops
	check "..." [ "$(alive | wc -l)" = 1 ]
	kill "$(alive)"
	check "... is gone" gone
fi

here=(--target "$target" "${lease[@]}")
check "killed: runs" started "${here[@]}"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "killed: the monitor is gone, with all that it has started" gone
check "killed: the rest, too" status 0 "$FSSTRESS" clean --target "$target"
check "interrupted: runs" started "${here[@]}" --snapshot /proc/uptime
kill -INT "$pid"
wait "$pid"
check "interrupted: exit status" [ $? = 130 ]
check "interrupted: the monitor is gone" gone
check "killed by a second signal: runs" \
	started "${here[@]}" --monitor 'trap "" INT TERM; while :; do sleep 1; done'
kill -INT "$pid"
sleep 0.5
kill -INT "$pid"
wait "$pid"
check "killed by a second signal: exit status" [ $? = 130 ]
check "killed by a second signal: the monitor is gone" gone
"$FSSTRESS" clean --target "$target" --quiet
check "nothing is left" empty "$target"

# --- snapshots ------------------------------------------------------------------------------------

rm -f "$results"/*
check "snapshots" run 0 "$FSSTRESS" --test lease.cycle --nr-threads 1,2 --timeout 1 \
	--snapshot /proc/uptime --snapshot /proc/vmstat
check "... are pairs" [ "$(cd "$results" && echo *uptime*)" = "lease.cycle.w1.proc_uptime.begin \
lease.cycle.w1.proc_uptime.end lease.cycle.w2.proc_uptime.begin lease.cycle.w2.proc_uptime.end" ]
hold "... around the window" \
	"$(cat "$results"/lease.cycle.w1.proc_uptime.{begin,end} | awk '{ print x = $1 - x }' | tail -n 1)" \
	'>=' "$(jq '.stages[0].time.measured_s - 0.02' "$results/json")"
check "... whole" diff <(cut -d' ' -f1 "$results/lease.cycle.w1.proc_vmstat.end") <(cut -d' ' -f1 /proc/vmstat)
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/full"
	mount -t tmpfs -o size=4k none "$work/full" || exit 1
	mounts+=("$work/full")
	echo >"$work/full/taken"
	check "a full disk" status 0 env -C "$work/full" "$FSSTRESS" --target "$target" "${quick[@]}" \
		--settle 0 --snapshot /proc/vmstat
	check "... is a warning" grep -q "warning: .*--snapshot /proc/vmstat: output: No space" "$work/out" "$work/err"
	check "... and leaves no half" [ "$(ls "$work/full")" = taken ]
fi

# --- the trace buffer -----------------------------------------------------------------------------

tracing=/sys/kernel/tracing
if [ "$(id -u)" = 0 ] && [ -w $tracing/trace_marker ] && [ "$(cat $tracing/tracing_on)" = 1 ]; then
	echo "fsstress-test $work" >$tracing/trace_marker
	check "marks" run 0 "$FSSTRESS_TEST" --test unlink --nr-threads 2 --timeout 1 --trace-marker
	# Only what this run has written: of its own directory's name on.
	sed "1,/fsstress-test ${work//\//\\/}/d" $tracing/trace | sed -n 's/.*: fsstress unlink //p' >"$work/marks"
	check "... of the window, once each" \
		[ "$(grep window "$work/marks" | paste -sd,)" = "window begin,window end" ]
	check "... of rounds inside" \
		[ "$(sed -n '/window begin/,/window end/p' "$work/marks" | grep -c 'round .* begin')" -gt 1 ]
	check "... in the order of time, each round once" diff \
		<(grep round "$work/marks" | sed '$!b; / begin/d') \
		<(awk -v n="$(grep -c 'round .* end' "$work/marks")" \
		'BEGIN { for (i = 1; i <= n; i++) print "round " i " begin\nround " i " end" }')
	check "without them there are none" run 0 "$FSSTRESS" "${quick[@]}"
	check "..." [ "$(sed "1,/fsstress-test ${work//\//\\/}/d" $tracing/trace | grep -c 'fsstress lease')" = 0 ]
else
	echo "no trace buffer that is on and may be written: marks are not tested"
fi
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	check "no tracefs: refused" status 3 unshare -m sh -c 'mount --make-rprivate / &&
		mount -t tmpfs none /sys/kernel && exec "$@" --trace-marker' - \
		"$FSSTRESS" --target "$target" "${quick[@]}"
	check "... with one line" one_line "$work/err" "--trace-marker: /sys/kernel/tracing/trace_marker: "
	check "... and nothing made" empty "$target"
fi

# --- somebody who does as perf does ---------------------------------------------------------------

ctl=$work/ctl
ack=$work/ack
mkfifo "$ctl" "$ack"
told=(--perf-control "$ctl,$ack")
rounds=(--test unlink --nr-threads 2)

check "nobody reads the FIFO: refused" run 3 "$FSSTRESS" "${quick[@]}" "${told[@]}"
check "... with one line" one_line "$work/err" "nobody reads it; start perf first"
check "... and nothing made" empty "$target"

# fake [N]: reads and answers, N commands; what it was told is left in $work/told
fake()
{
	: >"$work/told"
	(
		exec 8<>"$ctl" 9<>"$ack"
		for ((i = 0; i < ${1:-100000}; i++)); do
			IFS= read -r line <&8
			echo "$line" >>"$work/told"
			printf 'ack\n\0' >&9
		done
	) &
	perf=$!
	background+=("$perf")
	within 10 reads "$perf"
}

# Whether a process has both ends open.
reads()
{
	[ /proc/"$1"/fd/9 -ef "$ack" ]
}

fake
check "perf records the window" run 0 "$FSSTRESS" "${quick[@]}" "${told[@]}"
check "... and no more" [ "$(paste -sd, "$work/told")" = ping,enable,disable ]
check "... which is all right" not_warned
: >"$work/told"
check "perf records rounds" run 0 "$FSSTRESS_TEST" "${rounds[@]}" --timeout 1 "${told[@]}"
uniq -c <"$work/told" | awk '$2 != "ping" { print $1, $2 }' >"$work/turns"
check "... several" [ "$(grep -c enable "$work/turns")" -gt 1 ]
check "... never enabled twice" [ -z "$(awk '$2 == "enable" && $1 > 1' "$work/turns")" ]
check "... paused at the end" [ "$(tail -n 1 "$work/told")" = disable ]
: >"$work/told"
check "of processes that count their ops" run 0 "$FSSTRESS_TEST" "${rounds[@]}" --unlink-files 64 \
	--workers process --ops 256 "${told[@]}"
check "... each round" [ "$(grep -c enable "$work/told")" -ge 4 ]
kill -KILL "$perf"
wait "$perf" 2>/dev/null

fake 1
check "perf that dies before the window" run 0 "$FSSTRESS" "${quick[@]}" "${told[@]}"
check "... is a warning" warned "perf has gone: the profile is not of the window"
wait "$perf"
fake 4
check "perf that dies between rounds" run 0 "$FSSTRESS_TEST" "${rounds[@]}" --timeout 1 "${told[@]}"
check "... is a warning" warned "--perf-control: perf "
wait "$perf"
sleep 100 8<>"$ctl" 9<>"$ack" &
perf=$!
background+=("$perf")
within 10 reads "$perf"
check "perf that does not answer: refused" run 3 "$FSSTRESS" "${quick[@]}" "${told[@]}"
check "... with one line" one_line "$work/err" "perf does not answer within 1 s"
kill "$perf"

# --- perf itself ----------------------------------------------------------------------------------

# profile OPTION... -- PROGRAM OPTION...: "COMM symbol symbol..." of each sample is left in $work/samples
profile()
{
	local how=()
	while [ "$1" != -- ]; do how+=("$1"); shift; done
	shift
	perf record -q -e cpu-clock -F 1999 -g -o "$work/perf.data" "${how[@]}" -- \
		"$@" --target "$target" --quiet --settle 0 >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
	perf script -i "$work/perf.data" -F comm,ip,sym 2>/dev/null |
		awk '/^[^ \t]/ { if (s) print s; s = $1; next } NF { s = s " " $2 } END { if (s) print s }' \
		>"$work/samples"
}

# Others may see user space alone, where these ops spend no time.
if [ "$(id -u)" = 0 ] && perf record -q -e cpu-clock -o "$work/perf.data" true >/dev/null 2>&1; then
	control=(-D -1 "--control=fifo:$ctl,$ack")
	check "perf record" profile "${control[@]}" -- "$FSSTRESS" "${lease[@]}" --timeout 1 "${told[@]}"
	check "... has the op" [ "$(grep -c '^fss:lease.* lease_cycle_run' "$work/samples")" -gt 10 ]
	# The supervisor goes to sleep and wakes up.
	check "... and the op alone" [ -z "$(grep -vE '^(fss:lease|fsstress) ' "$work/samples")" ]
	check "perf record of everything" profile -- "$FSSTRESS_TEST" "${rounds[@]}" --timeout 1
	check "... has the fill" grep -q '^fso:unlink .*open' "$work/samples"
	check "perf record of rounds" profile "${control[@]}" -- \
		"$FSSTRESS_TEST" "${rounds[@]}" --timeout 1 "${told[@]}"
	check "... has the op" [ "$(grep -c '^fss:unlink .*unlinkat' "$work/samples")" -gt 10 ]
	check "... and no fill, which opens" [ -z "$(grep '^fs[so]:unlink .*open' "$work/samples")" ]
else
	echo "no perf that can record here, or not root: only the one of this test was told"
fi

wait "$stubborn"
check "a monitor that ignores all signals: the run ends all the same" [ $? = 0 ]
mv "$work/stubborn/json" "$results/json"
check "... with a warning" warned "was killed"
check "... and it is gone" [ -z "$(grep -lsz "^FSSTRESS_TEST_RUN=$work.stubborn\$" /proc/[0-9]*/environ)" ]
finish
