#!/bin/bash
# The page of fisql serve in headless Chromium (tests/report/serve.mjs): timeline, its ranges and locks, queries, console, addresses, themes,
# a narrow screen.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

page_built "the page of fisql serve" || exit 0
for need in node chromium; do
    command -v "$need" >/dev/null || { not_ok "$need is there: run tests/setup check"; exit 0; }
done
cp "$here/examples/wordstat.c" .
build gcc wordstat -D_GNU_SOURCE -O1 -g wordstat.c -lpthread || exit 0
for _ in $(seq 12); do # until a thread waits for a lock while a call is known that holds it
    "$fisql" record -q --locks ./wordstat >/dev/null 2>&1
    "$fisql" load -q run.bin 2>/dev/null
    [ "$(sqlite3 run.db "SELECT count(*) FROM lock_waits WHERE held_by_call_id IS NOT NULL AND held_by_thread_id != thread_id")" -gt 0 ] && break
done
# a run whose calls have arguments, for the history of an object
cp "$here/docs/examples/till_box.c" .
build gcc till_box -O1 -g till_box.c || exit 0
"$fisql" record -q --values --value 'sell: till->money at both' -o till.bin ./till_box >/dev/null 2>&1
"$fisql" load -q -o till.db till.bin 2>/dev/null
"$fisql" serve run.db till.db >address 2>messages &
server=$!
for _ in $(seq 200); do
    [ -s address ] || kill -0 "$server" 2>/dev/null || break
    [ -s address ] && break
    sleep 0.1
done
if [ ! -s address ]; then
    echo "skipped - the page of fisql serve: $(cat messages)"
    exit 0
fi
rows() { "$fisql" query "$@" --format json | jq length; }
closing=$(sqlite3 till.db "SELECT call_id FROM call_arguments WHERE function = 'close_till' AND parameter = 'till'")
till=$("$fisql" history till.db call "$closing.till" --format json | jq --arg call "$closing" '{call: ($call | tonumber), moments: length, changed: map(select(.changes)) | length}')
cat >expected.sql <<'Q'
CREATE TEMP VIEW chosen AS SELECT c.* FROM calls c WHERE depth >= 2 AND descendants BETWEEN 5 AND 200 ORDER BY depth DESC, id LIMIT 1;
CREATE TEMP VIEW around AS WITH RECURSIVE up(id) AS (SELECT parent_id FROM chosen UNION ALL SELECT c.parent_id FROM up JOIN calls c ON c.id = up.id WHERE c.parent_id IS NOT NULL) SELECT id FROM up;
SELECT json_object('end', (SELECT max(end_ns) FROM threads), 'call', (SELECT json_object('id', id, 'enter_ns', enter_ns, 'duration_ns', duration_ns) FROM chosen),
  'wait', json((SELECT json_object('start', start_ns, 'length', wait_ns, 'holder', held_by_call_id) FROM lock_waits
    WHERE held_by_call_id IS NOT NULL AND held_by_thread_id != thread_id ORDER BY wait_ns DESC LIMIT 1)),
  'stack', (SELECT count(*) FROM around), 'hashWord', (SELECT id FROM functions WHERE name = 'hash_word'), 'file', (SELECT file_id FROM functions WHERE name = 'hash_word'),
  'line', (SELECT line FROM functions WHERE name = 'hash_word'), 'depths', (SELECT count(DISTINCT depth) FROM calls),
  'mostCalls', (SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY s.calls DESC LIMIT 1));
Q
"$fisql" query --names | while read -r name; do # null: it wants a parameter
    answer=$("$fisql" query "$name" --limit 1000 --format json 2>/dev/null) || answer=null
    jq -n --arg name "$name" --slurpfile rows <(echo "$answer") '{($name): $rows[0]}'
done | jq -s add >answers.json
sqlite3 run.db <expected.sql | jq --slurpfile answers answers.json --argjson notFreed "$(rows not-freed)" --argjson hot100 "$(rows hot-functions -p min_calls=100)" \
    --argjson queries "$("$fisql" query --names | wc -l)" --argjson till "$till" --argjson lines "$(($(wc -l <wordstat.c) + 1))" \
    '. + {lines: $lines, notFreed: $notFreed, hot100: $hot100, queries: $queries, till: $till, answers: $answers[0]}' >expected.json
node "$here/tests/report/serve.mjs" "$(head -n 1 address)" "$PWD/expected.json" "${SERVE_PICTURES-}"
kill -INT "$server"
wait "$server"
