#!/bin/bash
# Each canned query on a run that is written by hand for it: tests/queries/NAME.sql (read after
# schema.sql by the sqlite3 shell in the repository's folder; it says what is positive, negative and an
# edge) gives the rows of tests/queries/NAME.expected, as CSV. A line `-- parameters: a=1 b=2` in the
# fixture sets parameters. UPDATE=1 rewrites the expected rows: review the difference.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
export XDG_CONFIG_HOME=$TEST_TMP/config
cd "$here" || exit 2
for query in $("$fisql" query --names); do
    fixture=tests/queries/$query.sql expected=tests/queries/$query.expected
    if [ ! -e "$fixture" ]; then
        report 1 "$query has a fixture" "$fixture is missing"
        continue
    fi
    database=$TEST_TMP/$query.db
    problems=$(cat schema.sql "$fixture" | sqlite3 -bail "$database" 2>&1)
    same "the fixture of $query loads" "" "$problems"
    settings=()
    for setting in $(sed -n 's/^-- parameters: //p' "$fixture"); do
        settings+=(-p "$setting")
    done
    actual=$("$fisql" query "$query" "$database" --format csv --demangle full "${settings[@]}" 2>&1 | tr -d '\r' | sed "s|$TEST_TMP/||")
    [ -z "${UPDATE-}" ] || printf '%s\n' "$actual" >"$expected"
    same "$query gives what is expected" "$(cat "$expected" 2>&1)" "$actual"
    same "the fixture of $query has a positive case" 1 "$([ "$(wc -l <"$expected")" -gt 1 ] && echo 1)"
done
