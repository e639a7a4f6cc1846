#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What lkp-tests reads from a run, messages and all: from the stress-ng table by the rule of its stress-ng parser, and
# from --lkp. And --json - is one document.
# Alone: its windows are too short for workers that wait for a CPU.

. tests/lib.sh
need jq

make_target tmpfs 256M

# A stage that passes, one that fails, one that is skipped, and three notes: an option without effect, a stage asked for
# twice, files that were kept.
run()
{
	"$FSSTRESS_TEST" --target "$M" --test unlink,misbehave.fail,misbehave.skip --test unlink --nr-threads 1 \
		--timeout 0.3 --unlink-files 64 --keep-files on-fail --minimize "$@"
}

# stdout and stderr in one file, as lkp-tests keeps them
both()
{
	run "$@" >"$work/both" 2>&1
	[ $? = 1 ] && [ "$(grep -i '\<note: ' "$work/both" | grep -vc governor)" = 3 ] && return 0
	cat "$work/both"
	return 1
}

# The rule of lkp-tests' programs/stress-ng/parse: behind a line that says (secs) three times, a line of 10 or 12 words
# is a stressor, the 4th word its name, the 5th its ops, the 9th its rate, "0" ops a failure; until "run time:". Lines
# with "fail:" or "warn:" say nothing, and two messages end it all.
parse()
{
	awk '
	/this stressor is not implemented on this system|No stress workers invoked/ { exit }
	/all bogo-op counters are zero/ || /fail:/ || /warn:/ { next }
	/\(secs\)[ \t]+\(secs\)[ \t]+\(secs\)/ { table = 1; next }
	/run time:/ { exit }
	!table || NF != 10 && NF != 12 { next }
	$5 == "0" { print $4 ".fail: 1"; next }
	{ print $4 ".pass: 1"; print $4 ".ops: " $5; print $4 ".ops_per_sec: " $9 }' "$1"
}

parsed()
{
	parse "$work/both" >"$work/parsed"
	sed 's/: .*//' "$work/parsed" | sort >"$work/keys"
	printf '%s\n' misbehave.fail.fail unlink.ops unlink.ops_per_sec unlink.pass | diff - "$work/keys" || return
	numbers "$work/parsed"
}

# numbers FILE: each line is "KEY: NUMBER", no key twice, the numbers plain decimals, none of them zero
numbers()
{
	! grep -vE '^[a-z0-9][a-z0-9_.-]*: [0-9]+(\.[0-9]+)?$' "$1" && ! grep -E ': 0+(\.0*)?$' "$1" &&
		[ -z "$(sed 's/: .*//' "$1" | sort | uniq -d)" ]
}

# Nothing that follows the table could be taken for a part of it.
table_last()
{
	awk -v columns="$1" '
	/\(secs\)[ \t]+\(secs\)[ \t]+\(secs\)/ { table = NR }
	/run time:/ { times = NR }
	table && NR > table && !times { if (NF != columns) { print "  " $0; bad = 1 } }
	table && NR > table && !/^fsstress: (metrc|info): / { print "  " $0; bad = 1 }
	END { exit bad || !table }' "$work/both"
}

for columns in 12 10; do
	for times in "" --times; do
		metrics=--metrics
		[ $columns = 12 ] || metrics=--metrics-brief
		# shellcheck disable=SC2086
		check "$metrics $times: a run with all sorts of messages" both $metrics $times
		check "$metrics $times: lkp-tests' parser finds the right keys and nothing else" parsed
		check "$metrics $times: the table of $columns columns comes last" table_last $columns
		rm -rf "$M"/fsstress.*
	done
done
check "--times alone" both --times
check "--times: lkp-tests' parser finds the same" parsed
check "--times: says for how long" \
	grep -qE '^fsstress: info: +\[[0-9]+\] for a [0-9]+\.[0-9]{2}s run time:$' "$work/both"
rm -rf "$M"/fsstress.*

check "--lkp" status 1 run --lkp
check "every key once, plain decimals" numbers "$work/out"
sed 's/: .*//' "$work/out" | grep -v '^unlink\.[a-z_]*_per_op$' >"$work/keys"
check "keys of what passed, failed and was skipped" cmp "$work/keys" - <<'EOT'
unlink.pass
unlink.ops_per_sec
misbehave.fail.fail
misbehave.skip.skip
workload
EOT
rm -rf "$M"/fsstress.*

check "--json -" status 1 run --json -
check "is one document" [ "$(jq -s 'length' "$work/out")" = 1 ]
check "that hangs together" sound "$work/out"
check "all messages are on stderr" grep -q 'note: ' "$work/err"
rm -rf "$M"/fsstress.*

check "two repetitions" status 1 run --repeat 2 --json -
check "are one array" [ "$(jq -s 'length, (.[0] | type, length)' "$work/out" | paste -sd ' ')" = '1 "array" 2' ]
rm -rf "$M"/fsstress.*
finish
