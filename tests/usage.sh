#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is refused: exit status and message of each command in golden/usage, before anything is touched.
#
# golden/usage: "$ [NAME=VALUE...] fsstress ARGUMENTS", in words without quotes, then "STATUS MESSAGE". After a change
# that is meant, FSSTRESS_GOLDEN=update writes the second lines anew; read their difference before you commit it.

. tests/lib.sh

here=$PWD
golden=$PWD/tests/golden/usage
mkdir "$work/empty"
cd "$work/empty" || exit 1
printf '%s\n' '# a comment' 'test = fiemap' 'timeout = 3   # seconds' >../good.job
printf '%s\n' 'test = fiemap' '' 'timeotu = 3' >../typo.job
printf '%s\n' 'test fiemap' >../words.job
printf '%s\n' '--test = fiemap' >../dashes.job
printf '%s\n' 'job = good.job' >../nested.job

# Nothing of this measures anything: the limit is there to end what does.
refused()
{
	local status
	timeout 10 env "${@/#fsstress/$FSSTRESS}" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	echo "$status $(cat "$work/err")"
	[ ! -s "$work/out" ] || sed 's/^/stdout: /' "$work/out"
	[ -z "$(ls -A)" ] || ls -A
}

while read -r prompt line; do
	[ "$prompt" = '$' ] || continue
	read -ra words <<<"$line"
	echo "\$ $line"
	refused "${words[@]}"
done <"$golden" >"$work/got"
[ -z "${FSSTRESS_GOLDEN-}" ] || cp "$work/got" "$golden"
check "refusals are as in golden/usage" diff -u "$golden" "$work/got"
check "there are some" [ "$(wc -l <"$work/got")" -gt 100 ]
check "each is one line, from the program" [ "$(grep -cvE '^(\$|[1-9] fsstress:) ' "$work/got")" = 0 ]
check "each has one" [ "$(grep -c '^\$ ' "$work/got")" = "$(grep -c '^[1-9] ' "$work/got")" ]
check "nothing is made" empty .
cd "$here" || exit 1

# A command line of stress-ng's needs but the word changed.
if [ "$(id -u)" = 0 ]; then
	make_fs ext4 1G
else
	M=$work/empty
fi
check "stress-ng's command line is accepted" status 0 "$FSSTRESS" --timeout 1 --times --verify --metrics-brief \
	--sequential 9 --class os --minimize --exclude spawn,exec,swap --target "$M"
grep 'note: stress-ng' "$work/err" >"$work/notes"
check "with a note" one_line "$work/notes" "accepted without effect here: --minimize"
check "9 workers of each stressor" [ "$(awk '/  (passed|skipped)/ { print $2 }' "$work/out" | sort -u)" = 9 ]
rows=$(grep -c '^fsstress: metrc: .*\.[0-9][0-9]$' "$work/out")
check "a row for each stage that ran, no more" [ "$rows" = "$(grep -c "  passed" "$work/out")" ]
check "nothing is left" empty "$M"
finish
