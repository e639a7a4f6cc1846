#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every variant of every stressor, under strace: on the clock a worker makes the system calls that its descriptor
# declares, as many as it declares, and no others. And a run writes nowhere but in its work directory.

. tests/lib.sh
need_root
need strace jq mkfs.ext4

ops=2000
traces=$work/traces

# variants FILTER: "KEY batch_multiple helpers" of each variant that the jq filter chooses
variants()
{
	jq -r ".[] | .variants[]? | select($1) | \"\\(.key) \\(.batch_multiple) \\(.helpers)\"" "$work/list"
}

# table KEY: its declared calls, for contract.awk
table()
{
	jq -r --arg key "$1" '.[] | .variants[]? | select(.key == $key)
		| .calls[]? | "\(.name)\t\(.n)\t\(.args // "")"' "$work/list"
}

# trace KEY,... [OPTION...]: run them under strace, results in $work/json, a file for each task in $traces
trace()
{
	local keys=$1
	shift
	rm -rf "$traces"
	mkdir "$traces"
	leaky strace -ff -qq -o "$traces/task" \
		"$FSSTRESS" --test "$keys" --ops "$ops" --nr-threads 1 --seed 1 --json - "$@" \
		>"$work/json" 2>"$work/err" && return 0
	# 4: nothing asked for is supported here
	[ $? = 4 ] && return 0
	sed 's/^/  /' "$work/err"
	return 1
}

# contract TABLE TRACE MULTIPLE HELPERS
contract()
{
	awk -v ops="$ops" -v multiple="$3" -v helpers="$4" -f tests/contract.awk "$1" "$2"
}

# No task of ours, from the moment it has a name, opens a path from the root; none at all does a sync(2).
free_of()
{
	awk '
	FNR == 1 { named = 0 }
	/^prctl\(PR_SET_NAME, "fs[sol]:/ { named = 1 }
	/^sync\(/ || (named && /^(open|openat|openat2|creat)\(([^"]*, )?"\//) {
		if (++found <= 10)
			print "  " FILENAME ": " $0
	}
	END { exit found > 0 }' "$traces"/task.*
}

# exact KEY MULTIPLE HELPERS: the run that trace has made kept the contract of this variant
exact()
{
	local key=$1 tid
	tid=$(stage "$work/json" "$key" '.worker_detail[0].tid')
	table "$key" >"$work/table"
	check "$key: declares its calls" [ -s "$work/table" ]
	check "$key: $ops ops exactly, none tolerated" [ "passed $ops $ops {}" = \
		"$(stage "$work/json" "$key" '"\(.status) \(.ops) \(.worker_detail[0].ops) \(.errors)"')" ]
	check "$key: makes the declared calls and no others" \
		contract "$work/table" "$traces/task.$tid" "$2" "$3"
}

# each WHERE OPTION...: what is left in $work/todo is run there; those that it cannot do are left again
each()
{
	local key multiple helpers
	[ -s "$work/todo" ] || return
	: >"$work/left"
	check "$1: runs under strace" trace "$(cut -d ' ' -f 1 "$work/todo" | paste -sd ,)" "${@:2}"
	# After a remount the target is opened again.
	[ "$2" != --target ] || check "$1: no sync(2), no path from the root" free_of
	while read -r key multiple helpers; do
		if [ "$(stage "$work/json" "$key" .status)" = skipped ]; then
			echo "$key $multiple $helpers" >>"$work/left"
			stage "$work/json" "$key" "\"   $1: \\(.key): \\(.reason)\""
		else
			exact "$key" "$multiple" "$helpers"
		fi
	done <"$work/todo"
	mv "$work/left" "$work/todo"
}

# doctored SED SCRIPT: contract.awk finds fault with a table so changed
doctored()
{
	sed "$1" "$work/table" >"$work/doctored"
	! contract "$work/doctored" "$2" 1 0 >"$work/out" && [ -s "$work/out" ]
}

# From a run under strace -y: what is opened for writing, made, removed or renamed elsewhere than in a work directory
# below $1 (made and removed: in $1 itself), and writes below /proc and /sys.
written_outside()
{
	awk -v target="$1" '
	function bad() { print "  " $0; found = 1 }
	/^(open|openat|openat2|creat)\(/ && /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^creat/ && match($0, / = [0-9]+<.*>$/) {
		opened++
		path = substr($0, RSTART, RLENGTH)
		sub(/^ = [0-9]+</, "", path)
		if (index(path, target "/fsstress.") != 1 && path !~ /^(\/dev\/null|\/memfd:)/)
			bad()
	}
	/^(mkdir|unlink|rename|link|symlink|mknod|fchmod|fchown|utimens)at2?\(/ && !index($0, "<" target) { bad() }
	/^(mkdir|rmdir|unlink|rename|link|symlink|mknod|truncate|chmod|chown)\(/ { bad() }
	/^(p?writev?2?|pwrite64|sendfile|ftruncate|fallocate)\([0-9]+<\/(proc|sys)\// { bad() }
	END { exit found || !opened }' "$traces"/task.*
}

"$FSSTRESS" list --json - >"$work/list"
variants '.flags | index("remount") | not' >"$work/todo"
check "there are variants" [ -s "$work/todo" ]
for type in ext4 xfs btrfs; do
	kernel_has "$type" && command -v "mkfs.$type" >/dev/null || continue
	make_fs "$type" 1G
	each "$type" --target "$M"
	check "$type: nothing is left" empty "$M"
done
sed 's/^\([^ ]*\).*/skipped: \1: no filesystem here can do it/' "$work/todo"

variants '.flags | index("remount")' >"$work/todo"
each "a disk of its own" --disk "loop:2G,dir=$work" --fs ext4
sed 's/^\([^ ]*\).*/skipped: \1: no disk here can do it/' "$work/todo"

# The test itself must be able to fail.
make_fs tmpfs 64M
trace lease.open --target "$M"
table lease.open >"$work/table"
made=$traces/task.$(stage "$work/json" lease.open '.worker_detail[0].tid')
check "the true table fits" contract "$work/table" "$made" 1 0
check "a call that is not declared is found" doctored /close/d "$made"
check "a call too few is found" doctored '/close/s/1/2/' "$made"
check "another argument is found" doctored 's/F_UNLCK/F_WRLCK/' "$made"
check "a call that is never made is found" doctored '$a\
fsync	1	' "$made"

make_fs ext4 1G
rm -rf "$traces"
mkdir "$traces"
check "a class under strace -y" status 0 leaky strace -ff -qq -y -o "$traces/task" \
	-e trace='/^(open|creat|mk|rm|un?link|sym|rename|p?write|sendfile|f?truncate|fallocate|f?ch(mod|own)|utime)' \
	"$FSSTRESS" --class filesystem --ops 200 --nr-threads 1 --verify --target "$M" --json -
check "nothing is opened for writing outside the work directory, nothing written below /proc and /sys" \
	written_outside "$M"
finish
