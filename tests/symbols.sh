#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# symbols.sh - only fs_* and main leave an object file; of a stressor, nothing but its descriptor
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
objects=${FSSTRESS_OBJECTS:-build}
failed=0 seen=0

for source in core/*.c platform/*.c platform/linux/*.c stressors/*.c; do
	object=$objects/${source%.c}.o
	[ -e "$object" ] || continue	# not built here
	seen=$((seen + 1))
	case $source in
	stressors/*) allowed=fs_stressor_$(basename "$source" .c | tr - _) ;;
	core/main.c) allowed='main' ;;
	*) allowed='fs_[a-z0-9_]*' ;;
	esac
	# Sanitizers add names with two underscores in front.
	others=$("${NM:-nm}" -g --defined-only "$object" |
		awk -v allowed="^($allowed|__.*)\$" 'NF == 3 && $3 !~ allowed { print $3 }') || exit 1
	for symbol in $others; do
		echo "$source: $symbol leaves the file"
		failed=1
	done
done
[ "$seen" -gt 0 ] || { echo "no objects in $objects"; exit 1; }
exit "$failed"
