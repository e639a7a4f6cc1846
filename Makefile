# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sources are globbed: a new core/x.c, platform/x.c, stressors/x.c or test needs no change here. platform/linux/x.c
# is taken instead of platform/x.c. Test-only stressors, tests/stressors/x.c, go into a second program with a table of
# its own.

O ?= build
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.PHONY: FORCE all programs check bench stationarity run lint install uninstall clean distclean help

ifeq ($(abspath $(O)),$(CURDIR))
$(error O=$(O): the source directory; name another one)
endif
ifdef CROSS_COMPILE
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
endif

# --- configuration: made by the first make where nobody ran ./configure, and again when configure has changed

ifneq ($(filter-out clean distclean help lint,$(or $(MAKECMDGOALS),all)),)
include $(O)/config.mk
endif
$(O)/config.mk: configure
	@echo "  CONFIG   $(O)"
	@./configure $(CONFIGURE_ARGS) O=$(O) >/dev/null

# --- what there is ------------------------------------------------------------------------------------------

comma := ,
# A sanitizer build keeps everything in a directory of its own, so switching back and forth is safe.
B := $(O)$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
PROGRAM := $(if $(filter build,$(B)),fsstress,$(B)/fsstress)
TEST_PROGRAM := $(B)/tests/fsstress-test

