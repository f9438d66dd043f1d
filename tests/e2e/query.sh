#!/bin/bash
# fisql query on a run written by hand (tests/fixtures/small.sql): listing, explaining, running,
# filters, formats, suppressions, checks, and what happens to files that are no databases.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config
small_database run.db
q="$fisql query"

# --- listing and explaining
run $q
same "the list exits with 0" 0 "$status"
has "the list has a group" "Memory" "$out"
has "the list has what a query answers" "hot-functions           Which functions' own code took the time?" "$out"
same "--names lists each query file once" "$(cd "$here/queries" && ls ./*.sql | sed 's|^./||; s|\.sql$||' | sort)" "$($q --names | sort)"
run $q hot-functions --help
has "--help gives the parameters with defaults" "min_calls = 1" "$out"
has "--help gives columns with units" "self_ns                    ns" "$out"
has "--help gives an example" "example: fisql query hot-functions" "$out"
has "--help gives the filters" "--function --file --module" "$out"
example=$(sed -n 's/^example: fisql //p' <<<"$out")
eval "run $fisql $example"
same "the example runs" 0 "$status"

# --- tables and units
# What is wrong with a table's columns: cells in the gaps of the rule (line 2) or beyond its end, and rules
# that no cell fills.
columns_off() {
    awk '
    { line[NR] = $0 }
    END {
        count = split(line[2], rule, "  ")
        for (n = 1; n <= NR; n++) {
            start = 1
            wrong = length(line[n]) > length(line[2])
            for (i = 1; i <= count; start += length(rule[i++]) + 2) {
                cell = substr(line[n], start, length(rule[i]))
                gsub(/^ +| +$/, "", cell)
                if (n != 2 && length(cell) > widest[i])
                    widest[i] = length(cell)
                wrong = wrong || i > 1 && substr(line[n], start - 2, 2) != "  "
            }
            off += wrong
        }
        for (i = 1; i <= count; i++)
            if (widest[i] != length(rule[i]))
                print "rule " i " is " length(rule[i]) " wide, its cells " widest[i]
        if (off > 0)
            print off " lines off"
    }'
}
run $q hot-functions
same "the default database is run.db" 0 "$status"
has "times are readable in tables" "60.00 us" "$out"
same "each column is as wide as its rule, which is as wide as its widest cell" "" "$(columns_off <<<"$out")"
same "a column that is off would be seen" "2 lines off" "$(sed -e '4s/^/ /' -e '$s/$/ and more/' <<<"$out" | columns_off | tail -n 1)"
cp run.db noisy.db
sqlite3 noisy.db "UPDATE run SET value = CASE key WHEN 'hook_inside_ps' THEN 8000 ELSE 12000 END WHERE key LIKE 'hook_%_ps';
    UPDATE function_stats SET calls = 10, self_ns = CASE function_id WHEN 2 THEN 3 WHEN 3 THEN 196 WHEN 4 THEN 201 ELSE 15000 END"
run $q hot-functions noisy.db --format markdown
same "times a call below the hooks' cost are about so much, and none has decimals of a nanosecond" \
    "1.50 us 20 ns ~0 ns ~20 ns" "$(awk -F' *[|] *' 'NR > 2 { print $8 }' <<<"$out" | sort -u | xargs)"
run $q hot-functions noisy.db --format csv
same "CSV has them as they are" "0.3 1500 19.6 20.1" "$(tr -d '\r' <<<"$out" | awk -F, 'NR > 1 { print $(NF - 9) }' | sort -u | xargs)"
run $q not-freed --format markdown
has "markdown has a rule that aligns numbers right" "----:|" "$out"
has "sizes are readable" "100 B" "$out"
run $q hot-functions --format csv
same "CSV has the raw ns" "worker,worker,main.c:50,60000,35.3,70000,1,60000,0,60000,70000,,,60000,10,shop,0" "$(sed -n 2p <<<"$out" | tr -d '\r')"
same "CSV lines end in CR LF" 7 "$(grep -c $'\r$' out)"
same "CSV has the full name beside the short one" 'ns::next<int>,"int ns::next<int>(int, char const*)",parse.cc:30' \
    "$(grep ns::next <<<"$out" | cut -d, -f1-4)"
