#!/bin/bash
# The disk pauses while a log is written: what the program records meanwhile waits in the memory of fisql record, and the log
# is the same as ever.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
[ "$(nproc)" -ge 2 ] || skip "with one processor, threads write themselves"

gcc -O2 -o many "$programs/many_leaves.c"
gcc -O2 -shared -fPIC -o slow.so "$programs/slow_disk.c"
for how in full none; do
    for options in "" --no-compress; do
        # shellcheck disable=SC2086
        run env FISQL_TEST_PAUSES=2 LD_PRELOAD="$PWD/slow.so" "$fisql" record -q $options --time $how -o slow.bin ./many 30
        same "--time $how $options: the program ends as ever" "0 $(./many 30)" "$status $out"
        run "$fisql" load -q --calls=none slow.bin
        same "--time $how $options: the log loads" "0 " "$status $err"
        same "--time $how $options: all calls are there, and nothing is lost" "30000001 0 0" "$(sql slow.db "
            SELECT sum(calls), (SELECT count(*) FROM losses), (SELECT count(*) FROM anomalies) FROM threads" | tr '|' ' ')"
        has "--time $how $options: the log says that the disk paused" " chunks waited in memory" \
            "$(sql slow.db "SELECT value FROM run WHERE key = 'disk_pauses'")"
        at_least "--time $how $options: some chunks did" 10 \
            "$(sql slow.db "SELECT value FROM run WHERE key = 'disk_pauses'" | sed 's/.*; \([0-9]*\) chunks.*/\1/')"
    done
done
run "$fisql" record -q -o quick.bin ./many 5
"$fisql" load -q --calls=none quick.bin
same "without a pause, none is told" "" "$(sql quick.db "SELECT value FROM run WHERE key = 'disk_pauses'")"
