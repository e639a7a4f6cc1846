#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# signals.sh - however a run ends, nothing is left behind but what the next run and `clean` find
# Alone: a second after kill -9 nobody may live, and the next run is to see that.
. "$(dirname "$0")/lib.sh"
need jq

make_target ext4 512M
where=$M

# start COMMAND...: in the background; its pid is left in $pid, its result in $work/json
start()
{
	run=$work.$((++runs))
	FSSTRESS_TEST_RUN=$run "$@" --json "$work/json" >"$work/out" 2>"$work/err" &
	pid=$!
	background+=("$pid")
}
runs=0

# All live processes of the run; a zombie has no environment any more.
alive()
{
	grep -lsz "^FSSTRESS_TEST_RUN=$run\$" /proc/[0-9]*/environ | cut -d/ -f3
}

gone()
{
	[ -z "$(alive)" ]
}

# worker NAME: a task of the run has this name, the same one as a moment ago
worker()
{
	local p now
	now=$(for p in $(alive); do grep -lsx "$1" /proc/"$p"/task/*/comm; done)
	[ -n "$now" ] && [ "$now" = "$before" ] && return 0
	before=$now
	return 1
}
before=

# within SECONDS COMMAND...: it succeeds in time
within()
{
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# ends STATUS: the run ends with that exit status
ends()
{
	local got
	wait "$pid"
	got=$?
	[ "$got" = "$1" ] && return 0
	echo "exit status $got, not $1"
	sed 's/^/  err: /' "$work/err"
	return 1
}

json()
{
	jq -e "$1" "$work/json" >/dev/null && return 0
	echo "not so: $1"
	jq -c '.interrupted, (.stages[] | [.key, .status, .reason, .ops, .ops_per_sec])' "$work/json"
	return 1
}

leftovers()
{
	find "$where" -mindepth 1 -maxdepth 1 ! -name lost+found
}

# The loop devices on files that the run has made below $work: they have lost their names.
loops()
{
	grep -ls "$work/.*(deleted)" /sys/block/loop*/loop/backing_file | cut -d/ -f4
}

no_loops()
{
	[ -z "$(loops)" ]
}

unmounted()
{
	! grep -qs " /dev/$1 " /proc/[0-9]*/mountinfo
}

# --- clean in a dead mount: takes its 10 s while other things are tried ---------------------------

# A file server that never answers, in a namespace of its own.
if [ "$(id -u)" = 0 ] && [ -w /dev/fuse ] && unshare -m true 2>/dev/null; then
	mkdir "$work/dead"
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'exec 9<>/dev/fuse || exit
		mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0 dead "$1" || exit
		exec "$2" clean --target "$1"' - "$work/dead" "$FSSTRESS" 2>"$work/dead.err" &
	dead=$!
	background+=("$dead")
else
	echo "no /dev/fuse, or a chroot where mounts cannot be made private: clean in a dead mount is not tested"
	dead=
fi

# --- kill -9 --------------------------------------------------------------------------------------

# killed WHAT OPTION...: in mid-run
killed()
{
	local what=$1
	shift
	start "$FSSTRESS" --timeout 120 --warmup 0.2 "$@"
	check "$what: runs" within 30 worker 'fss:.*' || sed 's/^/  err: /' "$work/err"
	check "$what: more than the supervisor is alive" [ "$(alive | wc -l)" -ge 2 ]
	[ -z "${at_work:-}" ] || check "$what: it is at work" $at_work
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	check "$what: no live process after kill -9" within 1 gone
}

for kind in thread process; do
	killed "workers are a $kind each" \
		--target "$where" --test fallocate --nr-threads 2 --workers $kind
	left=$(leftovers)
	check "$kind: one directory is left over" [ "$(echo "$left" | wc -l)" = 1 ]
	check "$kind: the next run works" status 0 "$FSSTRESS" --target "$where" --test lease \
		--ops 1000 --nr-threads 1 --settle 0 --repeat 2
	check "$kind: it says what is left over, once" [ "$(grep -c \
		"note: left over .*${left##*/}; .fsstress clean. removes it" "$work/err")" = 1 ]
	check "$kind: it leaves that alone" [ "$(leftovers)" = "$left" ]
	file=$(find "$left" -type f -name '[!.]*' | head -n 1)
	if chattr +i "$file" 2>/dev/null; then
		chattr +a "$(dirname "$file")" "$left/w1"
		touch "$left/more" && chattr +a "$left/more"
	else
		echo "chattr has no effect here: flags are not tested"
	fi
	check "$kind: clean removes it" status 0 "$FSSTRESS" clean --target "$where"
	check "$kind: nothing is left" empty "$where"
done

if [ "$(id -u)" = 0 ]; then
	options=(--disk "loop:256M,dir=$work" --fs ext4)
	options+=(--test fallocate --fallocate-bytes 16M --nr-threads 2)
	disk_is_there()
	{
		loop=$(loops)
		[ -n "$loop" ] && ! unmounted "$loop"
	}
	at_work=disk_is_there killed "a disk of its own" "${options[@]}"
	check "a disk of its own: no loop device" within 1 no_loops
	check "a disk of its own: no mount" unmounted "$loop"

	zram_is_there()
	{
		# shellcheck disable=SC2046 # a list of words
		zram=$(grep -oshE '^/dev/zram[0-9]+' $(alive | sed 's,.*,/proc/&/mounts,') | sort -u)
		zram=${zram#/dev/}
		[ -n "$zram" ]
	}
	no_zram()
	{
		[ ! -e "/sys/block/$zram" ]
	}
	if [ -w /sys/class/zram-control/hot_remove ]; then
		at_work=zram_is_there killed "a zram disk" --disk zram:256M --fs ext4 --test fallocate \
			--fallocate-bytes 16M --nr-threads 2
		check "a zram disk: no zram device" within 1 no_zram
	else
		echo "this kernel has no zram: killing such a run is not tested"
	fi
fi

# --- a trial of making a work directory ends half-way ---------------------------------------------

if command -v strace >/dev/null; then
	check "a trial is killed" status 3 leaky strace -f -qq -o /dev/null -e trace=fchmod \
		-e inject=fchmod:signal=KILL "$FSSTRESS" --target "$where" --test lease
	check "a trial is killed: one line" one_line "$work/err" "make a work directory"
	check "a trial is killed: nothing is left" empty "$where"
else
	echo "no strace: killing a trial is not tested"
fi

# --- SIGINT and SIGTERM ---------------------------------------------------------------------------

# interrupted WHAT SIGNAL STATUS TASK OPTION...: when a worker's task has this name
interrupted()
{
	local what=$1 signal=$2 status=$3 task=$4
	shift 4
	start "$FSSTRESS" --target "$where" --timeout 120 --nr-threads 2 "$@"
	check "$what: runs" within 30 worker "$task" || sed 's/^/  err: /' "$work/err"
	sleep 0.5
	kill "-$signal" "$pid"
	check "$what: SIG$signal ends it with $status" ends "$status"
	check "$what: nobody lives on" gone
	check "$what: nothing is left" empty "$where"
	check "$what: the result says interrupted" json '.interrupted == true'
	check "$what: what had begun is incomplete, the rest skipped" json \
		'[.stages[] | .status] == ["incomplete", "skipped"] and .stages[1].reason == "interrupted"'
	check "$what: there is no rate" json 'all(.stages[]; .ops_per_sec == null)'
	check "$what: the counts agree" json '.planned == 2 and .incomplete == 1 and .skipped == 1'
}

for workers in thread process; do
	for signal in INT TERM; do
		case $signal in INT) status=130 ;; TERM) status=143 ;; esac
		interrupted "in the window ($workers)" \
			$signal $status 'fss:lease' --test lease,fiemap --warmup 0.2 --workers $workers
		check "in the window: what was counted is there" \
			json '.stages[0].ops > 0 and .stages[0].time.measured_s > 0'
	done
done
interrupted "in warm-up" INT 130 'fss:lease' --test lease,fiemap --warmup 100
interrupted "in set-up" \
	INT 130 'fso:fiemap' --test fiemap,lease --fiemap-extents 15000 --fiemap-layout sparse
interrupted "in rounds" INT 130 'fss:fallocate' --test fallocate.alloc,lease --warmup 0.2

# Wherever it comes: in a stage, or between two repetitions.
start "$FSSTRESS" --target "$where" --test lease --nr-threads 1 --timeout 0.1 --warmup 0 --settle 0 --repeat 1000
sleep 2
kill -INT "$pid"
check "in one of many repetitions: 130" ends 130
check "the last one says so" json '.[-1].interrupted and (.[:-1] | any(.interrupted) | not)'
check "in one of many repetitions: nothing is left" empty "$where"

# between: the signal comes with the first child of the second repetition, after as many as the first one starts
between()
{
	local forks='/^(v?fork|clone3?)$' run n
	run=("$FSSTRESS" --target "$where" --test lease --nr-threads 1 --ops 1000 --settle 0 --json "$work/json")
	status 0 leaky strace -qq -o "$work/forks" -e trace="$forks" -e signal=none "${run[@]}" || return
	n=$(wc -l <"$work/forks")
	status 130 leaky strace -qq -o /dev/null -e trace="$forks" -e inject="$forks:signal=INT:when=$((n + 1))" \
		"${run[@]}" --repeat 2
}

if command -v strace >/dev/null; then
	check "between two repetitions: 130" between
	check "between two repetitions: what the first one measured is there" \
		json '[.] | flatten | length == 1 and .[0].interrupted and .[0].stages[0].status == "passed"'
	check "between two repetitions: nothing is left" empty "$where"
else
	echo "no strace: a signal between two repetitions is not tested"
fi

making_it()
{
	local p
	for p in $(alive); do grep -sx mkfs.slow "/proc/$p/comm" && return; done
	return 1
}

# While the disk is being made: by a mkfs that takes its time.
making()
{
	local signal=$1 status=$2
	start env PATH="$work/slow:$PATH" "$FSSTRESS" --disk "loop:64M,dir=$work" --fs slow \
		--test lease
	check "making a disk: mkfs works" within 30 making_it
	kill "-$signal" "$pid"
	check "making a disk: SIG$signal ends it with $status" ends "$status"
	check "making a disk: nobody lives on" gone
	check "making a disk: one line says so" one_line "$work/err" "stopping on signal"
	check "making a disk: no loop device" within 1 no_loops
}

if [ "$(id -u)" = 0 ]; then
	mkdir "$work/slow"
	printf '#!/bin/sh\nwhile :; do sleep 0.1; done\n' >"$work/slow/mkfs.slow"
	chmod 700 "$work/slow/mkfs.slow"
	making INT 130
	making TERM 143
fi

# --- the look at the target that goes before a run -------------------------------------------------

# look_child: there is the child that makes a work directory on trial, in a target that lets nobody write
look_child()
{
	child=$(pgrep -P "$pid") && grep -qs '^State:.*D' "/proc/$child/status"
}

looking()
{
	trap 'fsfreeze -u "$where" 2>/dev/null; clean_up' EXIT
	fsfreeze -f "$where"
	start "$FSSTRESS" --target "$where" --test lease
	check "look: hangs" within 30 look_child
	kill "$pid"
	check "look: a signal ends the run" ends 143
	check "look: it names what may be left" grep -q 'may be left in the target' "$work/err"
	fsfreeze -u "$where"
	check "look: the child goes" within 5 gone
	check "look: it has left a directory without a marker" \
		[ "$(find "$where" -name 'fsstress.*' -empty | wc -l)" = 1 ]
	check "look: clean removes it" status 0 "$FSSTRESS" clean --target "$where"
	check "look: nothing is left" empty "$where"

	fsfreeze -f "$where"
	start "$FSSTRESS" --target "$where" --test lease
	check "look: hangs" within 30 look_child
	kill -KILL "$child"
	fsfreeze -u "$where"
	check "look: its child's death ends the run" ends 3
	check "look: nothing is left" empty "$where"
}
if [ "$(id -u)" = 0 ] && command -v fsfreeze >/dev/null; then
	looking
fi

# --- a second signal ------------------------------------------------------------------------------

start "$FSSTRESS_TEST" --target "$where" --test misbehave.hang --misbehave-at 2 \
	--timeout 120 --nr-threads 1
check "second signal: runs" within 30 worker 'fss:misbehave'
kill -INT "$pid"
sleep 0.5
check "second signal: one waits for the worker that hangs" kill -0 "$pid"
kill -INT "$pid"
check "second signal: the second one ends it" within 1 gone
check "second signal: exit status" ends 130
check "second signal: clean removes what is left" status 0 "$FSSTRESS" clean --target "$where"
check "second signal: nothing is left" empty "$where"

# --- a reader that goes away ----------------------------------------------------------------------

run=$work.pipe
first=$(FSSTRESS_TEST_RUN=$run timeout 60 "$FSSTRESS" --target "$where" \
	--test lease --timeout 0.5 --nr-threads 2 2>"$work/err" | head -n 1)
check "head -1: gets its line" [ -n "$first" ]
check "head -1: nobody lives on" within 1 gone
check "head -1: nothing is left" empty "$where"

mkfifo "$work/fifo"
timeout 60 cat "$work/fifo" >/dev/null &
reader=$!
background+=("$reader")
FSSTRESS_TEST_RUN=$run "$FSSTRESS" --target "$where" --test lease --timeout 120 --nr-threads 2 \
	>"$work/fifo" 2>"$work/err" &
pid=$!
background+=("$pid")
check "a reader: runs" within 30 worker 'fss:lease'
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "a reader: sees the end, nobody holds the pipe" wait "$reader"
check "a reader: nobody lives on" within 1 gone
"$FSSTRESS" clean --target "$where" --quiet
check "a reader: nothing is left" empty "$where"

if [ -n "$dead" ]; then
	wait "$dead"
	check "clean in a dead mount: exit status" [ $? = 3 ]
	check "clean in a dead mount: one line" one_line "$work/dead.err" 'does not answer within 10 s'
fi

finish
