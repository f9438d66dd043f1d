#!/bin/bash
# record --time sampled: all calls are recorded and counted, in their order, though few of short functions have times; what
# is estimated from these is all there, and what waits is known.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

gcc -g -O2 -o as-is "$programs/walks.c"
build gcc with-hooks -g -O2 "$programs/walks.c"
for program in as-is with-hooks; do
    for how in full sampled; do
        "$fisql" record -q --time $how -o $how.bin ./$program 12 3 && "$fisql" load -q $how.bin
        sql $how.db "SELECT id, parent_id, depth, frame_id, ended, descendants FROM calls" >$how.rows
    done
    same "$program: each call has the same caller and end as with all times" "$(cksum <full.rows)" "$(cksum <sampled.rows)"
    at_least "$program: they are many" 300000 "$(sql sampled.db "SELECT count(*) FROM calls")"
    same "$program: nothing is lost, nothing impossible" "$(sql full.db "SELECT kind, count(*) FROM anomalies GROUP BY 1") 0" \
        "$(sql sampled.db "SELECT kind, count(*) FROM anomalies GROUP BY 1") $(sql sampled.db "SELECT count(*) FROM losses")"
    same "$program: with all times, each call has one" 0 "$(sql full.db "SELECT count(*) FROM calls WHERE duration_ns IS NULL")"
    at_least "$program: of leaf, few calls have times" 1 "$(sql sampled.db "
        SELECT count(c.duration_ns) BETWEEN 1000 AND count(*) / 4
        FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id WHERE f.name = 'leaf'")"
    same "$program: of what waits, each call has one, and its waiting is known" "40 1" "$(sql sampled.db "
        SELECT count(c.duration_ns) || ' ' || (s.self_wait_ns > 40 * 2900000)
        FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
             JOIN function_stats s ON s.function_id = f.id WHERE f.name = 'waits'")"
    same "$program: the histograms have each timed call as often as it counts" "" "$(sql sampled.db "
        SELECT f.name, s.calls, d.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
             JOIN (SELECT function_id, sum(count) AS calls FROM durations GROUP BY 1) d ON d.function_id = s.function_id
        WHERE d.calls NOT BETWEEN 0.99 * s.calls - 256 AND s.calls")"
    same "$program: own times, estimated by context, add up to the whole" 1 "$(sql sampled.db "
        SELECT sum(t.raw_self_ns) = (SELECT sum(duration_ns) FROM calls WHERE parent_id IS NULL) FROM threads t")"
    same "$program: main's own view of the whole is not estimated" 1 "$(sql sampled.db "
        SELECT s.raw_total_ns = c.duration_ns FROM calls c JOIN frames fr ON fr.id = c.frame_id
             JOIN functions f ON f.id = fr.function_id JOIN function_stats s ON s.function_id = f.id WHERE f.name = 'main'")"
done
has "the digest says that times are estimates" "estimated from the calls that were timed" "$("$fisql" digest sampled.db)"
has "and how sure the longest own time is" "the longest own time to " "$("$fisql" digest sampled.db)"
same "a trace shows calls without times" "$(sql sampled.db "SELECT count(*) FROM calls WHERE duration_ns IS NULL")" \
    "$("$fisql" trace sampled.db 2>/dev/null | grep -c ' us  *-  ')"
"$fisql" export --format chrome -o sampled.json sampled.db
same "exports leave them to their callers" "$(sql sampled.db "SELECT count(duration_ns) FROM calls")" "$(grep '"ph":"X"' sampled.json | grep -vc '"cat":"fisql"')"
run "$fisql" record --time some ./as-is
same "--time with another word is refused" "2 fisql: --time some: wants full, sampled or none" "$status $err"
run "$fisql" record --time sampled --min-duration 1us ./as-is
same "--min-duration needs all times" "2 fisql: --min-duration needs each call's time: leave out --time" "$status $err"
run "$fisql" whatif sampled.db
same "whatif needs them, too" "2 fisql: sampled.db: some of its calls have no times, which whatif needs: record it without --time sampled" "$status $err"
