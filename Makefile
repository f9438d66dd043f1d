# fisql: records, loads and queries the calls and allocations of C and C++ programs.
# `make help` lists the targets. The rules are in mk/, a file a subject.

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

CC ?= cc
OPT ?= -O2 -g
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wimplicit-fallthrough -Wunused-result
ifdef CI
WARN += -Werror
endif
# Where libdwarf's headers are not in Debian's place, pkg-config knows, or the folder has its version in its name.
ifeq ($(wildcard /usr/include/libdwarf/libdwarf.h),)
DWARF_FLAGS := $(shell pkg-config --cflags libdwarf 2>/dev/null || \
        ls -d /usr/include/libdwarf-* 2>/dev/null | sed -n 's/^/-I/;$$p')
endif
CPPFLAGS_ALL = -I. $(DWARF_FLAGS) -D_GNU_SOURCE -DFISQL_VERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(OPT) $(WARN) -fno-common -MMD -MP $(SANITIZE) $(CFLAGS)
LIBS = -lsqlite3 -ldwarf -lZydis -lz -lzstd -llzma -lpthread -ldl -lm
# The demangler of gcc and binutils; without it C++ names are demangled by the C++ runtime, Rust's
# only where they have C++'s form.
ifneq ($(wildcard /usr/include/libiberty/demangle.h),)
CPPFLAGS_ALL += -DFISQL_LIBIBERTY
LIBS += -liberty
endif

# One line a file; V=1 shows the commands, -s nothing.
SILENT := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(filter 1,$(V)),,@$(if $(SILENT),,printf '  %-4s %s\n' $(1) $@; ))

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

MK := $(addprefix mk/,collector.mk program.mk check.mk gates.mk bench.mk install.mk)
.PHONY: again all clean help

all: $(BUILD)/fisql libraries $(BUILD)/prototypes/made ## build the program and the collector (V=1 shows the commands)

include $(MK)

# Before anything is compiled: says what is missing in place of a compiler's errors.
$(BUILD)/needs:
	@CC='$(CC)' CPPFLAGS='$(DWARF_FLAGS) $(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' LIBS='$(LIBS)' tests/needs
	@mkdir -p $(@D) && : > $@

clean: ## remove what was built
	rm -rf $(BUILD)

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' Makefile $(MK) | expand -t 16

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
