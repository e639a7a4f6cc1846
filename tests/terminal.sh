#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# terminal.sh - a live line and colours on a terminal alone; --interval prints lines for scripts
# Alone: its windows are too short for workers that wait for a CPU.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need jq script
mkdir "$work/t"
cd "$work/t" || exit
run="$FSSTRESS --timeout 1 --settle 0 --nr-threads 1 --test lease"
escape=$'\e['

# on_terminal VARIABLE=VALUE...: what a terminal gets is in $work/out
on_terminal()
{
	env -u NO_COLOR TERM=xterm LC_ALL=C.UTF-8 "$@" script -qec "$run" /dev/null \
		</dev/null >"$work/out" 2>&1
}

has()
{
	grep -qF -e "$1" "$work/out"
}

check "on a terminal" on_terminal
check "a live line of the window" grep -qE 'lease\.cycle  0\.[0-9] of 1 s  [0-9]+ ops/s' "$work/out"
check "with what came before" has "█"
check "which is cleared" has $'\r\e[K  key '
check "the status in colour" has "${escape}32mpassed${escape}0m"
check "with NO_COLOR" on_terminal NO_COLOR=1
check "no colour" [ "$(grep -cF "${escape}32m" "$work/out")" = 0 ]
check "no UTF-8" on_terminal LC_ALL=C
check "sparks in ASCII" grep -qE 'ops/s .*#' "$work/out"

check "no terminal" status 0 $run
check "no escape" [ "$(cat "$work/out" "$work/err" | grep -cF $'\e')" = 0 ]
check "no live line" [ "$(cat "$work/out" "$work/err" | grep -c ' of 1 s ')" = 0 ]

check "--interval" status 0 $run --interval 250ms
lines=$(grep -cE '^lease\.cycle [01]\.[0-9]{3} [0-9]+\.[0-9]{2}$' "$work/out")
check "a line each" [ "$lines" = 4 ]
check "--interval beside JSON" status 0 $run --interval 250ms --json -
check "JSON alone on stdout" jq -e '.stages | length == 1' "$work/out"
check "the lines on stderr" [ "$(grep -c '^lease\.cycle [01]\.' "$work/err")" = 4 ]
rate=$(awk '/^lease\.cycle / { sum += $3; n++ } END { print sum / n }' "$work/err")
hold "their mean is the rate, nearly" \
	"$(jq ".stages[0].ops_per_sec / $rate - 1 | fabs" "$work/out")" '<' 0.1
check "nothing is left" empty .
finish
