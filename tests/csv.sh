#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# csv.sh - --csv is a table alone on stdout, with the numbers of the JSON of the same run
# Alone: its windows are too short for workers that wait for a CPU.

. tests/lib.sh
need jq
mkdir "$work/a" "$work/b,\"c\""
cd "$work" || exit

# cells FILE NAME...: these cells of each row, by the rules of RFC 4180, between blanks; a null is a -
cells()
{
	local file=$1
	shift
	awk -v names="$*" '
	function take(   cell, at) {
		if (substr($0, 1, 1) != "\"") {
			match($0, /^[^,]*/)
			cell = substr($0, 1, RLENGTH)
			$0 = substr($0, RLENGTH + 2)
			return cell
		}
		for (at = 2; substr($0, at, 1) != "\"" || substr($0, at, 2) == "\"\""; at++) {
			if (at > length($0)) exit bad = 1
			at += substr($0, at, 1) == "\""
			cell = cell substr($0, at, 1)
		}
		$0 = substr($0, at + 2)
		return cell
	}
	{
		$0 = $0 ","
		for (n = 0; $0 != ""; ) row[++n] = take()
	}
	NR == 1 {
		columns = n
		for (i = 1; i <= n; i++) column[row[i]] = i
		next
	}
	n != columns { exit bad = 1 }
	{
		for (i = split(names, name, " "); i; i--) {
			if (!(name[i] in column)) exit bad = 1
			cell = row[column[name[i]]]
			line = (cell == "" ? "-" : cell) (line == "" ? "" : " " line)
		}
		print line
		line = ""
	}
	END { exit bad }' "$file"
}

# The failed and skipped ones have reasons with commas or errnos; two targets, twice.
check "a run of all sorts" status 1 "$FSSTRESS_TEST" --target a --target 'b,"c"' --repeat 2 --nr-threads 1,2 \
	--test unlink,misbehave.fail,misbehave.skip --ops 50 --settle 0 --misbehave-at 20 --csv --json json
check "messages are on stderr" grep -q "^fsstress: misbehave.fail.w1: failed: " err
check "a row for each stage of each run" [ "$(cells out run | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd,)" = \
	"6 1,6 2,6 3,6 4" ]
axes=(key workers status errno errno_name ops)
cells out run "${axes[@]}" >got || fail "a table"
jq -r 'to_entries[] | .key as $run | .value.stages[] | [$run + 1, .key, .workers, .status, .errno, .errno_name, .ops]
	| map(. // "-") | join(" ")' json >wanted
check "what the JSON says" diff wanted got
cells out target reason >got
jq -r '.[] | .target.path as $path | .stages[] | [$path, .reason // "-"] | join(" ")' json >wanted
check "target and reason as in the JSON" diff wanted got
cells out ops_per_sec measured_s user_s voluntary_switches device_busy_s >got
jq -r '.[].stages[] | [.ops_per_sec, .time.measured_s, .cpu_s.user, .context_switches.voluntary, .device_io.busy_s]
	| map(. // "-") | join(" ")' json >wanted
check "numbers as in the JSON, rounded" awk '
	NR == FNR { for (i = 1; i <= 5; i++) want[NR, i] = $i; rows = NR; next }
	{
		for (i = 1; i <= 5; i++) {
			if ($i !~ /^([0-9]+(\.[0-9]+)?|-)$/) bad = 1
			if (($i == "-") != (want[FNR, i] == "-")) bad = 1
			if ($i != "-" && ($i - want[FNR, i]) ^ 2 > (1e-5 * want[FNR, i]) ^ 2) bad = 1
		}
		seen = FNR
	}
	END { exit bad || seen != rows || !rows }' wanted got
check "--quiet leaves the table" status 1 "$FSSTRESS_TEST" --target a --test misbehave.fail --ops 50 \
	--misbehave-at 20 --quiet --csv
check "of two lines" [ "$(wc -l <out)" = 2 ]
finish
