#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lint.sh - rules of this source tree that a compiler does not check. One line a finding: FILE:LINE: what.
# Lines have at most 100 columns (a tab is 8) in core, platform and stressors, 120 in tests and everywhere else.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1

dirs=$(ls -d core platform stressors tests contrib .ci 2>/dev/null)
# shellcheck disable=SC2086 # a list of words
files=$(find $dirs -type f \( -name '*.[ch]' -o -name '*.sh' -o -perm -u+x \) | sort)

# shellcheck disable=SC2086 # a list of words
awk '
function report(what) { print FILENAME ":" FNR ": " what; findings++ }

# The line without comments and the contents of strings; in_comment carries a comment over lines.
function code(s,   out, i) {
	gsub(/\\./, "", s)
	gsub(/"[^"]*"/, "\"\"", s)
	out = ""
	while (s != "") {
		if (in_comment) {
			i = index(s, "*/")
			if (!i) return out
			s = substr(s, i + 2)
			in_comment = 0
		}
		i = index(s, "/*")
		if (!i) break
		out = out substr(s, 1, i - 1)
		s = substr(s, i + 2)
		in_comment = 1
	}
	if (!in_comment) out = out s
	sub(/\/\/.*/, "", out)
	return out
}

function columns(s,   n, parts, i, width) {
	n = split(s, parts, "\t")
	width = 0
	for (i = 1; i < n; i++) width += length(parts[i]) + 8 - (width + length(parts[i])) % 8
	return width + length(parts[n])
}

function end_file() {
	if (file == "") return
	if (!spdx) print file ": no SPDX line in the first three"
	if (lines > 400) print file ": " lines " lines, at most 400"
	if (blank) print file ": blank line at the end"
	if (guard != "" && guard != "done") print file ": no guard #ifndef " guard
	findings += !spdx + (lines > 400) + blank + (guard != "" && guard != "done")
}

FNR == 1 {
	end_file()
	file = FILENAME
	dir = file; if (!sub(/\/.*/, "", dir)) dir = "."
	is_c = file ~ /\.[ch]$/
	own = file; sub(/.*\//, "", own); sub(/\.[ch]$/, "", own)
	ours = dir == "core" || dir == "platform" || dir == "stressors"
	most = ours ? 100 : 120
	spdx = blank = in_comment = start = 0
	guard = ""
	if (file ~ /\.h$/ && ours) { guard = toupper(file); gsub(/[^A-Z0-9]/, "_", guard) }
}

{
	lines = FNR
	blank = $0 == ""
	if (FNR <= 3 && /SPDX-License-Identifier: GPL-2.0-or-later/) spdx = 1
	if (/[ \t\r]$/) report("blank at the end of the line")
	if (/^\t* +\t/) report("blank before a tab")
	if (columns($0) > most) report(columns($0) " columns, at most " most)
}

!is_c { next }

/^        / && !in_comment { report("indented with blanks, not tabs") }

# A function body is what stands between { and } in the first column.
/^{/ { start = FNR }
/^}/ { if (start && FNR - start - 1 > 60) report("function of " FNR - start - 1 " lines, at most 60"); start = 0 }

ours && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	name = quoted[2]
	if (dir == "stressors" && name != "core/stressor.h" && name != "stressors/" own ".h")
		report("a stressor includes core/stressor.h alone, and a header of its own")
	if (dir == "platform" && name !~ /^platform\// && name != "config.h")
		report("platform includes platform/ and config.h alone")
	if (dir == "core" && name !~ /^(core|platform)\// && name != "stressors.inc")
		report("core includes core/, platform/ and stressors.inc alone")
}

ours && /^[ \t]*#[ \t]*include[ \t]*<(core|platform|stressors|tests)\// { report("a header of ours goes in quotes") }

{ c = code($0) }

ours && dir != "platform" && c ~ /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)([^a-z]|$)/ {
	if (guard != "" && c == "#ifndef " guard) guard = "done"
	else report("conditional compilation belongs in platform")
}
dir == "platform" && guard != "" && c == "#ifndef " guard { guard = "done" }

ours && c ~ /cpu_set_t[ \t]+[^* \t]/ { report("cpu_set_t has room for 1024 CPUs only") }
(dir == "core" || dir == "platform") {
	gsub(/\[4096\]/, "", c)		# a buffer, not a page
	if (c ~ /(^|[^A-Za-z0-9_])(PAGE_SIZE|4096[uUlL]*)([^A-Za-z0-9_]|$)/)
		report("the page size is sysconf(_SC_PAGESIZE)")
}

END { end_file(); exit findings > 0 }
' Makefile configure $files
