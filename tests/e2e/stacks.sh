#!/bin/bash
# Stacks that are out of the ordinary: handlers on an alternate stack above the thread's own, the smallest stacks
# that there are. Counts are the program's own.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc stacks -O1 -g "$programs/stacks.c"
build gcc pluginA.so -shared -fPIC -g -DNAME=A "$programs/plugin.c"
build gcc smallest -O0 -g "$programs/smallest.c"
for command in "stacks nested 20000" "stacks nested 20000" "stacks nested 20000" "stacks malloc 60" \
    "smallest ./pluginA.so"; do
    # shellcheck disable=SC2086 # words
    timeout 60 "$fisql" record -q ./$command >out.txt 2>err.txt
    same "$command: status" "0 " "$? $(cat err.txt)"
    "$fisql" load -q run.bin
    same "$command: loads without loss" 0 $?
    same "$command: counts" "$(expected out.txt)" "$(counts run.db | grep -vE '^(plugin|inner_A) ' | LC_ALL=C sort)"
done
same "the library's functions are counted" "inner_A 4
plugin 2" "$(counts run.db | grep -E '^(plugin|inner_A) ')"
