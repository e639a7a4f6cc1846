#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# placement.sh - how many workers there are and which CPUs they get: planned on machines of any
# size, true on this one
. "$(dirname "$0")/lib.sh"
need jq taskset

cd "$work" || exit 1
unset HWLOC_SYNTHETIC HWLOC_XMLFILE
allowed=$(taskset -cp $$ | sed 's/.*: //')

# expand LIST: 0-2,5 as one CPU a line
expand()
{
	local part
	for part in ${1//,/ }; do
		seq "${part%-*}" "${part#*-}"
	done
}
cpus=($(expand "$allowed"))
first=${cpus[0]} last=${cpus[-1]} ncpus=${#cpus[@]}

# plan TOPOLOGY OPTION...: the planned object, in $work/out; TOPOLOGY "": this machine's
plan()
{
	local topology=$1
	shift
	(
		[ -z "$topology" ] || export HWLOC_SYNTHETIC=$topology
		exec "$FSSTRESS" plan --test fiemap --json - "$@" >"$work/out" 2>"$work/err"
	)
}

# planned FILTER: what jq makes of the planned stages must be true
planned()
{
	jq -e ".stages | $1" "$work/out" >/dev/null && return 0
	echo "not so: $1"
	jq -c '.stages[] | [.workers, .cpus, .notes]' "$work/out" | cut -c 1-300
	return 1
}

# places TOPOLOGY CPUS OPTION...: exactly these, in this order
places()
{
	local topology=$1 wanted=$2
	shift 2
	plan "$topology" "$@" && planned "length == 1 and .[0].cpus == [$wanted]"
}

# refused STATUS TEXT COMMAND...: that exit status, one line with that text
refused()
{
	local status=$1 text=$2
	shift 2
	status "$status" "$@" && one_line "$work/err" "$text" && [ ! -s "$work/out" ]
}

# --- other machines -------------------------------------------------------------------------------

two='pack:2 numa:1 core:24 pu:2'
small='pack:2 numa:1 core:2 pu:2'
check "10 % of 96 CPUs: 9 workers" plan "$two" --nr-threads 10%
check "... and no note" planned '.[0] | .workers == 9 and .notes == []'
check "... on alternating packages" \
	planned '.[0].cpus | [.[] / 48 | floor] == [0, 1, 0, 1, 0, 1, 0, 1, 0]'
check "... no two on one core" planned '.[0].cpus | [.[] / 2 | floor] | unique | length == 9'
check "2048 CPUs" plan 'pack:16 core:64 pu:2' --nr-threads 100%
check "... a worker each" \
	planned '.[0].cpus | length == 2048 and (unique | length == 2048) and max == 2047'
check "10 % of 2 CPUs: 1 worker" plan 'pack:1 core:2 pu:1' --nr-threads 10%
check "... and a note" \
	planned '.[0] | .workers == 1 and (.notes | length == 1 and (.[0] | contains("0.2")))'
check "a list: a stage for each count" plan "$two" --nr-threads 1,10%,100%
check "... of its own" planned 'map(.workers) == [1, 9, 96]'
check "default: all" plan "$small"
check "... of them" planned '.[0].workers == 8'
check "more than there are wrap around" places 'pack:1 core:2 pu:1' 0,1,0,1,0 --nr-threads 5
check "... oversubscribed" planned '.[0].oversubscribed'
check "spread" places "$small" 0,4,2,6,1,5,3,7
check "compact" places "$small" 0,1,2,3,4,5,6,7 --pin compact
check "none" places "$small" -1,-1,-1 --pin none --nr-threads 3
check "a list of CPUs" places "$small" 3,5,7 --cpus 3,5,7,100
check "a node" places "$small" 4,6,5,7 --numa-node 1
check "a node and a list" places "$small" 4,5 --numa-node 1 --cpus 0-5

check "a bogus topology" refused 2 "HWLOC_SYNTHETIC='bogus:2' is refused" \
	env HWLOC_SYNTHETIC=bogus:2 "$FSSTRESS" plan --test fiemap
echo '<topology>' >"$work/bad.xml"
check "a bogus topology file" \
	refused 2 "HWLOC_XMLFILE=" env HWLOC_XMLFILE="$work/bad.xml" "$FSSTRESS" plan --test fiemap
check "a run on a foreign topology" refused 2 "another machine" \
	env HWLOC_SYNTHETIC='pack:1 core:2 pu:1' "$FSSTRESS" --test lease --ops 1
for count in 0 -1 % ten% 110%% 1e3% 0% -5% 1,,2 ''; do
	check "--nr-threads '$count' is refused" \
		refused 2 nr-threads "$FSSTRESS" plan --test fiemap --nr-threads "$count"
done
check "no such CPU" refused 3 cpus "$FSSTRESS" plan --test fiemap --cpus 99999
check "no such node" refused 3 numa-node "$FSSTRESS" plan --test fiemap --numa-node 999
check "a list that is none" refused 2 cpus "$FSSTRESS" plan --test fiemap --cpus 3-x

# --- this machine ---------------------------------------------------------------------------------

check "all allowed CPUs" plan "" --nr-threads 100%
check "... and no other" planned ".[0].cpus | sort == [$(IFS=,; echo "${cpus[*]}")]"
if [ "$ncpus" -gt 1 ]; then
	on_last()
	{
		taskset -c "$last" "$FSSTRESS" plan --nr-threads 100% --test fiemap --json - \
			>"$work/out" && planned ".[0] | .workers == 1 and .cpus == [$last]"
	}
	check "taskset: one worker on CPU $last" on_last
else
	echo "one CPU: taskset is not tested"
fi

# Looking at the machine must not move anybody, not even for a moment: the CPU may be isolated, or
# somebody else's.
if command -v strace >/dev/null; then
	stays()
	{
		leaky taskset -c "$last" strace -f -o "$work/calls" -e trace=sched_setaffinity \
			"$FSSTRESS" plan --test lease >/dev/null
		[ -e "$work/calls" ] && ! grep sched_setaffinity "$work/calls"
	}
	check "planning changes nobody's affinity" stays
else
	echo "no strace: whether planning changes an affinity is not tested"
fi

# cpuset_make: a group that may use CPU $last alone; its directory is left in $group
cpuset_make()
{
	local root mems=cpuset.mems
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpuset(,|$)/ { print $2; exit }' /proc/mounts)
	if [ -z "$root" ]; then
		root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
		grep -qsw cpuset "$root/cgroup.controllers" || return
		grep -qw cpuset "$root/cgroup.subtree_control" ||
			echo +cpuset >"$root/cgroup.subtree_control" || return
		mems=
	fi
	group=$root/fsstress-test.$$
	mkdir "$group" || return
	trap 'clean_up; rmdir "$group"' EXIT
	[ -z "$mems" ] || cat "$root/$mems" >"$group/$mems" || return
	echo "$last" >"$group/cpuset.cpus"
}

in_group()
{
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
		"$FSSTRESS" plan --nr-threads 100% --test fiemap --json - >"$work/out" &&
		planned ".[0] | .workers == 1 and .cpus == [$last]"
}

if [ "$(id -u)" = 0 ] && cpuset_make 2>/dev/null; then
	check "cpuset: one worker on CPU $last" in_group
else
	echo "no cpuset can be made here: not tested"
fi

# --- where the workers of a run really are --------------------------------------------------------

# masks PATTERN: "NAME MASK" of each task of the run, the supervisor's included, whose name matches
masks()
{
	local p
	for p in $(grep -lsz "^FSSTRESS_TEST_RUN=$work\$" /proc/[0-9]*/environ | cut -d/ -f3); do
		cat /proc/"$p"/task/*/status 2>/dev/null
	done | awk -v pattern="$1" '/^Name:/ { name = $2 }
		/^Cpus_allowed_list:/ && name ~ pattern { print name, $2 }'
}

# looked WORKERS COMMAND...: run, and look at all tasks meanwhile; masks of the workers, when all are
# on the clock, in $work/workers, of all tasks in $work/all
looked()
{
	local workers=$1
	shift
	: >"$work/workers" >"$work/all"
	FSSTRESS_TEST_RUN=$work "$@" --timeout 1 --warmup 0.2 --quiet --json "$work/json" \
		>/dev/null 2>"$work/err" &
	pid=$!
	background+=("$pid")
	while kill -0 "$pid" 2>/dev/null; do
		masks '^fs' | sort -u >>"$work/all"
		masks '^fss:' >"$work/now"
		[ "$(wc -l <"$work/now")" != "$workers" ] || cp "$work/now" "$work/workers"
	done
	wait "$pid"
}

# in_mask CPU...: all tasks seen were allowed these CPUs only
in_mask()
{
	local name mask cpu
	while read -r name mask; do
		for cpu in $(expand "$mask"); do
			[[ " $* " = *" $cpu "* ]] && continue
			echo "$name was allowed CPU $cpu"
			return 1
		done
	done < <(sort -u "$work/all")
}

kept()
{
	jq -e '.stages | length > 0 and all(.[]; .status == "passed" and (.worker_detail | all(.[];
		.pin_lost == false and .cpu == .cpu_start and .cpu == .cpu_end)))' "$work/json" >/dev/null &&
		return 0
	jq -c '.stages[] | [.status, .reason,
		(.worker_detail[]? | [.cpu, .cpu_start, .cpu_end, .pin_lost])]' "$work/json"
	return 1
}

for kind in thread process; do
	check "a run ($kind)" \
		looked "$ncpus" "$FSSTRESS" --test lease.cycle --nr-threads 100% --workers $kind
	check "... each worker is allowed its one CPU" \
		diff <(cut -d' ' -f2 "$work/workers" | sort -n) <(printf '%s\n' "${cpus[@]}")
	check "... no pin was lost" kept
done
check "a run under taskset" \
	looked 2 taskset -c "$last" "$FSSTRESS" --test lease.break --nr-threads 2
check "... no task has left the mask" in_mask "$last"
check "... no pin was lost" kept
check "a run without pins" \
	looked 2 taskset -c "$first,$last" "$FSSTRESS" --test lease.cycle --nr-threads 2 --pin none
check "... each worker is allowed all CPUs of the mask" \
	diff <(cut -d' ' -f2 "$work/workers" | sort -u) \
	<(taskset -c "$first,$last" awk '/^Cpus_allowed_list:/ { print $2 }' /proc/self/status)

finish
