#!/bin/bash
# What a query leaves out by a rule is counted, with the setting that shows it.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
export XDG_CONFIG_HOME=$TEST_TMP/config
(cd "$here" && cat schema.sql tests/queries/proxies.sql | sqlite3 -bail "$TEST_TMP/run.db")
cd "$TEST_TMP" || exit 2
sql run.db "DELETE FROM function_stats WHERE function_id IN (SELECT id FROM functions WHERE name = 'passes_on')"

run "$fisql" query proxies run.db -p min_calls=100
has "an empty answer says what it left out" "nothing found
fisql: proxies: 2 rows are left out, because the compiler may inline them, or they are called through a pointer, or work on what they get: -p inlined=1 shows them" "$err"
run "$fisql" query proxies run.db -p min_calls=100 -p inlined=1 --format csv
same "that setting shows them" "own_file to_inlined" "$(tr -d '\r' <<<"$out" | sed 1d | cut -d, -f1 | sort | xargs)"
same "and nothing is left out then" "" "$(grep 'left out' <<<"$err")"
run "$fisql" query proxies run.db -p min_calls=100 --limit 1 -p inlined=1
lacks "a limit is no rule" "left out, because" "$err"
run "$fisql" query proxies run.db --format csv
lacks "programs that read csv are not told" "left out" "$err"

# Each such line names a parameter of its query.
for query in $("$fisql" query --names); do
    for setting in $(sed -n 's/^-- hides: *//p' "$here/queries/$query.sql" | sed 's/; /\n/g' | sed 's/: .*//'); do
        has "$query: the setting $setting is one of its parameters" "-- param:       ${setting%=*} = " "$(cat "$here/queries/$query.sql")"
        lacks "$query: $setting is not the default" "-- param:       ${setting%=*} = ${setting#*=} " "$(cat "$here/queries/$query.sql")"
    done
done
