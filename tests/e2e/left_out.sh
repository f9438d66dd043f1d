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


# Thresholds are rules, too.
(cd "$here" && cat schema.sql tests/queries/inline-candidates.sql | sqlite3 -bail "$TEST_TMP/small.db")
run "$fisql" query inline-candidates small.db -p min_calls=2
has "rows below a threshold are counted, and above one" \
    "fisql: inline-candidates: left out: 1 above max_size: -p max_size=1000000000; 1 above max_growth: -p max_growth=1000000000; 2 above max_self_ns: -p max_self_ns=1000000000" "$err"
run "$fisql" query inline-candidates small.db -p min_calls=2 -p max_growth=1000 --format csv
same "that setting shows the row" many_sites "$(tr -d '\r' <<<"$out" | cut -d, -f1 | grep many)"
run "$fisql" query inline-candidates small.db -p min_calls=2 -p max_growth=300
lacks "what the user sets is no rule" "max_growth" "$err"
sql small.db "DELETE FROM function_stats WHERE function_id <> 21; UPDATE functions SET scope = 'static' WHERE id = 21"
run "$fisql" query inline-candidates small.db -p min_calls=2
has "rows that several hide" "fisql: inline-candidates: 1 row is left out, each by several thresholds: -p inlined=1 -p max_size=1000000000" "$err"
sql run.db "DELETE FROM function_stats"
run "$fisql" query proxies run.db
same "nothing is left out where there is nothing" "fisql: proxies: nothing found" "$(grep proxies <<<"$err")"

# What would take long is not counted, and that is said. The user's own queries have thresholds, too.
cat >own.sql <<'SQL'
-- title: Numbers
-- param: min_n = 5 | - | leave out smaller numbers
-- param: max_n = 9 | - | leave out greater numbers
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < min(:max_n, 300000000))
SELECT max(n) FROM n WHERE n >= :min_n GROUP BY n % 5
SQL
run "$fisql" query --file own.sql run.db
has "what would take long is not counted" "own.sql: more may be left out, which would take long to count: -p max_n=1000000000" "$err"
lacks "and nothing is wrong with that" "interrupted" "$err"

# Each such line names a parameter of its query.
for query in $("$fisql" query --names); do
    for setting in $(sed -n '/^-- hides:/,/^-- [a-z]*:/p' "$here/queries/$query.sql" | sed -n 's/^-- hides: *//p; s/^--  *//p' |
        paste -sd' ' | sed 's/;  */\n/g' | sed -n 's/^\([a-z_]*=[^:]*\): .*/\1/p'); do
        has "$query: the setting $setting is one of its parameters" "-- param:       ${setting%=*} = " "$(cat "$here/queries/$query.sql")"
        lacks "$query: $setting is not the default" "-- param:       ${setting%=*} = ${setting#*=} " "$(cat "$here/queries/$query.sql")"
    done
done
