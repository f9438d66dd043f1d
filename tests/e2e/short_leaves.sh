#!/bin/bash
# Where not all calls are timed, calls of functions that call nothing are written as one event. They are what they are with all
# times: counted, in their order, with their callers; and the one in which a program fails is open.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

for compiler in gcc clang; do
    "$compiler" -g -O2 -o leaves "$programs/short_leaves.c"
    ./leaves >plain.out
    for what in "" mends; do
        for how in full sampled none; do
            run "$fisql" record -q --time $how -o $how.bin ./leaves $what
            same "$compiler, --time $how $what: the program does what it does" "0 $(cat plain.out)" "$status $out"
            "$fisql" load -q $how.bin && sql $how.db "
                SELECT c.id, c.parent_id, c.depth, f.name, s.address, c.ended, c.descendants
                FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
                     LEFT JOIN sites s ON s.id = fr.site_id" >$how.rows
        done
        at_least "$compiler: there are many calls" 200000 "$(wc -l <full.rows)"
        for how in sampled none; do
            # A handler that runs in a leaf has the leaf's caller, for the leaf is over.
            grep -v '|mends|' full.rows | cut -d'|' -f3-6 | sort | uniq -c >full.kinds
            grep -v '|mends|' $how.rows | cut -d'|' -f3-6 | sort | uniq -c >$how.kinds
            same "$compiler, --time $how $what: calls of each kind, as often" "$(cksum <full.kinds)" "$(cksum <$how.kinds)"
            [ -n "$what" ] || same "$compiler, --time $how: in the same order" "$(cksum <full.rows)" "$(cksum <$how.rows)"
            same "$compiler, --time $how $what: nothing is lost, nothing impossible" "0 0" \
                "$(sql $how.db "SELECT (SELECT count(*) FROM anomalies) || ' ' || (SELECT count(*) FROM losses)")"
        done
    done
    for how in full none; do
        "$fisql" record -q --no-compress --time $how -o $how.bin ./leaves >/dev/null
    done
    at_least "$compiler: the log says that they are one event" 1 "$(($(stat -c %s none.bin) * 10 < $(stat -c %s full.bin) * 9))"
    for what in first later divides; do
        for how in full sampled none; do
            { run "$fisql" record -q --time $how -o $how.bin ./leaves $what; } 2>/dev/null
            "$fisql" load -q $how.bin
            sql $how.db "SELECT kind, signal, function, location, message, call_id FROM incident_details" >$how.incident
            sql $how.db "SELECT f.name, c.depth FROM calls c JOIN frames fr ON fr.id = c.frame_id
                JOIN functions f ON f.id = fr.function_id WHERE c.ended >= 2 ORDER BY c.id" >$how.open
            echo "$status" >>$how.open
        done
        has "$compiler $what: the innermost open call is the leaf" "$what" "$(tail -n 2 full.open | head -n 1)"
        same "$compiler $what: there is an incident" 1 "$(wc -l <full.incident)"
        for how in sampled none; do
            same "$compiler $what, --time $how: the incident is as with all times" "$(cat full.incident)" "$(cat $how.incident)"
            same "$compiler $what, --time $how: so are the open calls" "$(cat full.open)" "$(cat $how.open)"
        done
    done
done
