#!/bin/bash
# The disk pauses while a log is written: what the program records meanwhile waits in the memory of fisql record, and the log
# is the same as ever.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

left_out= # with one processor threads write themselves; ASan's runtime must come before what is preloaded
[ "$(nproc)" -ge 2 ] || left_out="one processor"
case $FISQL_BUILD in
*asan*) left_out=ASan ;;
esac
if [ -n "$left_out" ]; then
    ok "skipped: $left_out"
    exit
fi
gcc -O2 -o many "$programs/many_leaves.c"
gcc -O2 -shared -fPIC -o slow.so "$programs/slow_disk.c"
all=0 aside=0
for how in full none; do
    for options in "" --no-compress; do
        # shellcheck disable=SC2086
        run env FISQL_TEST_PAUSES=2 LD_PRELOAD="$PWD/slow.so" "$fisql" record -q $options --time $how -o slow.bin ./many 30
        same "--time $how $options: the program ends as ever" "0 $(./many 30)" "$status $out"
        run "$fisql" load -q --calls=none slow.bin
        same "--time $how $options: the log loads" "0 " "$status $err"
        same "--time $how $options: all calls are there, and nothing is lost" "30000001 0 0" "$(sql slow.db "
            SELECT sum(calls), (SELECT count(*) FROM losses), (SELECT count(*) FROM anomalies) FROM threads" | tr '|' ' ')"
        waited=$(sql slow.db "SELECT value FROM run WHERE key = 'disk_pauses'" | sed 's/.*; \([0-9]*\) chunks waited in memory.*/\1/')
        all=$((all + ${waited:-0}))
        # percent of the time that others had the program's processor
        part=$(sql slow.db "SELECT CAST(100 * total(preempted_ns) / max(1, total(end_ns - start_ns)) AS INTEGER) FROM threads")
        aside=$((part > aside ? part : aside))
    done
done
# With both processors taken by others, fisql record finds no time for it, and threads write themselves.
if [ "$all" -lt 12 ] && [ "$aside" -ge 20 ]; then
    ok "skipped: other programs had the processors for $aside % of the time"
else
    at_least "the logs say that the disk paused, and that chunks waited" 12 "$all"
fi
