#!/bin/sh
# Writes a C file with the names of Linux's system calls, from the headers of this system: system_calls.sh COMPILER...
set -eu
echo '/* Made by debuginfo/prototypes/system_calls.sh. */'
echo '#include "debuginfo/prototypes/system_calls.h"'
echo 'const char *const system_call_names[] = {'
echo '#include <sys/syscall.h>' | "$@" -E -dM - | sed -n 's/^#define SYS_\([a-z][a-z0-9_]*\) .*/    "\1",/p' | LC_ALL=C sort -u
echo '};'
echo 'const size_t system_call_names_count = sizeof system_call_names / sizeof system_call_names[0];'
