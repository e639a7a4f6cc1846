#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# load.sh - loads work beside the workers, on their files, at their rates, and are not counted
# Alone: it is about rates.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need jq
make_target ext4
cd "$M" || exit
run=("$FSSTRESS" --settle 0 --quiet --json "$work/json" --nr-threads 2)

# each FILTER: true of every stage
each()
{
	jq -e ".stages | length > 0 and all(.[]; $1)" "$work/json" >/dev/null && return 0
	echo "not so: $1"
	jq -c '.stages[] | [.key, .status, .reason, .ops, .warnings,
		(.load // [] | map([.key, .asked_per_sec, .ops]))]' "$work/json"
	return 1
}

kept='.load | length == 1 and .[0].missed == false and .[0].achieved_per_sec < 1.05 * .[0].asked_per_sec'

check "without a load" status 0 "${run[@]}" --test lease --timeout 0.2
check "... there is none" each '.load == null'

for kind in thread process; do
	check "loads, $kind" status 0 "${run[@]}" --timeout 1 --workers $kind --verify \
		--test fiemap,lease --load lease.open@100
	check "... keep their rate" each "$kept"
	check "... of all workers" each '.load[0].asked_per_sec == 200'
	check "... are timed" each '.load[0].latency_ns.samples > 150 and .load[0].response_ns.samples > 150'
	check "... a response includes the service" each \
		'.load[0].response_ns.mean >= .load[0].latency_ns.mean'
	check "... are not counted" each '.ops == ([.worker_detail[].ops] | add)'
done

check "beside ops that are counted" status 0 "${run[@]}" --ops 20000 --test fiemap --load lease.open@100
check "... just those" each '.ops == 40000 and .load[0].ops > 0'

# Writes into the holes of a punched file make extents of them.
check "on the worker's file" status 0 "${run[@]}" --timeout 0.5 --keep-files always \
	--test fiemap --load iomix.paced.pwrite-rnd@2000
check "... which is the only one" [ "$(find . -type f ! -name '.*' -printf '%f ')" = "extents extents " ]
check "... and has changed" each '.metrics.extents_per_op.value != 1024'
check "clean" status 0 "$FSSTRESS" clean
check "of one file" status 0 "${run[@]}" --timeout 0.5 --keep-files always --share file \
	--test lease --load lease.cycle@100
check "... all on that" [ "$(find . -type f ! -name '.*' | wc -l)" = 1 ]
check "clean" status 0 "$FSSTRESS" clean

check "a rate out of reach" status 5 "${run[@]}" --strict --timeout 0.5 --test iomix.paced \
	--iomix-bg fdatasync@1000000
check "... is missed" each '.load[0].missed and (.warnings | any(startswith("load_missed: iomix.paced.fdatasync")))'
check "... and late" each '.load[0].late_s > 0.1'

check "iomix.paced" status 0 "${run[@]}" --timeout 1 --test iomix.paced
check "... four kinds beside it" each '[.load[].key] == ["iomix.paced.pwrite-rnd",
	"iomix.paced.fadvise", "iomix.paced.mmap-msync", "iomix.paced.fdatasync"]'
check "... at their rates" each '[.load[].asked_per_sec] == [2000, 20, 200, 20]'
check "another foreground" status 0 "${run[@]}" --timeout 0.2 --test iomix.paced.fstat --iomix-bg copy@10
check "... has its own key" each '.key == "iomix.paced.fstat" and .load[0].key == "iomix.paced.copy"'
check "nothing beside it" status 0 "${run[@]}" --timeout 0.2 --test iomix.paced --iomix-bg fstat@0
check "... is no load" each '.load == null'

check "its other files are its own" status 0 "${run[@]}" --timeout 0.2 --keep-files always --test iomix.mix \
	--iomix-bytes 1M --load iomix.paced.copy@10
check "... two of each worker" [ "$(find . -name '*copied' -printf '%f ' | xargs -n 1 | sort | uniq -c | xargs)" = \
	"2 copied 2 l1.copied" ]
check "clean" status 0 "$FSSTRESS" clean

check "a load without a file to work on" status 1 "${run[@]}" --timeout 0.2 --test lease \
	--load iomix.paced@10
check "... says so, and which one it is" each \
	'.status == "failed" and (.reason | contains("load iomix.paced: the file has 0 bytes"))'
check "... no rate" each '.load[0].achieved_per_sec == null and .ops_per_sec == null'
check "nothing is left" empty .
cd / || exit

if [ "$(id -u)" = 0 ]; then
	make_fs tmpfs 100M
	# unlink has no errno that means unsupported: that of the load counts.
	check "a load that the mount cannot do" status 4 "$FSSTRESS_TEST" "${run[@]:1}" --target "$M" \
		--timeout 0.2 --test unlink --load fiemap@10
	check "... skips the stage" each '.status == "skipped" and .errno_name == "EOPNOTSUPP"'
	check "... for the load" each '.reason | contains("load fiemap.warm")'
	check "nothing is left" empty "$M"
fi
finish
