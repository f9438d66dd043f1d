#!/bin/bash
# fisql diff: which differences of times it shows, in which order, and what it says of those it hides.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

for version in 3000 300; do
    build gcc program -O1 -g -DCOUNT=$version "$programs/quicker.c"
    "$fisql" record -q -o $version.bin ./program && "$fisql" load -q $version.bin
done
changes() { "$fisql" diff "$@" --format csv 2>said | tr -d '\r' | sed 1d | cut -d, -f1,3; }
same "--by calls: the function called less often comes first" "one,called less" "$(changes 3000.db 300.db --by calls | head -1)"
run "$fisql" diff 3000.db 300.db --by blocks
has "--by: what it may be" "calls or bytes" "$err"
run "$fisql" diff 3000.db 300.db --by calls --tree
has "--tree does not go with --by calls" "--tree goes with --by" "$err"

# Times as they are wanted: the ten alike ones differ by -8 to +10 %, each without any scatter.
made() { # DATABASE MEAN OF ALIKE N
    cp 3000.db "$1"
    sql "$1" "UPDATE run SET value = 0 WHERE key = 'hook_cost_error_ns'; -- which depends on what else runs
        UPDATE function_stats SET m2 = 0, mean_ns = 1000000 WHERE function_id = (SELECT id FROM functions WHERE name = 'search');
        UPDATE function_stats SET m2 = 0, mean_ns = (SELECT $2 FROM (SELECT substr(name, 6) AS n FROM functions WHERE id = function_id))
        WHERE function_id IN (SELECT id FROM functions WHERE name GLOB 'alike[0-9]')"
}
made even.db 5000
cp even.db quick.db
sql quick.db "UPDATE function_stats SET mean_ns = 100000 WHERE function_id = (SELECT id FROM functions WHERE name = 'search')"
same "a function of many calls that became ten times faster is shown" "search,faster" "$(changes even.db quick.db)"
made uneven.db '5000 * (0.92 + 0.02 * n)'
same "what all functions differ by is no change" "" "$(changes even.db uneven.db)"
has "it is counted" "5 more differ in time as the runs differ in all functions" "$(cat said)"
has "--all lists it" "alike9" "$(changes even.db uneven.db --all)"
made half.db 'CASE CAST(n AS INTEGER) WHEN 3 THEN 2500 ELSE 5000 * (0.92 + 0.02 * n) END'
same "what differs by more is one" "alike3,faster" "$(changes even.db half.db)"
made all.db 2000
same "all of them 2.5 times faster is no noise" 10 "$(changes even.db all.db | grep -c 'alike.,faster')"

# The hooks' cost may be off by a tenth: by less than that of its calls a time may not differ.
costly() { # DATABASE MEAN OF SEARCH
    made "$1" 5000
    sql "$1" "UPDATE run SET value = 1000000 WHERE key = 'hook_cost_ns'; UPDATE run SET value = 100000 WHERE key = 'hook_cost_error_ns';
        UPDATE function_stats SET mean_ns = $2, raw_total_ns = total_ns + calls * 50000 WHERE function_id = (SELECT id FROM functions WHERE name = 'search')"
}
costly a.db 80000
costly b.db 71000
same "within the hooks' error: no change" "" "$(changes a.db b.db)"
has "it is counted, too" "1 more differ in time by less than the hooks' cost may be off" "$(cat said)"
costly c.db 69000
same "beyond it: one" "search,faster" "$(changes a.db c.db)"

# Waiting.
made busy.db 5000
sql busy.db "UPDATE function_stats SET self_wait_ns = 50000000 WHERE function_id = (SELECT id FROM functions WHERE name = 'alike4')"
same "--by wait: what waits longer" "alike4,waits longer" "$(changes even.db busy.db --by wait)"
same "else it is none" "" "$(changes even.db busy.db)"
run "$fisql" diff even.db even.db
same "a run with itself" "fisql: no function changed" "$err"
