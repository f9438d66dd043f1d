#!/bin/bash
# The first nine queries on tests/programs/planted.c, where it is known what each must find and what it
# must not: with gcc and clang, at -O0 and -O2.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

# rows NAME COLUMNS OPTION...: the named columns of a query's rows, separated by spaces
rows() {
    local name=$1 columns=$2
    shift 2
    "$fisql" query "$name" run.db --format json "$@" | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(*[row[column] for column in sys.argv[1].split(",")])' "$columns"
}

for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler planted $level -g "$programs/planted.c" || continue
        "$fisql" record -q ./planted
        "$fisql" load -q run.bin
        same "two threads ($with)" 2 "$(sql run.db 'SELECT count(*) FROM threads')"
        same "call-counts ($with)" "both 200
by_both_threads 2
drop 200
inline_me 200
keep 3
make 200
proxy 200
proxy_but_once 200
rare 99
recursive 301
regrow 1
scatter 200
second_caller 200
shared 400
target 799
twice 200
worker_only 10" "$(rows call-counts function,calls | grep -vE '^(main|worker|burn|spin) ' | LC_ALL=C sort)"
        same "hot-functions: the hottest ($with)" spin "$(rows hot-functions function --limit 1)"
        same "outliers: none is slow in its own code ($with)" "" \
            "$(rows outliers function -p min_max_ns=1000000 | grep -vE '^spin$')"
        same "outliers: scatter is by what it calls ($with)" scatter \
            "$(rows outliers function -p min_max_ns=1000000 -p min_self=0 | grep -vE '^spin$')"
        slow=$(rows outliers slowest_call -p min_max_ns=1000000 -p min_self=0 --function scatter)
        same "outliers: the slowest call is one that spun ($with)" 1 \
            "$(sql run.db "SELECT descendants FROM calls WHERE id = $slow")"
        same "outliers: all functions where all are asked for ($with)" "$(sql run.db "SELECT name FROM functions f
                JOIN function_stats s ON s.function_id = f.id
                WHERE s.finished > 1 AND s.mean_ns > 0 AND s.recursive_calls = 0 ORDER BY name")" \
            "$(rows outliers function -p min_calls=2 -p min_variation=0 -p min_max_ns=0 -p min_share=0 -p min_slow_share=0 \
                -p max_slow=100 -p min_self=0 | LC_ALL=C sort)"
        # All lies in one file: what is worth it, the compiler inlines by itself (planted_advice.sh has what it cannot).
        same "inline-candidates: none that the compiler sees ($with)" "" "$(rows inline-candidates function -p min_calls=2)"
        same "inline-candidates: on demand, with what the compiler makes of them ($with)" "inline_me $([ $level = -O0 ] && echo may inline it || echo inlines it: as in this build)" \
            "$(rows inline-candidates function,compiler -p min_calls=2 -p min_share=0 -p inlined=1 --function inline_me)"
        has "inline-candidates: says how many those are ($with)" "because the compiler decided on them already" \
            "$("$fisql" query inline-candidates run.db -p min_calls=2 -p min_share=0 2>&1)"
        same "proxies: none that the compiler sees ($with)" "" "$(rows proxies function)"
        same "dead-code ($with)" "never_called
never_called_either" "$(rows dead-code function | LC_ALL=C sort)"
        same "allocators: classes and amounts ($with)" "both mixed 2000 2000 200 200
drop freer 0 12800 0 200
keep allocator 300 0 3 0
make allocator 12800 0 200 0
regrow mixed 5010 5010 2 2" \
            "$(rows allocators function,class,alloc_bytes,free_bytes,allocs,frees | grep -vE '^(main|worker) ' | LC_ALL=C sort)"
        same "allocators: main's total ($with)" "0" \
            "$(sql run.db "SELECT (SELECT total_alloc_bytes - alloc_bytes FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'main')
                - (SELECT sum(alloc_bytes) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name NOT IN ('main', 'worker'))")"
        same "not-freed: what keep() kept ($with)" "300 3 keep" \
            "$(rows not-freed bytes,blocks,function --function keep |
                awk '{ bytes += $1; blocks += $2 } END { print bytes, blocks, $3 }')"
        same "not-freed: nothing that was freed ($with)" "" \
            "$(rows not-freed function | grep -E 'make|drop|both|regrow')"
        same "thread-exclusive: the worker's alone, but where the thread begins ($with)" "worker_only" "$(rows thread-exclusive function,thread | awk '$2 == "planted-worker" { print $1 }' | LC_ALL=C sort)"
        same "thread-exclusive: not what both called ($with)" "" \
            "$(rows thread-exclusive function | grep by_both_threads)"
        sound "planted ($with)" run.db
    done
done
