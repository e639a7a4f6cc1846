# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - what the end-to-end tests share: real mounts that always go away again, checks, statuses
#
# Sourced, not run. A test makes mounts with make_fs, says `check WHAT COMMAND...` for each thing that must hold, and
# ends with `finish`. Everything it makes is below $work and is undone by a trap, also when the test dies.

set -u
: "${FSSTRESS:?is set by tests/run}" "${FSSTRESS_TEST:?is set by tests/run}"
FILESYSTEMS="ext4 xfs btrfs tmpfs overlay"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/fsstress-test.XXXXXX") || exit 1
mounts=()
background=()
failures=0

clean_up()
{
	local i
	cd / || :
	for i in "${background[@]}"; do
		kill -KILL "$i" 2>/dev/null && wait "$i" 2>/dev/null
	done
	for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do
		umount "${mounts[i]}" 2>/dev/null || umount -l "${mounts[i]}"
	done
	chattr -R -ia "$work" 2>/dev/null
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

skip()
{
	echo "$*"
	exit 77
}

need_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need()
{
	local program
	for program; do
		command -v "$program" >/dev/null || skip "needs $program"
	done
}

fail()
{
	echo "not ok: $*"
	failures=$((failures + 1))
}

# check WHAT COMMAND...: the command must succeed
check()
{
	local what=$1
	shift
	if "$@"; then
		echo "ok: $what"
	else
		fail "$what"
	fi
}

# status N COMMAND...: the command must end with exit status N; its output goes to $work/out and $work/err
status()
{
	local want=$1 got
	shift
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$want" ] && return 0
	echo "exit status $got, not $want: $*"
	sed 's/^/  out: /' "$work/out" | tail -n 20
	sed 's/^/  err: /' "$work/err" | tail -n 20
	return 1
}

# leaky COMMAND...: nobody looks for leaks, which takes a process that may trace ours: there is none under strace
leaky()
{
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 "$@"
}

# one_line FILE TEXT: the file is exactly one line, and has TEXT in it
one_line()
{
	[ "$(wc -l <"$1")" = 1 ] && grep -qF -e "$2" "$1" && return 0
	echo "not one line with '$2':"
	sed 's/^/  /' "$1"
	return 1
}

# empty DIRECTORY: nothing in it but what mkfs made
empty()
{
	[ -z "$(ls -A "$1" | grep -vx lost+found)" ] && return 0
	ls -lA "$1"
	return 1
}

finish()
{
	[ "$failures" = 0 ] || echo "$failures failed"
	[ "$failures" = 0 ]
	exit
}

# make_fs TYPE [SIZE] [MKFS OPTION...]: mount one below $work; its directory is left in $M.
# One with a device is mounted with $mount_options, if set.
make_fs()
{
	local type=$1 size=${2:-1G} image lower
	shift $(($# < 2 ? $# : 2))
	M=$work/$type.${#mounts[@]}
	mkdir "$M"
	case $type in
	tmpfs)
		mount -t tmpfs -o "size=$size" none "$M" || exit 1
		;;
	overlay)
		lower=$M
		make_fs ext4 "$size"
		mkdir "$M/lower" "$M/upper" "$M/work"
		mount -t overlay -o "lowerdir=$M/lower,upperdir=$M/upper,workdir=$M/work" none "$lower" || exit 1
		M=$lower
		;;
	*)
		need "mkfs.$type"
		image=$M.image
		truncate -s "$size" "$image"
		case $type in
		ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$@" "$image" ;;
		*) "mkfs.$type" -q -f "$@" "$image" ;;
		esac || exit 1
		mount -o "loop${mount_options:+,$mount_options}" "$image" "$M" || exit 1
		;;
	esac
	mounts+=("$M")
}

# make_target TYPE [SIZE]: the same where root can; else a directory of whatever $work is on
make_target()
{
	if [ "$(id -u)" = 0 ]; then
		make_fs "$@"
	else
		M=$work/target
		mkdir "$M"
	fi
}

# kernel_has TYPE: whether the filesystem can be mounted at all
kernel_has()
{
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null
}

# sound FILE [STATUS]: results that hang together: the counts add up, what passed has finite rates,
# nothing else has. With STATUS all stages have that, or are skipped.
sound()
{
	# jq reads NaN, JSON has none.
	! grep -qiE '[:, -](nan|inf(inity)?)\b' "$1" && jq -e --arg wanted "${2-}" '
		(if type == "array" then .[] else . end)
		| .planned == (.stages | length) and .planned > 0
		and .planned == .passed + .skipped + .failed + .no_progress + .incomplete
		and all(.stages[];
			($wanted == "" or .status == $wanted or .status == "skipped")
			and if .status == "passed" then
				.ops > 0 and .ops_per_sec > 0 and .ops_per_sec < 1e12
				and .time.duty > 0 and .reason == null
			elif .status == "skipped" then
				.ops == null and .ops_per_sec == null
				and .errno_name != null and (.reason | length) > 0
			else
				.ops_per_sec == null and (.reason | length) > 0
			end)' "$1" >"$work/sound" 2>&1 && ! grep -qx false "$work/sound" && return 0
	echo "$1:"
	jq -c '(if type == "array" then .[] else . end) | .stages[]
		| [.key, .workers, .status, .errno_name, .reason, .ops, .ops_per_sec,
			.time.off_s, .cpu_s]' "$1"
	return 1
}

# stage FILE KEY JQ: what the first result of a key says
stage()
{
	jq -r --arg key "$2" "first((if type == \"array\" then .[] else . end).stages[]
		| select(.key == \$key)) | $3" "$1"
}

# hold WHAT LEFT OPERATOR RIGHT: two numbers must compare like that
hold()
{
	if jq -ne --argjson a "$2" --argjson b "$4" "\$a $3 \$b" >/dev/null; then
		echo "ok: $1"
	else
		fail "$1: $2 $3 $4 does not hold"
	fi
}
