#!/bin/bash
# fisql schema: every table and view of a database has its subject, and each column its meaning.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

sqlite3 -bail run.db <"$here/schema.sql"
tables=$(sql run.db "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*' ORDER BY name")
run "$fisql" schema
same "exits with 0" 0 "$status"
same "each table has a subject" "$tables" \
    "$(sed -n 's/^  \([a-z_]\{1,\}\) .*/\1/p' <<<"$out" | LC_ALL=C sort -u)"
same "each is in one, but for those that most questions need" "" \
    "$(sed '1,/^$/d' <<<"$out" | sed -n 's/^  \([a-z_]\{1,\}\) .*/\1/p' | sort | uniq -d)"
same "no table is without a word" "" "$(sed -n 's/^  \([a-z_]\{1,\}\) *$/\1/p' <<<"$out")"
has "what it is, up to a full stop" "  run                   facts of the recording and of the load, e.g. command, clock, hook_inside_ps" "$out"
same "no line is wider than 100 columns" "" "$(awk 'length > 100' <<<"$out")"
same "the names alone" "$tables" "$("$fisql" schema --names | LC_ALL=C sort)"
for table in $tables; do
    same "$table: the definition is that of the database" "$(sql run.db "SELECT sql FROM sqlite_schema WHERE name = '$table'");" \
        "$("$fisql" schema "$table")"
done
run "$fisql" schema call_detail
same "a name that is none" "2 fisql: schema: call_detail: no such table; did you mean call_details?" "$status $err"
run "$fisql" schema $'a\e]0;b\a'
lacks "an escape sequence is not printed as it is" $'\e' "$err"
