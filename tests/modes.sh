#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# modes.sh - what a run can be told: who shares, what a worker is, repetition, targets, kept files,
# job files
# Alone: its windows are too short for workers that wait for a CPU.
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE%/*}/lib.sh"
need jq
mkdir "$work/a" "$work/b"
cd "$work/a" || exit
run=("$FSSTRESS" --ops 100 --settle 0 --verify --quiet --json -)

# passed WHAT OPTION...: all stages passed, nothing is left; results in $work/out
passed()
{
	local what=$1
	shift
	check "$what" status 0 "${run[@]}" "$@"
	check "$what: results" sound "$work/out" passed
	check "$what: nothing left" empty .
}

# keys: of the results
keys()
{
	jq -r '[.] | flatten | map(.stages[].key) | join(" ")' "$work/out"
}

passed "--share dir" --share dir --test fallocate,revio
passed "--share file" --share file --test fallocate,revio,lease
check "sharing is in the key" [ "$(keys)" = \
	"fallocate.alloc.file revio.sparse.file lease.cycle.file" ]
check "and in the result" [ "$(jq -c '[.stages[].share] | unique' "$work/out")" = '["file"]' ]
# Workers end in different rounds, of which each makes the file anew.
check "--share file, many rounds" status 0 "$FSSTRESS" --share file --test revio --nr-threads 3 \
	--revio-bytes 64K --ops 2001 --settle 0 --verify --quiet --json -
check "--share file, many rounds: results" sound "$work/out" passed
check "a mode that a stressor lacks" status 2 "${run[@]}" --share range --test fallocate
check "one line" one_line "$work/err" range

passed "--workers process" --workers process --test fallocate,revio,iomix,lease
check "they are processes" [ "$(jq -c '[.stages[].task] | unique' "$work/out")" = '["process"]' ]
passed "a class together" --class filesystem --all 1 --exclude fiemap
check "marked" [ "$(jq -c '[.stages[].together] | unique' "$work/out")" = '[true]' ]

passed "--repeat 2" --repeat 2 --test lease
check "an array of two" [ "$(jq 'type == "array" and length == 2' "$work/out")" = true ]
mkfifo ../pipe
timeout 30 cat ../pipe >../piped &
reader=$!
check "--json to a pipe" status 0 "$FSSTRESS" --test lease --ops 100 --settle 0 --quiet --json ../pipe
wait $reader
check "the reader has all of it" sound ../piped passed
passed "two targets" --target . --target ../b --test lease
check "each named" [ "$(jq -r 'map(.target.path | split("/") | last) | join(" ")' "$work/out")" = \
	"a b" ]
check "nothing left in the other" empty ../b

passed "--keep-files on-fail, passed" --keep-files on-fail --test lease
check "--keep-files always" status 0 "${run[@]}" --keep-files always --test lease
check "kept" [ -d fsstress.*/w0 ]
check "clean" status 0 "$FSSTRESS" clean
check "nothing left" empty .
check "--keep-files on-fail, failed" status 1 "$FSSTRESS_TEST" --keep-files on-fail --test \
	misbehave.fail --ops 2000
check "kept" [ -d fsstress.*/w0 ]
check "clean" status 0 "$FSSTRESS" clean --target .
check "nothing left" empty .

type=$(jq -r .target.fstype <("$FSSTRESS" plan --test lease --json -))
passed "--require-fs of this one" --require-fs "$type" --test lease
check "--require-fs of another" status 3 "${run[@]}" --require-fs not-a-filesystem --test lease
check "one line" one_line "$work/err" not-a-filesystem

cat >../job <<'END'
# what a job file may say
test = lease,fallocate
fallocate-bytes = 1M
nr-threads = 1
timeout = 0.1
verify
END
check "--job" status 0 "$FSSTRESS" --job ../job --settle 0 --quiet --json -
check "--job: results" sound "$work/out" passed
check "--job: its stages" [ "$(keys)" = "lease.cycle fallocate.alloc" ]
check "--job: its option" [ "$(stage "$work/out" fallocate.alloc .options.bytes)" = 1048576 ]
echo 'timeuot = 1' >>../job
check "--job with a typo" status 2 "$FSSTRESS" --job ../job
check "one line" one_line "$work/err" job:7
check "nothing left" empty .
finish
