# SPDX-License-Identifier: GPL-2.0-or-later
#
# contract.awk - a worker's system calls against what its stressor declares
#
#     awk -v ops=N -v multiple=N -v helpers=N -f contract.awk TABLE TRACE
#
# TABLE: a line "name<TAB>n<TAB>args" for each declared call: n of them in each `multiple` ops, their lines having args in
# them. TRACE: what strace -ff wrote for the worker's task. Counted is what lies between its names "fss:..." (on the clock)
# and "fso:..." (off it). Status 1, and a line for each difference, where something is missing, too much, or not declared.

function bad(what)
{
	print "  " what
	differences++
}

# The only declared call that this line is, or 0.
function which(line, name,    i, found)
{
	found = 0
	for (i = 1; i <= declared; i++) {
		if (calls[i] != name || (args[i] != "" && !index(line, args[i])))
			continue
		if (found)
			bad("two declared calls fit: " line)
		found = i
	}
	return found
}

FNR == NR {
	declared++
	split($0, field, "\t")
	calls[declared] = field[1]
	per[declared] = field[2]
	args[declared] = field[3]
	next
}

/^prctl\(PR_SET_NAME, "fss:/ { on = 1; brackets++; next }
/^prctl\(PR_SET_NAME, "fso:/ { on = 0; next }
!on { next }

{
	name = $0
	sub(/\(.*/, "", name)
	# how a worker meets its helpers
	if (name == "futex" && helpers)
		next
	i = which($0, name)
	if (i)
		made[i]++
	else if (++undeclared[name] == 1)
		bad("not declared: " $0)
}

END {
	if (!declared)
		bad("no call is declared")
	if (!brackets)
		bad("the worker was never on the clock")
	if (on)
		bad("the worker ended on the clock")
	for (i = 1; i <= declared; i++) {
		if (made[i] * multiple != per[i] * ops)
			bad(sprintf("%d %s(%s), not %d for %d ops", made[i], calls[i], args[i], per[i] * ops / multiple, ops))
	}
	for (name in undeclared) {
		if (undeclared[name] > 1)
			bad("not declared: " undeclared[name] " " name)
	}
	exit differences > 0
}