same "JSON too" "ns::next<int> int ns::next<int>(int, char const*)" "$($q callees --format json | jq -r '.[] | select(.callee | test("next")) | .callee + " " + .full_callee')"
lacks "but not where a style is asked for" full_ "$($q hot-functions --format csv --demangle short)"
has "CSV quotes a comma" '"int ns::next<int>(int, char const*)"' "$out"
run $q hot-functions --format json
same "JSON is JSON with raw ns" 60000 "$(jq '.[0].self_ns' out)"
run $q proxies --format json -p min_calls=1000000
same "JSON without rows is an empty array" 0 "$(jq length out)"
run $q hot-functions --format json --limit 2
same "--limit" 2 "$(jq length out)"

# --- names that mean harm
sqlite3 run.db "UPDATE functions SET name = 'a' || char(27) || '[2J\"' || char(10) || '日本' || CAST(x'ff' AS TEXT) WHERE id = 4"
run $q hot-functions
has "control characters and unsound bytes are escaped in tables" 'a\x1b[2J"\x0a日本\xff' "$out"
run $q hot-functions --format json
same "JSON stays valid" $'a\x1b[2J"\n日本\xef\xbf\xbd' "$(jq -r '.[1].function' out)"
run $q hot-functions --format csv
has "CSV doubles the quote" '[2J""' "$out"
width=$(sed -n 's/main.c:40.*//p' <<<"$($q hot-functions --demangle full)")
same "wide characters count two columns" "$((37 - 2))" "$(printf %s "$width" | wc -m)"
sqlite3 run.db "UPDATE functions SET name = 'work' WHERE id = 4"

# --- parameters
run $q hot-functions -p min_calls=2 --format csv
same "-p changes the result" 2 "$(sed 1d out | wc -l)"
run $q hot-functions -p min_cals=2
same "an unknown parameter exits with 2" 2 "$status"
has "an unknown parameter names the nearest" "did you mean min_calls?" "$err"
has "an unknown parameter lists what there is" "its parameters are: min_calls" "$err"
run $q hot-functions -p min_calls=many
has "a word for a number is refused" "wants a number" "$err"
run $q not-freed -p min_bytes=1K --format csv
same "sizes may have a unit" 1 "$(wc -l <out)"
run $q hot-functions -p "min_calls=1) OR 1=1 --"
same "values are never SQL" 2 "$status"
run $q hot-fuctions
same "an unknown query exits with 2" 2 "$status"
has "an unknown query names the nearest" "did you mean hot-functions?" "$err"
has "an unknown query lists what there is" "dead-code" "$err"

# --- sorting
small_database sorted.db
first() { "$fisql" query "$@" --format json sorted.db | jq -r '.[0].function'; }
same "--sort: figures from the greatest on" worker "$(first functions --sort self_ns)"
same "--sort: without the unit" worker "$(first functions --sort self)"
same "--sort: names from A on" log_line "$(first functions --sort location,function --file main.c --function 'l*')"
same "--sort --reverse: of two that are equal, the last by name" main "$(first functions --sort self,function --reverse)"
same "--sort: the second column decides where the first is equal" "log_line main work worker" \
    "$("$fisql" query functions --sort calls,function --format json sorted.db | jq -r '.[2:][].function' | xargs)"
same "--sort: what is not known comes last, either way" "1 1" "$(for way in "" --reverse; do
    "$fisql" query functions --sort deviation $way --format json sorted.db | jq '.[-1].deviation_ns == null | if . then 1 else 0 end'; done | xargs)"
run "$fisql" query functions --sort mean_nss sorted.db
same "--sort: an unknown column: status" 2 "$status"
has "--sort: an unknown column" "has no column mean_nss; did you mean mean_ns?" "$err"
run "$fisql" query functions --sort calls, sorted.db
same "--sort: a comma at the end: status" 2 "$status"
run "$fisql" query functions --reverse sorted.db
has "--reverse alone" "turns round what --sort COLUMN sorts by" "$err"
run "$fisql" query --all --sort calls sorted.db
has "--sort of all queries" "sorts the rows of one query" "$err"
printf 'SELECT 1 AS "a b", 2 AS n UNION ALL SELECT 3, 1;' >own.sql
same "--sort: a query of one's own" "3,1 1,2" "$("$fisql" query --query-file own.sql --sort 'a b' --format csv sorted.db | tail -n +2 | tr -d '\r' | xargs)"

