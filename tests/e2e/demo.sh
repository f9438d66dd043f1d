#!/bin/bash
# make demo: ends with answers, and each query of its tour finds what is planted in examples/wordstat.c.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# the tour works in a folder of its own: copy of what it needs from the build
mkdir "$TEST_TMP/build"
for part in fisql libfisql.so libfisql.a; do
    ln -s "$FISQL_BUILD/$part" "$TEST_TMP/build/$part"
done
run "$here/examples/demo" "$TEST_TMP/build"
same "the demo ends with 0" 0 "$status"
same "the demo says nothing on stderr" "" "$err"

if [ "$(uname -m)" = x86_64 ]; then
    has "bash is recorded as it is" "bash: recorded as it is: " "$out"
    at_least "its calls are there" 10000 "$(sql "$TEST_TMP/build/demo/bash.db" 'SELECT count(*) FROM calls')"
    has "and call-counts answers" "bash " "$(sed -n '/^\$ fisql query call-counts --limit 4 bash.db/,/^2[.]/p' <<<"$out")"
fi

# What the answer to a query in the tour holds: answer QUERY
answer() {
    awk -v start="\$ fisql query $1 --limit 4" '$0 == start { on = 1; next } on && /^$/ { exit } on' <<<"$out"
}
has "hot-functions answers" "wordstat.c:" "$(answer hot-functions)"
has "call-counts names hash_byte" "hash_byte " "$(answer call-counts)"
has "outliers answers" " => " "$(answer outliers)"
has "waiting names queue_take" "queue_take " "$(answer waiting)"
has "dead-code names table_remove" "table_remove " "$(answer dead-code)"
has "thread-exclusive names by_count" "by_count " "$(answer thread-exclusive)"
has "allocators names text_append" "text_append " "$(answer allocators)"
has "not-freed names the four titles" "main => document_make => copy_text" "$(answer not-freed)"
has "the SQL at the end answers" "table_grow" "$(sed -n '/WITH busiest/,$p' <<<"$out")"

# --- and exactly, in the database that it left
db=$TEST_TMP/build/demo/run.db
same "integrity_check" ok "$(sql "$db" 'PRAGMA integrity_check')"
same "four threads by name" "index-1 index-2 report wordstat" \
    "$(sql "$db" 'SELECT name FROM threads ORDER BY name' | tr '\n' ' ' | sed 's/ $//')"
same "a call of table_add for each word" 24000 \
    "$(sql "$db" "SELECT count(*) FROM call_details WHERE function = 'table_add'")"
same "dead-code is table_remove alone" table_remove "$(sql "$db" 'SELECT function FROM dead_code')"
has "checksum is an outlier, whatever else is on this machine" $'\nchecksum,' $'\n'"$("$FISQL_BUILD/fisql" query "$db" outliers --format=csv)"
same "four titles are not freed, which copy_text allocated for document_make" 4 \
    "$(sql "$db" "SELECT blocks FROM not_freed WHERE function = 'document_make'")"
