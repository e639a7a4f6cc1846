#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# limits.sh - small, full, read-only and forbidden targets, resource limits, strange paths: one
# clear line and the right exit status before anything is made; a class measures what fits
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
need jq setpriv
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
list=fallocate,fiemap,revio,iomix,lease
some=("$FSSTRESS" --ops 50 --settle 0 --quiet)
run=("${some[@]}" --nr-threads 1)

# refused TEXT COMMAND...: exit status 3, one line with that text, nothing on stdout, nothing made,
# at once
refused()
{
	local text=$1 before started=${EPOCHREALTIME/.}
	shift
	before=$(ls -A)
	check "refused: $text" status 3 "$@"
	# A second by the contract; more than that only where the machine has other things to do.
	check "quickly" [ $((${EPOCHREALTIME/.} - started)) -lt 5000000 ]
	check "one line" one_line "$work/err" "$text"
	check "nothing on stdout" [ ! -s "$work/out" ]
	check "nothing left" [ "$(ls -A)" = "$before" ]
}

# fits WHAT COMMAND...: exit status 0, what passed has rates, what was skipped says what it needs
fits()
{
	local what=$1 before
	shift
	before=$(ls -A)
	check "$what" status 0 "$@" --json "$work/json"
	check "$what: results" sound "$work/json" passed
	check "$what: nothing left" [ "$(ls -A)" = "$before" ]
}

# skipped ERRNO TEXT: some stages were, for that reason
skipped()
{
	local found
	found=$(jq --arg errno "$1" --arg text "$2" 'any(.stages[];
		.status == "skipped" and .errno_name == $errno and (.reason | contains($text)))' \
		"$work/json")
	check "skipped: $2" [ "$found" = true ]
}

# fill: leave no block free
fill()
{
	dd if=/dev/zero of=fill bs=64k 2>/dev/null
	sync -f .
}

small_and_full()
{
	local i=0
	make_fs ext4 16M
	cd "$M" || exit
	refused '64 MiB for 1 worker' "${run[@]}" --test $list
	fits "16 MiB, a class" "${run[@]}" --class filesystem
	skipped ENOSPC 'of the free space'
	fits "16 MiB, what fits" "${run[@]}" --test fallocate,revio --fallocate-bytes 1M \
		--revio-bytes 1M
	check "a class of which nothing fits" status 3 "${run[@]}" --class filesystem --with \
		fallocate
	check "one line" one_line "$work/err" 'all other stages are skipped as well'

	make_fs ext4 64M
	cd "$M" || exit
	refused 'for 4 worker' "${some[@]}" --test revio --nr-threads 4
	fits "64 MiB, a class" "${run[@]}" --class filesystem
	skipped ENOSPC 'of the free space'
	fill
	refused 'of the free space' "${run[@]}" --test $list
	rm fill

	make_fs ext4 64M -N 16
	cd "$M" || exit
	while : >"f$i"; do i=$((i + 1)); done 2>/dev/null
	rm -f f0 f1 f2 f3
	refused 'inodes' "${some[@]}" --test lease --nr-threads 4
	: >f0 && : >f1 && : >f2 && : >f3
	refused ENOSPC "${run[@]}" --test lease

	make_fs tmpfs 8M
	cd "$M" || exit
	fill
	refused ENOSPC "${run[@]}" --test $list
	rm fill
	fits "tmpfs of 8 MiB, a class" "${run[@]}" --class filesystem
	skipped ENOSPC 'of the free space'
}

forbidden()
{
	make_fs ext4 64M
	cd "$M" || exit
	mount -o remount,ro "$M"
	refused EROFS "${run[@]}" --test $list
	refused EROFS "${run[@]}" --class filesystem
	check "plan runs nothing and may" status 0 "$FSSTRESS" plan --test lease

	make_fs tmpfs 512M
	cd "$M" || exit
	chmod 755 .
	chmod 755 "$work"
	refused EACCES "${nobody[@]}" "${run[@]}" --test $list
	mkdir own
	chown 65534:65534 own
	cd own || exit
	check "not root, all" status 0 "${nobody[@]}" "${run[@]}" --test $list --json -
	check "not root: results" sound "$work/out" passed
	check "not root: nothing left" empty .
	check "not root: processes" status 0 "${nobody[@]}" "${run[@]}" --test $list --workers \
		process --json -
	check "not root: results" sound "$work/out" passed
	check "not root: nothing left" empty .
}