# --- filters
rows() { "$@" --format csv 2>/dev/null | sed 1d | cut -d, -f1 | tr -d '\r' | paste -sd' '; }
same "--function" "parse" "$(rows $q hot-functions --function parse)"
same "--function takes patterns" "worker work" "$(rows $q hot-functions --function 'work*')"
same "callers --function: who calls it, not whom it calls" parse "$(rows $q callers --function parse)"
same "--function finds a C++ name without its arguments" 1 "$($q call-counts --function ns::next --format json | jq length)"
same "--file by the last part" "unused" "$(rows $q dead-code --file parse.cc)"
same "--file by path" "unused" "$(rows $q dead-code --file /src/shop/parse.cc)"
same "--file where nothing of it comes back" "" "$(rows $q dead-code --file main.c)"
same "--file looks up the function where there is no column" "parse" "$(rows $q hot-functions --file parse.cc -p min_calls=2 --limit 1)"
same "--module" 6 "$($q hot-functions --module shop --format json | jq length)"
same "--module without rows" 0 "$($q hot-functions --module libc.so.6 --format json | jq length)"
same "--thread by name" "log_line" "$(rows $q thread-exclusive --thread worker)"
same "--thread by tid" "log_line" "$(rows $q thread-exclusive --thread 101)"
same "--since" 1 "$($q not-freed --since 41us --format json | jq length)"
same "--until" 0 "$($q not-freed --until 0.04ms --format json | jq length)"
for filter in "--function prase" "--file parse.c" "--module shpo" "--thread workr"; do
    run $q not-freed $filter
    same "$filter: exits with 2" 2 "$status"
    has "$filter: suggests the nearest" "did you mean" "$err"
done
run $q hot-functions --since 1ms
same "a filter that means nothing exits with 2" 2 "$status"
has "and names those there are" "it has: --function --file --module" "$err"
run $q not-freed --since soon
has "a time that is none" "wants a time" "$err"

# --- names
same "--wide" "int ns::next<int>(int, char const*)" "$($q hot-functions --wide --format json | jq -r '.[3].function')"
same "--demangle full in a stack" "main => parse => int ns::next<int>(int, char const*)" \
    "$($q hot-paths --demangle full --format json | jq -r ".[].path" | grep -m1 next)"
same "--function takes full names" "ns::next<int>" "$(rows $q hot-functions --function 'int ns::next<int>(int, char const[*])')"
same "and patterns of them" "ns::next<int>" "$(rows $q hot-functions --function 'int ns::*')"
same "--demangle short" "ns::next<int>" "$($q hot-functions --demangle short --format json | jq -r '.[3].function')"
same "--demangle no" "_ZN2ns4nextIiEEiiPKc" "$($q hot-functions --demangle no --format json | jq -r '.[3].function')"

# --- check and suppressions
run $q not-freed --check
same "--check finds rows: 1" 1 "$status"
run $q not-freed --check --function main
same "--check finds none: 0" 0 "$status"
for query in arguments results constant-arguments failing-calls repeated-arguments cost-by-argument slow-arguments handles \
    argument-types; do
    for format in table csv; do
        run $q $query --check --format $format
        same "$query of a run without values: 0" 0 "$status"
        same "$query says how to record them ($format)" \
            "fisql: $query: no arguments or results were recorded; \`fisql record --values\` records them" "$err"
        same "$query has no rows ($format)" "" "$(sed 1,2d <<<"$out")"
    done
done
for pattern in parse '^par' 'parse$' 'p*e' '^shop$' parse.cc; do
    printf '# known\n\nleak:%s\n' "$pattern" >known
    run $q not-freed --check --suppressions known
    same "suppressed by leak:$pattern" 0 "$status"
done
for pattern in '^arse' 'pars$' 'p*z'; do
    echo "leak:$pattern" >known
    run $q not-freed --check --suppressions known
    same "not suppressed by leak:$pattern" 1 "$status"