core := $(wildcard core/*.c)
platform := $(foreach f,$(sort $(notdir $(wildcard platform/*.c platform/linux/*.c))),\
	$(firstword $(wildcard platform/linux/$f platform/$f)))
stressors := $(wildcard stressors/*.c)
test_stressors := $(wildcard tests/stressors/*.c)

# NAME:LIBRARY of the stressors whose header says " * Needs: LIBRARY" of one that configure did not find
absent := $(foreach n,$(shell grep '^ \* Needs: ' $(stressors) $(test_stressors) /dev/null | \
	sed 's|.*/\([^/]*\)\.c:.*Needs: *|\1:|'),$(if $(filter $(lastword $(subst :, ,$n)),$(HAVE)),,$n))
name = $(basename $(notdir $1))
built = $(foreach f,$1,$(if $(filter $(call name,$f):%,$(absent)),,$f))
row = $(if $2,'FS_ABSENT("$1", "$2")','FS_STRESSOR("$1", $(subst -,_,$1))')
table = $(foreach n,$(sort $(call name,$1)),$(call row,$n,$(patsubst $n:%,%,$(firstword $(filter $n:%,$(absent))))))

objects = $(patsubst %.c,$(B)/%.o,$1)
common := $(call objects,$(filter-out core/main.c,$(core)) $(platform) $(call built,$(stressors)))
main := $(call objects,core/main.c)
units := $(patsubst %.c,$(B)/%,$(wildcard tests/test_*.c))
benches := $(patsubst %.c,$(B)/%,$(wildcard tests/bench_*.c))
TESTS ?= %
# The gate is built twice: for the stressors, and for those of the tests as well
STATIONARITY := $(B)/tests/stationarity
tests := $(foreach t,$(units) $(filter-out tests/lib.sh,$(wildcard tests/*.sh)),\
	$(if $(filter $(TESTS),$(call name,$t)),$t))

# --- how to build it ----------------------------------------------------------------------------------------

warnings = -Wall -Wextra -Wshadow -Wundef -Wmissing-prototypes -Wstrict-prototypes
sanitize = $(if $(SAN),-O1 -g -fsanitize=$(SAN) -fno-sanitize-recover=all)
compile = $(CC) -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -pthread $(warnings) \
	-I. -I$(O) $(CPPFLAGS) $(CFLAGS) -fno-omit-frame-pointer $(sanitize)
link = $(CC) -pthread $(CFLAGS) $(sanitize) -Wl,--as-needed $(LDFLAGS)

say = $(if $(V),,@printf '  %-8s %s\n' $1 $@)
Q := $(if $(V),,@)
# Make $1, words for a shell, the lines of the target, whose time changes only if they do
put = @mkdir -p $(@D); new=$$(printf '%s\n' $1); \
	[ -e $@ ] && [ "$$new" = "$$(cat $@)" ] || printf '%s\n' "$$new" >$@
quote = '$(subst ','\'',$1)'

all:		## the program: ./fsstress (with O=DIR: DIR/fsstress)
all: $(PROGRAM)

$(PROGRAM): $(main) $(common)
	$(call say,LINK)
	$(Q)$(link) -o $@ $^ $(LIBS)

$(B)/%.o: %.c $(B)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(compile) -MMD -MP -c -o $@ $<

$(B)/flags: FORCE
	$(call put,$(call quote,$(compile)) $(call quote,$(link) $(LIBS)))

$(B)/core/registry.o: $(O)/stressors.inc
$(O)/stressors.inc: FORCE
	$(call put,$(call table,$(stressors)))

# The second program differs in core/registry.c's table alone.
$(TEST_PROGRAM): $(main) $(filter-out $(B)/core/registry.o,$(common)) $(B)/tests/registry.o \
	$(call objects,$(call built,$(test_stressors)))
	$(call say,LINK)
	$(Q)$(link) -o $@ $^ $(LIBS)

$(B)/tests/registry.o: core/registry.c $(B)/flags $(O)/tests/stressors.inc
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(subst -I. ,-I$(O)/tests -I. ,$(compile)) -MMD -MP -c -o $@ $<
$(O)/tests/stressors.inc: FORCE
	$(call put,$(call table,$(stressors) $(test_stressors)))

$(units): $(B)/tests/test_%: $(B)/tests/test_%.o $(common)
	$(call say,LINK)
	@$(if $(filter cmocka,$(HAVE)),,echo "cmocka is needed for the unit tests: ./configure --with-deps" >&2; exit 1)
	$(Q)$(link) -o $@ $^ $(LIBS) -lcmocka

$(benches): $(B)/tests/bench_%: $(B)/tests/bench_%.o $(common)
	$(call say,LINK)
	$(Q)$(link) -o $@ $^ $(LIBS)

$(STATIONARITY): $(STATIONARITY).o $(common)
	$(call say,LINK)
	$(Q)$(link) -o $@ $^ $(LIBS) -lm

$(STATIONARITY)-test: $(STATIONARITY).o $(filter-out $(B)/core/registry.o,$(common)) $(B)/tests/registry.o \
	$(call objects,$(call built,$(test_stressors)))
	$(call say,LINK)
	$(Q)$(link) -o $@ $^ $(LIBS) -lm

-include $(wildcard $(addsuffix /*.d,$(addprefix $(B)/,core platform platform/linux stressors tests tests/stressors)))

# --- what to do with it -------------------------------------------------------------------------------------

programs:	## all that check and bench run, without running it
programs: all $(TEST_PROGRAM) $(units) $(benches) $(STATIONARITY) $(STATIONARITY)-test

environment = FSSTRESS=$(abspath $(PROGRAM)) FSSTRESS_TEST=$(abspath $(TEST_PROGRAM)) \
	FSSTRESS_OBJECTS=$(abspath $(B)) FSSTRESS_STATIONARITY=$(abspath $(STATIONARITY)-test)

check:		## all tests; as root on real mounts. TESTS='test_% lint' picks some
check: all $(TEST_PROGRAM) $(units) $(STATIONARITY)-test
	@$(environment) tests/run $(B)/tests $(tests)

bench:		## the harness measured against bare loops
bench: all $(TEST_PROGRAM) $(benches)
	@for b in $(benches); do echo "== $${b##*/}"; $(environment) $$b || exit; done

FS ?= ext4 xfs btrfs tmpfs
KEYS ?=
stationarity:	## does each op's cost stay what it was? 18 s a cell, as root. FS='ext4 xfs' KEYS='lease fiemap.*'
stationarity: $(STATIONARITY)
	@$(STATIONARITY) -f '$(FS)' $(patsubst %,'%',$(KEYS))

run:		## measure: as root on an ext4 of its own, else in a scratch directory
run: all
	@what='--test fiemap,fallocate,revio,iomix,lease'; \
	if [ "$$(id -u)" = 0 ]; then exec $(abspath $(PROGRAM)) --disk loop:1G --fs ext4 $$what; fi; \
	dir=$$(mktemp -d "$${TMPDIR:-/tmp}/fsstress.XXXXXX") && trap 'rm -rf "$$dir"' EXIT INT TERM && \
	$(abspath $(PROGRAM)) --target "$$dir" $$what

lint:		## rules that a compiler does not check
	@tests/lint.sh

bindir = $(DESTDIR)$(prefix)/bin
mandir = $(DESTDIR)$(prefix)/share/man/man1
install:	## program and manual page under $(DESTDIR)$(prefix)
install: all
	install -d "$(bindir)"
	install -m 755 $(PROGRAM) "$(bindir)/$(program_prefix)fsstress"
ifneq ($(wildcard doc/fsstress.1),)
	install -d "$(mandir)"
	install -m 644 doc/fsstress.1 "$(mandir)/$(program_prefix)fsstress.1"
endif

uninstall:	## take both away again
	rm -f "$(bindir)/$(program_prefix)fsstress" "$(mandir)/$(program_prefix)fsstress.1"

# Only in a directory that configure has written to, only what this file makes there.
clean:		## remove what was built; the configuration stays
	@[ ! -e $(O)/config.mk ] || \
		rm -rf $(O)/san-* $(addprefix $(O)/,core platform stressors tests flags stressors.inc fsstress)
	$(if $(filter build,$(O)),@rm -f fsstress)

distclean:	## remove the configuration as well
distclean: clean
	@rm -f $(addprefix $(O)/config.,mk h log) && { [ ! -d $(O) ] || rmdir $(O); }

help:		## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 18
	@echo "  with O=DIR, V=1, SAN=address,undefined or SAN=thread (built in O/san-...),"
	@echo "  CC= CFLAGS= CPPFLAGS= LDFLAGS= CROSS_COMPILE= DESTDIR= prefix="