# limited LIMIT COMMAND...: under a limit of the shell
limited()
{
	local limit=$1
	shift
	# shellcheck disable=SC2086 # an option and its value
	(ulimit $limit && "$@")
}

# piped COMMAND...: its stdout and stderr are pipes
piped()
(
	set -o pipefail
	{ "$@" 2>&1 >&3 | cat >&2; } 3>&1 | cat
)

resources()
{
	make_fs tmpfs 1G
	cd "$M" || exit
	fits "ulimit -n 32" limited '-n 32' "${run[@]}" --test $list
	refused 'descriptors' limited '-n 32' "${run[@]}" --test fiemap.first
	refused 'descriptors' limited '-n 16' "${run[@]}" --test lease
	fits "the soft limit alone is raised" limited '-S -n 16' "${run[@]}" --test lease
	refused 'RLIMIT_FSIZE' limited '-f 1000' "${run[@]}" --test $list
	fits "ulimit -f 1000, a class" limited '-f 1000' "${run[@]}" --class filesystem
	skipped EFBIG RLIMIT_FSIZE
	# Under this one only a pipe can be written to.
	refused 'RLIMIT_FSIZE' piped limited '-f 0' "${run[@]}" --test lease
	mkdir own
	chown 65533:65533 own
	refused 'start a process to look at it' limited '-u 1' leaky setpriv --reuid 65533 \
		--regid 65533 --clear-groups "${run[@]}" --test lease --target own
	rmdir own
	fits "ulimit -f 1000, what fits" limited '-f 1000' "${run[@]}" --test fallocate,revio \
		--fallocate-bytes 512K --revio-bytes 512K
}

paths()
{
	local name here
	make_fs ext4 512M
	cd "$M" || exit
	refused ENOENT "${run[@]}" --test lease --target nowhere
	: >file
	refused ENOTDIR "${run[@]}" --test lease --target file
	ln -s nowhere link
	refused ENOENT "${run[@]}" --test lease --target link
	refused ENAMETOOLONG "${run[@]}" --test lease --target "$(printf 'x%.0s' {1..300})"
	check "a long name is cut" one_line "$work/err" 'xxx...: '
	check "an empty name is a typo" status 2 "${run[@]}" --test lease --target ''

	name=$(printf 'a b"c'\''d\ne\xff\xfe%%s\\')
	for _ in {1..4}; do name=$name$name; done
	while [ "$(pwd | wc -c)" -lt 3072 ]; do
		mkdir "./$name" && cd "./$name" || break
	done
	check "a path of 3 KiB" [ "$(pwd | wc -c)" -gt 3072 ]
	fits "a path of 3 KiB" "${run[@]}" --test $list
	check "its bytes are kept" [ "$(jq -r .target.path_hex "$work/json")" = \
		"$(printf %s "$PWD" | od -An -v -tx1 | tr -d ' \n')" ]
	here=$PWD
	cd "$M" || exit
	fits "the same by --target" "${run[@]}" --test lease --target "$here"
	check "it says where" status 0 "$FSSTRESS" --test lease --ops 10 --settle 0 --target "$here"
	check "in one line" [ "$(head -n 1 "$work/out" | grep -c '\\x0a.*ext4')" = 1 ]
}

small_and_full
forbidden
resources
paths
refused "a stack of 32 KiB is too small" bash -c 'ulimit -s 32; exec "$@"' - "${run[@]}" --test lease
for verb in list version "describe lease" "plan --test lease" "probe --test lease" "probe --test lease --json -" \
	"--test lease --ops 10 --settle 0 --quiet --csv"; do
	read -ra words <<<"$verb"
	"$FSSTRESS" "${words[@]}" >/dev/full 2>"$work/err"
	check "$verb to a full stdout: 3" [ $? = 3 ]
	check "one line" one_line "$work/err" "No space left"
done
finish
