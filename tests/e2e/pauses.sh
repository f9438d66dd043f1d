#!/bin/bash
# Pauses (FISQL_PAUSE to FISQL_RESUME) are in no self time, wherever one is summed or shown, against what the program
# measures itself; and they are shown where there are any.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc pauses -O1 -g -I"$here/collector" "$programs/pauses.c" || exit 1
"$fisql" record -q --values ./pauses >said
"$fisql" load -q run.bin
sound pauses run.db
same "every rollup equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql" 2>&1)"

# --- against the program's clock, which differs from fisql's by less than one part in 200
sqlite3 run.db "CREATE TABLE said(name, paused_least, paused_most, self_least, self_most)" -separator ' ' ".import said said"
for place in "function_stats" "thread_functions" "frames" "edges"; do
    function=function_id
    [ $place != edges ] || function=callee_id
    same "$place: paused and self are what the program measured" "deep 1 1
helper 1 1
spins 1 1
waits 1 1" "$(sql run.db "
        SELECT said.name || ' ' || (s.paused BETWEEN 0.995 * paused_least AND 1.005 * paused_most + 1000) || ' ' ||
               (s.own BETWEEN self_least - 0.005 * (abs(self_least) + paused_most) AND self_most + 0.005 * (self_most + paused_most))
        FROM said JOIN functions f ON f.name = said.name JOIN (
             SELECT $function AS function_id, sum(paused_ns) AS paused, sum(raw_self_ns) AS own FROM $place GROUP BY 1) s ON s.function_id = f.id
        ORDER BY said.name")"
done
same "threads: likewise" 1 "$(sql run.db "SELECT (SELECT sum(paused_ns) FROM threads) BETWEEN 0.995 * sum(paused_least) AND 1.005 * sum(paused_most) + 1000 FROM said")"
same "the oracle is not loose: what was paused is far more than what is left of it" "spins 1
waits 1" "$(sql run.db "SELECT name || ' ' || (paused_least > 3 * 700000) FROM said WHERE name IN ('spins', 'waits') ORDER BY name")"

# --- single calls, cut in the middle of pauses: what two pieces give makes the whole
own="SELECT f.name || ' ' || sum(c.self_ns - coalesce((SELECT sum(wall_ns) FROM recording_gaps g WHERE g.call_id = c.id), 0)) FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id GROUP BY f.id ORDER BY f.name"
folded() { "$fisql" export --format folded --by wall "$@" run.db; }
leaves() { sed 's/.*;//' | awk '{ ns[$1] += $2 } END { for (name in ns) printf "%s %d\n", name, ns[name] }' | LC_ALL=C sort; }
same "export of single calls: own time without pauses" "$(sql run.db "$own")" "$(folded --depth 1000 | leaves)"
for name in waits spins deep; do
    for part in 10 50 90; do
        # in a pause of the function's third call; of waits that is in one of the calls within it, too
        at=$(sql run.db "SELECT x.start_ns + (c.enter_ns + c.raw_duration_ns - x.start_ns) * $part / 100 FROM pauses x JOIN call_details c ON c.id = x.call_id
            WHERE c.function = '$name' ORDER BY x.id LIMIT 1 OFFSET 2")
        same "export cut at $part % of a pause of $name: the two pieces make the whole" "$(sql run.db "$own")" \
            "$({ folded --since "$at"ns; folded --until "$at"ns; } | leaves)"
    done
done
first=$(sql run.db "SELECT x.start_ns + 1 FROM pauses x JOIN call_details c ON c.id = x.call_id WHERE c.function = 'spins' LIMIT 1")
last=$(sql run.db "SELECT x.start_ns + x.paused_ns - 1 FROM pauses x JOIN call_details c ON c.id = x.call_id WHERE c.function = 'spins' LIMIT 1")
same "export of a piece within a pause: no own time of who is paused" "" "$(folded --since "$first"ns --until "$last"ns --thread "$(sql run.db "SELECT t.tid FROM pauses x JOIN call_details c ON c.id = x.call_id JOIN threads t ON t.id = x.thread_id WHERE c.function = 'spins' LIMIT 1")" | grep 'spins [1-9]')"
callgrind() { "$fisql" export --format callgrind --by wall "$@" run.db | awk '
    /^fn=/ { name = $NF; sub(/^fn=/, "", name); sub(/^\([0-9]*\)/, "", name) }
    /^calls=/ { getline; next }
    /^[0-9*+-]+ [0-9]+$/ { ns += $2 }
    END { print ns }'; }
same "callgrind: of single calls the sum of all own times" "$(sql run.db "SELECT sum(self_ns) - (SELECT coalesce(sum(wall_ns), 0) FROM recording_gaps) FROM calls")" "$(callgrind --depth 1000)"

# --- queries of single calls
for query in slow-calls outliers waiting; do
    run "$fisql" query $query run.db
    same "$query runs" 0 "$status"
done
same "waiting: not what was waited in pauses" 0 "$("$fisql" query waiting --format csv run.db | grep -c '^\(waits\|deep\),')"

# --- shown
us() { sql run.db "SELECT printf('%.1f', sum(paused_ns) / 1e3) FROM pauses x JOIN call_details c ON c.id = x.call_id WHERE c.function = '$1'"; }
# in us what `fisql tree` says in any unit, of a function's lines
tree_us() { sed -n "s/.* $1  .*(paused \([0-9.]*\) \([a-z]*\)).*/\1 \2/p" | awk '{ us += $1 * ($2 == "ms" ? 1000 : 1) } END { printf "%.1f", us }'; }
near() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (b * 0.01) ^ 2) }' && report 0 "$1" || report 1 "$1" "$2 is not near $3"; }
"$fisql" tree --min-percent 0 run.db >tree
for name in waits spins deep; do
    near "tree shows how long $name was paused" "$(tree_us $name <tree)" "$(us $name)"
done
lacks "tree: nothing where there is no pause" "(paused" "$(grep helper tree)"
near "tree --by-value: self time without pauses" "$("$fisql" tree --by-value waits.us --by wall --depth 1 run.db | awk '/waits/ { print $4 * ($5 == "ms" ? 1000 : 1) }')" \
    "$(sql run.db "SELECT self_ns / 1e3 FROM function_stats JOIN functions ON id = function_id WHERE name = 'waits'")"
has "digest says how long was paused" "$(sql run.db "SELECT printf('%.2f ms paused', sum(paused_ns) / 1e6) FROM pauses")" "$("$fisql" digest run.db)"
has "info says it" "$(sql run.db "SELECT printf('%.3f ms in 34 pauses', sum(paused_ns) / 1e6) FROM pauses")" "$("$fisql" info run.db)"
if page_built "pauses in the report"; then
    "$fisql" report -o report.html run.db 2>/dev/null
    sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' report.html | sed '1s/^[^{]*//; $s/<\/script>.*//' >data.json
    same "the report has each function's paused time, and each pause" "$(sql run.db "SELECT sum(paused_ns) || ' ' || (SELECT sum(paused_ns) FROM pauses) FROM function_stats")" \
        "$(jq -r '(.functions | (.columns | index("paused_ns")) as $at | [.rows[][$at]] | add | tostring) + " " +
                  (.pauses | (.columns | index("paused_ns")) as $at | [.rows[][$at]] | add | tostring)' data.json)"
    sql run.db "SELECT json_object('id', (SELECT id FROM functions WHERE name = 'waits'), 'words', 'Paused' ||
        (SELECT printf('%.2f', paused_ns / 1e6) FROM function_stats JOIN functions ON id = function_id WHERE name = 'waits'),
        'own', (SELECT json_group_object(name, self_cpu_ns / 1e3) FROM function_stats JOIN functions ON id = function_id WHERE name <> 'main'))" >expected.json
    node "$here/tests/report/pauses.mjs" "$PWD/report.html" expected.json || not_ok "the page's checks run to their end"
fi

# --- fleet and diff have the self times of function_stats
"$fisql" push -q fleet.db run.db
same "fleet: own processor time without pauses" "$(sql run.db "SELECT sum(self_cpu_ns) FROM function_stats")" \
    "$(sql fleet.db "SELECT sum(self_cpu_ns) FROM functions" 2>&1)"
