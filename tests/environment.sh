#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# environment.sh - what the machine was like gets into the result, and what endangers the number is said
# Alone: others would endanger it.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need jq

if [ "$(id -u)" = 0 ]; then
	make_fs ext4 256M
	target=$M fstype=ext4
else
	mkdir "$work/target"
	target=$work/target fstype=
fi

# run STATUS OPTION...: results in $work/out; without a terminal, as a job of cron
run()
{
	local want=$1
	shift
	status "$want" setsid -w "$FSSTRESS" --target "$target" --settle 0 --nr-threads 2 --json - "$@"
}

# it FILTER: true of the result
it()
{
	jq -e "$1" "$work/out" >/dev/null && return 0
	echo "not so: $1"
	jq -c '.warnings, .host, (.stages[] | [.cpu_s, .pressure, .background, .warnings])' "$work/out"
	return 1
}

# kind FILE: the type of a number that is read from it
kind()
{
	if cat "$1" >/dev/null 2>&1; then echo number; else echo null; fi
}

# --- of the window --------------------------------------------------------------------------------

check "a stage" run 0 --test fiemap --timeout 0.5
check "the machine's CPU time" it '.stages[0].cpu_s |
	(.machine_busy, .steal | type) == "number" and .machine_busy >= 0 and .steal >= 0'
for what in cpu io memory; do
	check "stalls for $what" it ".stages[0] | .time.measured_s as \$s | .pressure.${what}_some_s |
		type == \"$(kind /proc/pressure/$what)\" and (. == null or (. >= 0 and . <= \$s + 0.2))"
done
check "dirty pages at both ends" it '.stages[0].background |
	all(.start, .end; (.dirty_bytes | type) == "number" and (.writeback_bytes | type) == "number")'
check "the working set" it '.stages[0] | .working_set_bytes == .need.bytes * 2 and .need.bytes > 0'
if [ "$fstype" = ext4 ] && [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
	check "whether an ext4 is being initialised" it '.stages[0].background.ext4lazyinit | type == "boolean"'
fi
check "files are closed again" bash -c 'ulimit -n 64 && exec "$@"' - \
	"$FSSTRESS" --target "$target" --test lease --ops 10 --nr-threads 1 --settle 0 --repeat 12 --quiet

# --- of the run -----------------------------------------------------------------------------------

autogroup=$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)
check "without a terminal" run 0 --test lease --ops 10
check "autogroup is a warning" it "any(.warnings[]; test(\"autogroup\")) == (${autogroup:-0} == 1)"
if [ "${autogroup:-0}" = 1 ]; then
	check "... --strict: 5" run 5 --test lease --ops 10 --strict
fi
if command -v script >/dev/null; then
	script -qec "'$FSSTRESS' --target '$target' --settle 0 --test lease --ops 10 --json '$work/out'" /dev/null \
		>/dev/null
	check "with a terminal it is not" it 'any(.warnings[]; test("autogroup")) | not'
fi
# governed NAME: a run on a machine whose governor that is
cpufreq=/sys/devices/system/cpu/cpufreq
governed()
{
	mkdir -p "$work/cpufreq/policy0"
	echo "$1" >"$work/cpufreq/policy0/scaling_governor"
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c 'mount --bind "$0" '$cpufreq' && exec "$@"' "$work/cpufreq" \
		"$FSSTRESS" --target "$target" --settle 0 --test lease --ops 10 --repeat 2 2>"$work/err" >"$work/out"
}
if [ "$(id -u)" = 0 ] && [ -d $cpufreq ]; then
	check "a machine with a governor" governed schedutil
	check "it is noted once" [ "$(grep -c 'note: .*governor is schedutil' "$work/err")" = 1 ]
	check "... and no warning" [ "$(grep -c governor "$work/out")" = 0 ]
	check "a machine that keeps its clocks up" governed performance
	check "there is nothing to note" [ "$(grep -c governor "$work/err")" = 0 ]
fi

# --- an ext4 that is not initialised yet ----------------------------------------------------------

lazily()
{
	truncate -s 64G "$work/lazy.image"
	mkfs.ext4 -q -F -O ^has_journal -E nodiscard,lazy_itable_init=1 "$work/lazy.image" || return
	mkdir "$work/lazy"
	mount -o loop "$work/lazy.image" "$work/lazy" || return
	mounts+=("$work/lazy")
	target=$work/lazy
	check "while an ext4 is initialised" run 0 --test lease --timeout 0.2
	if ! grep -qsx ext4lazyinit /proc/[0-9]*/comm; then
		echo "ext4lazyinit was through too soon"
		return
	fi
	check "it is recorded" it '.stages[0].background.ext4lazyinit'
	check "and a warning" it '.stages[0].warnings | map(select(test("ext4lazyinit"))) | length == 1'
}
if [ "$fstype" = ext4 ]; then
	lazily
fi
finish