done
echo "race:foo" >known
run $q not-freed --suppressions known
has "another sanitizer's line is refused with its number" "known:1: wants leak:PATTERN" "$err"
run $q hot-functions --suppressions /dev/null
has "suppressions need allocations" "its rows are no allocations" "$err"

# --- explain
run $q hot-functions --explain -p min_calls=2
has "--explain shows the value" ".parameter set :min_calls 2" "$out"
has "--explain shows the SQL" "FROM function_stats s" "$out"
has "--explain shows the plan" "SCAN s" "$out"
same "what --explain shows runs in the sqlite3 shell" "parse" "$(sqlite3 run.db <out | head -n 1 | cut -d'|' -f1)"

# --- queries of one's own
mkdir -p config/fisql/queries
printf -- '-- title: Big functions\n-- param: min = 40 | bytes | least size\n-- column: name | - | it\n-- column: size | bytes | its code\nSELECT name, size FROM functions WHERE size > :min ORDER BY size\n' >config/fisql/queries/big.sql
has "a query of one's own is listed" "Big functions" "$($q)"
same "its header's default is bound" 2 "$($q big --format json | jq length)"
same "its parameter can be set" 1 "$($q big -p min=64 --format json | jq length)"
echo 'SELECT count(*) AS n, max(duration_ns) AS longest_ns FROM calls' >my.sql
has "--file runs SQL without a header, units by the names" "100.00 us" "$($q --file my.sql)"
same "--file SQL and a database" 11 "$($q --file my.sql run.db --format json | jq '.[0].n')"
same "--query-file" 11 "$($q --query-file my.sql run.db --format json | jq '.[0].n')"
echo 'DELETE FROM calls' >bad.sql
run $q --file bad.sql
same "a query that writes is refused" 2 "$status"
echo 'SELECT 1; SELECT 2' >bad.sql
run $q --file bad.sql
has "two statements are refused" "more than one statement" "$err"
echo 'SELECT x FROM nowhere' >bad.sql
run $q --file bad.sql
has "an error in the SQL is told" "no such table: nowhere" "$err"
run $q --file absent.sql
has "a file that is not there" "absent.sql: cannot be read" "$err"

# --- the findings
run $q --all
same "--all exits with 0" 0 "$status"
has "--all has a finding" "Not freed" "$out"
has "--all names the empty ones" "Nothing found by:" "$out"
has "--all gives the advice" "-> " "$out"
same "--all: a query without a group is in the section Other" "== Other" \
    "$(grep -e '^== ' -e 'Big functions (' <<<"$out" | grep -B 1 'Big functions (' | head -n 1)"
has "--all: a function with many calls of one callee" "Single callee (" "$out"
cp run.db long.db
sqlite3 long.db "UPDATE edges SET calls = (SELECT calls FROM function_stats WHERE function_id = caller_id)
    WHERE caller_id = (SELECT id FROM functions WHERE name = 'parse')"
same "single-callee: with one call each time too" parse "$($q single-callee long.db --format json | jq -r '.[].function')"
lacks "--all: that is for proxies to tell" "Single callee (" "$($q --all long.db)"
sqlite3 long.db "UPDATE functions SET name = name || '_with_a_name_that_takes_thirty_columns' WHERE id IN (1, 2)"
has "--all: a long stack is cut from its start" "… => " "$($q --all long.db)"
sqlite3 long.db "UPDATE processes SET how_ended = 'exit'; UPDATE function_stats SET open = 1 WHERE function_id = 5;
    INSERT INTO anomalies VALUES (1, 'unwound', 1, 30000, 2, 3, NULL, 2, NULL)"
