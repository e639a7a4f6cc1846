#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stationarity.sh - the stationarity gate tells an op that gets dearer from one that does not
# Alone: it is about rates.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need_root
: "${FSSTRESS_STATIONARITY:?is set by make}"

# Short, so the limit for what is even is wider than the gate's own.
gate()
{
	"$FSSTRESS_STATIONARITY" -f tmpfs -a 0.7 -t 0.3 -n 2 -l 8 "$@"
}

check "an op that stays as it is passes" status 0 gate dearer.even
check "so does one that is refilled" status 0 gate unlink
check "so does one of processes with helpers" status 0 gate lease.break2
check "all of them were measured" grep -q '^1 ok, 0 failed, 0 skipped;' "$work/out"
check "an op that gets dearer fails" status 1 gate dearer.ages
check "because of its ratio" grep -q 'dearer.ages *FAILED[ ?]*-[0-9.]* %' "$work/out"
check "so does one that gets dearer at first and then stays" status 1 gate -a 2 -l 3 dearer.soon
check "what cannot be had is skipped" status 0 gate fiemap.warm
check "and the reason said" grep -q 'skipped EOPNOTSUPP' "$work/out"
check "what needs a remount is skipped" status 0 gate fiemap.cold
finish
