#!/bin/bash
# A program that handles the overflows of its stack, thousands of them: some come while a hook has more to do than write
# an event, with signals blocked. The program runs as plain, and its calls are counted.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

gcc -w -g -O1 -fno-inline -fno-optimize-sibling-calls -I "$programs" -o plain "$programs/overflows.c" -lpthread
overflows() { # WHAT RECORD-OPTION... PROGRAM
    run "$fisql" record -q "${@:2}" 20000
    same "$1: it runs as plain" "0 main 1 spill 979289 on_overflow 20000" "$status $(tr '\n' ' ' <<<"$out" | sed 's/ $//')"
    "$fisql" load -q run.bin
    same "$1: counts" "on_overflow 20000
spill 979289" "$(counts run.db | grep -E '^(spill|on_overflow) ')"
}
overflows "as it is" --as-is ./plain
overflows "as it is, --values" --as-is --values ./plain
for compiler in gcc clang; do
    build $compiler hooked -g -O1 -fno-optimize-sibling-calls -Wno-infinite-recursion "$programs/overflows.c" || continue
    overflows "$compiler" ./hooked
    overflows "$compiler, --depth 90" --depth 90 ./hooked
    overflows "$compiler, one processor" taskset -c "$(taskset -pc $$ | sed 's/.*[: ,-]//')" ./hooked
done
