#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# disks.sh - disks made for a run: each kind and filesystem measures, its flushes are seen, and
# nothing of it is left
# Alone: it counts what the kernel has of devices and mounts.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
need jq losetup
cd "$work" || exit
mkdir back

# gone: no mount, loop device or file of a disk is there; a loop device clears itself a moment after
# its last close
gone()
{
	local i
	for i in {1..50}; do
		! losetup -l -n -O BACK-FILE | grep -qF "$work/back" && break
		sleep 0.1
	done
	[ "$i" -lt 50 ] && [ -z "$(ls -A back)" ] && ! grep -qF "$work" /proc/self/mountinfo &&
		return 0
	losetup -l
	ls -lA back
	grep -F "$work" /proc/self/mountinfo
	return 1
}

types=
for type in ext4 xfs btrfs; do
	kernel_has $type && command -v mkfs.$type >/dev/null && types=$types${types:+,}$type
done
[ -n "$types" ] || skip "no filesystem to make"
one=${types%%,*}

# on DISK OPTION...: some ops of each stage on it, JSON in $work/out
on()
{
	local disk=$1
	shift
	check "$disk $*" status 0 "$FSSTRESS" --disk "$disk" --nr-threads 1 --ops 300 --quiet \
		--json - "$@"
	check "$disk: results" sound out passed
	check "$disk: made by us" [ "$(jq '[.] | flatten | all(.target.made_by_us)' out)" = true ]
	check "$disk: nothing left" gone
}

all=fiemap,fallocate,revio,iomix,lease
on "loop:512M,dir=$work/back" --fs "$types" --test $all
check "a run on each filesystem" [ \
	"$(jq -r '[.] | flatten | map(.target.fstype) | join(",")' out)" = "$types" ]
check "all passed" [ "$(jq '[.] | flatten | all(.passed == .planned)' out)" = true ]
check "a device is named" [ \
	"$(jq '[.] | flatten | all(.target.device.name | startswith("loop"))' out)" = true ]
on mem:512M --fs "$one" --test $all
check "all passed" [ "$(jq '.passed == .planned' out)" = true ]
on tmpfs:512M --test fallocate,revio,iomix,lease,fiemap
check "tmpfs is tmpfs" [ "$(jq -r .target.fstype out)" = tmpfs ]
check "skipped is fiemap alone" [ \
	"$(jq -r '[.stages[] | select(.status == "skipped") | .key] | join(" ")' out)" = \
	fiemap.warm ]
on "loop:256M,dir=$work/back" --fs "$one" --fresh stage --test revio,lease
if [ -w /sys/class/zram-control/hot_remove ]; then
	on zram:512M --fs "$one" --fresh stage --test $all
	check "all passed" [ "$(jq '.passed == .planned' out)" = true ]
	device=$(jq -r .target.device.name out)
	check "a zram device is named" [ "${device#zram}" != "$device" ]
	check "and gone" [ ! -e "/sys/block/$device" ]
else
	echo "this kernel has no zram: such disks are not tested"
fi
# The backing file of the second stage's disk finds no directory any more.
vanish()
{
	local pid
	mkdir vanishing
	"$FSSTRESS" --disk "loop:256M,dir=$work/vanishing" --fs "$one" --fresh stage --nr-threads 1 --timeout 1.5 \
		--test lease,revio --quiet --json result 2>err &
	pid=$!
	background+=("$pid")
	sleep 1.5
	rmdir vanishing
	wait "$pid"
}

vanish
check "a disk that cannot be made anew: 3" [ $? = 3 ]
check "what was measured before is kept" [ "$(jq -c '[.stages[].status]' result)" = '["passed","skipped"]' ]
check "the rest says why" [ "$(stage result revio.sparse .reason)" = "the disk could not be made anew" ]