same "anomalies: none in a sound run" "" "$($q anomalies long.db --format json 2>/dev/null | jq -r '.[].kind')"
same "anomalies: what a sound run has too" "unwound open" "$($q anomalies long.db -p normal=1 --format json | jq -r '.[].kind' | xargs)"
has "--all: does not count it" ", anomalies, " "$(grep "^Nothing found by: " <<<"$($q --all long.db)")"
sqlite3 long.db "UPDATE processes SET how_ended = 'signal'"
same "anomalies: calls open in a crash" open "$($q anomalies long.db --format json | jq -r '.[].kind')"
sqlite3 long.db "INSERT INTO anomalies VALUES (2, 'mismatched-exit', 1, 5000, 3, 6, 7, 0, NULL)"
has "--all: mismatched exits are errors" "Anomalies (anomalies, rows: 2)" "$($q --all long.db)"
run $q --all --format markdown
has "--all in markdown" "#### Not freed" "$out"
run $q --all --check
same "--all --check" 1 "$status"
run $q --all --thread worker
same "--all leaves out what a filter does not fit" 0 "$status"
has "and says so" "for these filters mean nothing there: " "$out"
echo leak:parse >known
run $q --all --suppressions known
same "--all with suppressions" 0 "$status"
has "--all suppresses" "Nothing found by: " "$out"
lacks "--all suppresses the finding" "Not freed (" "$out"
run $q --all --format csv
same "--all is no CSV" 2 "$status"

# --- databases that are none
run $q hot-functions absent.db
same "no database: 2" 2 "$status"
has "and what to do" "fisql load" "$err"
echo text >text.db
run $q hot-functions text.db
has "text is no database" "is not a fisql database" "$err"
: >empty.db
run $q hot-functions empty.db
has "an empty file is none of ours" "is not a fisql database" "$err"
sqlite3 other.db 'CREATE TABLE t(x)'
run $q hot-functions other.db
has "another database is none of ours" "is not a fisql database" "$err"
cp run.db newer.db && sqlite3 newer.db 'PRAGMA user_version = 99'
run $q hot-functions newer.db
has "a newer schema's version is named" "has schema version 99" "$err"
sqlite3 run.db .dump | sed 's/callee_runs/repeats/; s/callee_transitions/sequences/' | sqlite3 older.db
sqlite3 older.db 'PRAGMA application_id = 0x4653514c; PRAGMA user_version = 1'
version=$(sed -n 's/^PRAGMA user_version = \([0-9]*\);/\1/p' "$here/schema.sql")
older="fisql: older.db: has schema version 1, this fisql reads version $version: load the log again with \`fisql load\`"
for command in "query hot-functions older.db" "tree older.db" "diff run.db older.db" "diff older.db run.db" "report --diff run.db older.db"; do
    # shellcheck disable=SC2086 # words of a command
    run "$fisql" $command
    same "an older database is to be loaded again: $command" "$older" "$err"
done
run $q hot-functions .
has "a folder is no database" "is not a file" "$err"
mkdir sealed && cp run.db sealed/ && sqlite3 sealed/run.db 'PRAGMA journal_mode = wal' >/dev/null && rm -f sealed/run.db-*
chmod 500 sealed && chmod 400 sealed/run.db
if [ "$(id -u)" = 0 ]; then
    run setpriv --reuid=65534 --clear-groups "$fisql" query hot-functions sealed/run.db
    case $err in
        *ermission*) run $q hot-functions sealed/run.db ;; # the folders above are closed to others
    esac
else
    run $q hot-functions sealed/run.db
fi
same "a sealed folder and WAL" 0 "$status"
before=$(sha256sum run.db)
run $q hot-functions
same "a query leaves the database as it was" "$before" "$(sha256sum run.db)"
same "and nothing beside it" "run.db" "$(ls run.db*)"
touch -d '1 hour' run.bin
run $q hot-functions
has "a log newer than the database is told" "is older than its log" "$err"
rm run.bin
sqlite3 run.db "INSERT INTO losses(reason, calls) VALUES ('damaged', 3)"
run $q hot-functions
same "an incomplete run still exits with 0" 0 "$status"
has "and is told in one line" "not complete (1 loss: damaged)" "$err"
run $q dead-code --function main --check
same "but fails a check" 1 "$status"

# --- output that cannot be written
run bash -c "$q hot-functions >/dev/full"
same "/dev/full: 2" 2 "$status"
has "/dev/full is told" "No space left" "$err"
run bash -c "$q hot-functions | true; exit \${PIPESTATUS[0]}"
same "a broken pipe is quiet" "" "$(grep -v -e 'not complete' <<<"$err")"
run bash -c "trap '' PIPE; for i in 1 2 3 4 5 6; do $q hot-functions --format csv; sleep 0.1; done | true"
lacks "also where SIGPIPE is ignored" "standard output" "$err"
