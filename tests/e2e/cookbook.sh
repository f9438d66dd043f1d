#!/bin/bash
# The cookbook's recipes: each SQL block of docs/cookbook.md runs in the plain sqlite3 shell, read-only,
# on the run that is written by hand in tests/fixtures/small.sql, and gives the rows of
# tests/fixtures/cookbook.expected. For the recipes with two runs, before.db is the same run, but
# parse was called once, log_line not at all, and work was called `old`.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
small_database run.db
sqlite3 run.db "INSERT INTO slow_calls(function_id, rank, call_id, duration_ns, raw_duration_ns) VALUES (2, 1, 2, 30000, 30000), (2, 2, 6, 20000, 20000)"
cp run.db before.db
sqlite3 before.db "UPDATE function_stats SET calls = 1 WHERE function_id = 2;
    DELETE FROM function_stats WHERE function_id = 6;
    UPDATE functions SET stable_id = 's8', name = 'old' WHERE id = 4"

# one file for each block, named by its number, with the heading in NUMBER.title
awk '/^### / { title = substr($0, 5) }
     /^```sql$/ { number++; block = sprintf("%02d", number); print title > (block ".title"); open = 1; next }
     /^```$/ { open = 0 }
     open { print > (block ".sql") }' "$here/docs/cookbook.md"
# the expected rows likewise: a line "### title", then the rows
awk '/^### / { title = substr($0, 5); number++; block = sprintf("%02d", number)
               print title > (block ".expected_title"); printf "" > (block ".rows"); next }
     { print > (block ".rows") }' "$here/tests/fixtures/cookbook.expected"

count=$(find . -name '*.sql' | wc -l)
at_least "the cookbook has at least twenty recipes" 20 "$count"
for block in *.sql; do
    number=${block%.sql}
    title=$(cat "$number.title")
    same "expected rows are there for: $title" "$title" "$(cat "$number.expected_title" 2>/dev/null)"
    actual=$(sqlite3 -readonly -bail run.db <"$block" 2>&1)
    same "$title" "$(cat "$number.rows" 2>/dev/null)" "$actual"
done