# The disk is lost in the first stage: what lies below its mount point must not be measured.
lost()
{
	local pid stage='' i
	"$FSSTRESS" --disk mem:128M --fs "$one" --nr-threads 1 --timeout 2 --test lease,lease.open --quiet \
		--json result 2>err &
	pid=$!
	background+=("$pid")
	for ((i = 0; i < 200; i++)); do
		sleep 0.05
		stage=$(cat "/proc/$pid/task/$pid/children")
		grep -qs '^fss:lease' /proc/${stage%% *}/task/*/comm && break
	done
	# The last mount: others in the list may be somebody else's, from before.
	nsenter -m -t "${stage%% *}" sh -c 'umount -l "$(tail -n 1 /proc/self/mounts | cut -d " " -f 2)"'
	wait "$pid"
}

lost
check "a disk that is lost: 1" [ $? = 1 ]
check "the next stage says so" [ "$(jq -c '[.stages[] | [.status, .errno_name]]' result)" = \
	'[["passed",null],["failed","ESTALE"]]' ]
on "loop:256M,dir=$work/back" --fs "$one" --repeat 2 --test lease
check "two runs" [ "$(jq length out)" = 2 ]

for type in ext4 xfs; do
	[[ ,$types, = *,$type,* ]] || continue
	on "loop:1G,dir=$work/back" --fs $type --test fiemap.cold --verify
	check "fiemap.cold on $type passed" [ "$(stage out fiemap.cold .status)" = passed ]
	hold "fiemap.cold on $type reads the device" "$(stage out fiemap.cold .device_io.reads)" \
		">" 0
done

if [[ ,$types, = *,ext4,* ]]; then
	key=fallocate.alloc.fsync
	on "loop:256M,dir=$work/back" --fs ext4 --test $key
	hold "ext4: a flush for each fsync" "$(stage out $key .device_io.flushes)" ">=" \
		"$(stage out $key .ops)"
	on "loop:256M,dir=$work/back" --fs ext4 --test $key --mount-opts barrier=0
	hold "ext4, barrier=0: no flush" "$(stage out $key .device_io.flushes)" == 0
	check "the mount options are recorded" [ "$(jq -r .target.requested_mount_options out)" = \
		barrier=0 ]
	on "loop:256M,dir=$work/back" --fs ext4 --test lease --mkfs-opts '-O ^has_journal -N 64'
	hold "ext4: mkfs options are used" "$(jq .target.inodes out)" "<" 1000
fi

# refused CODE TEXT OPTION...: one line, nothing left
refused()
{
	local code=$1 text=$2
	shift 2
	check "refused: $*" status "$code" "$FSSTRESS" --test lease "$@"
	check "one line" one_line err "$text"
	check "nothing on stdout" [ ! -s out ]
	check "nothing left" gone
}

refused 3 bogus --disk "loop:64M,dir=$work/back" --fs "$one" --mount-opts bogus=1
refused 3 "mkfs.$one" --disk "loop:64M,dir=$work/back" --fs "$one" "--mkfs-opts=--bogus"
refused 3 nowhere --disk "loop:64M,dir=$work/nowhere" --fs "$one"
if unshare -m mount -t tmpfs none /sys/class 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	check "refused: zram where there is none" status 3 unshare -m sh -c \
		'mount -t tmpfs none /sys/class && exec "$@"' - \
		"$FSSTRESS" --test lease --disk zram:64M --fs "$one"
	check "one line" one_line err "no zram here"
fi
refused 3 mkfs.bogus --disk "loop:64M,dir=$work/back" --fs bogus
refused 2 "xxx...' is not" --disk "$(printf 'x%.0s' {1..700})" --fs ext4
refused 2 --fs --disk "loop:64M,dir=$work/back"
refused 2 tmpfs --disk tmpfs:64M --fs ext4
if command -v setpriv >/dev/null; then
	check "refused: not root" status 3 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$FSSTRESS" --disk mem:64M --fs "$one" --test lease
	check "one line" one_line err root
fi
finish
