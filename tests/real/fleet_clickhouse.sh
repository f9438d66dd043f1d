#!/bin/bash
# fisql push, fleet and pull on ClickHouse: one server, two shards, and SQLite give the same rows; killed pushes and
# shards; names, credentials and errors.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
# shellcheck source=tests/fleet/clickhouse.sh
. "$here/tests/fleet/clickhouse.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config
if ! command -v clickhouse-server >/dev/null; then
    report 0 "skipped: no clickhouse-server here (tests/setup check installs Debian's)"
    exit 0
fi
first=$TEST_TMP/first second=$TEST_TMP/second
read -r http1 tcp1 inter1 http2 tcp2 inter2 proxy closed plain < <(free_ports 9)
proxy_pid='' plain_pid=''
trap 'clickhouse_stop "$first"; clickhouse_stop "$second"; [ -z "$proxy_pid" ] || kill "$proxy_pid"; [ -z "$plain_pid" ] || kill "$plain_pid"' EXIT
clickhouse_start "$first" "$http1" "$tcp1" "$inter1" "$tcp1" "$tcp2"
clickhouse_start "$second" "$http2" "$tcp2" "$inter2" "$tcp1" "$tcp2"
clickhouse_ready "$http1" && clickhouse_ready "$http2"
report $? "two servers answer" "$(cat "$first/output" "$first/errors" 2>/dev/null)"
export CLICKHOUSE_PASSWORD=secret
one=http://127.0.0.1:$http1/one two=http://127.0.0.1:$http1/two

cat >work.c <<'C'
#include <stdlib.h>
#include <string.h>
static volatile int sink;
static void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
static void *wanted(size_t n) { return malloc(n); }
static void common(int n) { leaf(n); free(wanted(24)); }
static void rare(void) { leaf(1000000); }
static void dead(void) { leaf(1); }
int main(int argc, char **argv)
{
    int calls = atoi(argv[1]);
    for (int i = 0; i < calls; i++) common(i);
    if (calls % 2) rare();
    if (calls > 100) { char *volatile p = wanted(8); free(p); free(p); }
    if (calls == 7) sink += ((char *)memset(wanted(16), 1, 16))[3];
    if (argc > 9) dead();
    return 0;
}
C
build gcc work -O1 -g work.c
number=0
for calls in 7 8 9 7 8 101; do
    number=$((number + 1))
    "$fisql" record -q -o run.bin ./work $calls >/dev/null 2>&1
    "$fisql" load -q run.bin -o $number.db 2>/dev/null
done
run_of() { sql "$1" "SELECT value FROM run WHERE key = 'run_id'"; }

# --- the same rows on all
run "$fisql" push --cluster two "http://127.0.0.1:$http2/two"
same "a shard's tables are made" "0 " "$status $err"
"$fisql" push --cluster two "$two"
for to in many.db "$one" "$two"; do
    over=()
    [ "$to" = "$two" ] && over=(--cluster two)
    "$fisql" push -q "${over[@]}" "$to" 1.db 2.db 3.db --label version=1.0 &&
        "$fisql" push -q "${over[@]}" "$to" 4.db 5.db --label version=2.0 &&
        "$fisql" push -q "${over[@]}" "$to" 6.db --label version=2.0 --calls
    report $? "pushed to ${to%%:*} ${to##*/}"
done
for query in $("$fisql" fleet --names); do
    expected=$(answers many.db "$query")
    [ "$query" = always ] || at_least "$query: finds rows" 2 "$(wc -l <<<"$expected")" "$expected"
    same "$query: the same rows of one server" "$expected" "$(answers "$one" "$query")"
    same "$query: the same rows of two shards" "$expected" "$(answers "$two" "$query")"
    same "$query: asked of the other shard" "$expected" "$(answers "http://127.0.0.1:$http2/two" "$query")"
done
same "every run's rows are on one shard" 6 "$(($(ask_server "$http1" 'SELECT uniq(run_id) FROM two.functions_local') + $(ask_server "$http2" 'SELECT uniq(run_id) FROM two.functions_local')))"
for table in $(sqlite3 many.db "SELECT name FROM sqlite_schema WHERE type = 'table'"); do
    same "$table: the same columns" \
        "$(sqlite3 many.db "SELECT name, CASE type WHEN 'INTEGER' THEN 'Int64' ELSE 'String' END FROM pragma_table_info('$table') WHERE name <> 'day' ORDER BY 1" | tr '|' '\t')" \
        "$(ask_server "$http1" "SELECT name, type FROM system.columns WHERE database = 'one' AND table = '$table' AND name <> 'day' ORDER BY name")"
    same "$table: as many rows" "$(sqlite3 many.db "SELECT count(*) FROM $table")" \
        "$(ask_server "$http1" "SELECT count() FROM (SELECT DISTINCT * FROM one.$table)" 2>&1)"
done
# Chance chooses the shard: one in 64 times the six runs are on one.
for extra in $(seq 7 30); do
    [ "$(ask_server "$http1" 'SELECT uniq(run_id) FROM two.runs_local')" -gt 0 ] && [ "$(ask_server "$http2" 'SELECT uniq(run_id) FROM two.runs_local')" -gt 0 ] && break
    "$fisql" record -q -o run.bin ./work 10 >extra.out 2>&1
    "$fisql" load -q run.bin -o "$extra.db" 2>extra.err
    "$fisql" push -q many.db "$extra.db" && "$fisql" push -q "$one" "$extra.db" && "$fisql" push -q --cluster two "$two" "$extra.db"
done
for port in "$http1" "$http2"; do
    at_least "both shards have runs" 1 "$(ask_server "$port" 'SELECT uniq(run_id) FROM two.runs_local')"
done
echo 'leak:wanted' >suppressions
run "$fisql" fleet not-freed --url "$one" --suppressions suppressions
has "suppressions" "rows suppressed by suppressions: 1" "$err"
for n in 4 6; do
    "$fisql" pull -q many.db "$(run_of $n.db)" -o local.db
    "$fisql" pull -q "$two" "$(run_of $n.db)" -o far.db
    cmp -s local.db far.db
    report $? "pull: run $n as from the file"
done
same "pull after --calls: the same tables" "$(sql 6.db .dump | LC_ALL=C sort | sha256sum)" "$(sql far.db .dump | LC_ALL=C sort | sha256sum)"
before=$(ask_server "$http1" 'SELECT count() FROM two.functions')
"$fisql" push -q --cluster two "$two" 1.db --label version=1.0
same "a repeated push changes nothing" "0 $before" "$? $(ask_server "$http1" 'SELECT count() FROM two.functions')"
run "$fisql" push "$one" 1.db --label version=3.0
has "with other labels it is an error" "is in $one already, with other labels" "$status $err"

# --- whole or not at all
gcc -w -shared -fPIC -o kill.so "$here/tests/fleet/kill.c" -ldl
preload=$PWD/kill.so
[ "$(ldd "$fisql" | grep -c libasan)" = 0 ] || preload=$(gcc -print-file-name=libasan.so):$preload
mkdir temporary
# again N: 2.db as another run
again() {
    cp 2.db again.db
    sqlite3 again.db "UPDATE run SET value = printf('%016x', $1) WHERE key = 'run_id'"
}
pushing() { TMPDIR=$PWD/temporary LD_PRELOAD=$preload "$fisql" push -q "$1" again.db --label version=1.0; }
to=http://127.0.0.1:$http1/killed
"$fisql" push -q "$to" 1.db
again 0
KILL_AT=-1 KILL_COUNT=$PWD/steps pushing "$to"
"$fisql" push -q killed.db 1.db
"$fisql" push -q killed.db again.db --label version=1.0
one_calls=$(sql 1.db 'SELECT sum(calls) FROM function_stats') calls=$(sql 2.db 'SELECT sum(calls) FROM function_stats')
steps=$(cat steps)
at_least "the push takes so many steps" 60 "$steps"
kills=0 halves=0
for i in $(seq 50); do
    again "$i"
    "$fisql" push -q killed.db again.db --label version=1.0
    { KILL_AT=$((i * steps / 50)) pushing "$to"; } 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
    seen=$("$fisql" fleet runs --url "$to" --format json | jq length)
    used=$("$fisql" fleet coverage --url "$to" --format json | jq '.[] | .calls')
    [ "$used" = $((one_calls + (seen - 1) * calls)) ] || halves=$((halves + 1))
    "$fisql" push -q "$to" again.db --label version=1.0
done
same "killed at 50 places: it was killed" 50 "$kills"
same "killed at 50 places: never half a run" 0 "$halves"
same "killed at 50 places: repeated pushes make all whole" "$(all_answers killed.db | sha256sum)" "$(all_answers "$to" | sha256sum)"
again 99
"$fisql" push -q killed.db again.db --label version=1.0
"$fisql" push -q "$to" again.db --label version=1.0 &
other=$!
"$fisql" push -q "$to" again.db --label version=1.0
mine=$?
wait $other
same "two that push the same run at once: both done" "0 0" "$? $mine"
same "and it is counted once" "$(all_answers killed.db | sha256sum)" "$(all_answers "$to" | sha256sum)"
clickhouse_stop "$second"
cp 1.db seventh.db
sqlite3 seventh.db "UPDATE run SET value = 'eeeeeeeeeeeeeeee' WHERE key = 'run_id'"
run "$fisql" push --cluster two "$two" seventh.db
same "a shard is down: the push fails" 2 "$status"
has "and says where" "127.0.0.1:$tcp2" "$err"
run "$fisql" fleet hot-functions --url "$two"
same "as does a question" 2 "$status"
clickhouse_start "$second" "$http2" "$tcp2" "$inter2" "$tcp1" "$tcp2"
clickhouse_ready "$http2"
"$fisql" push -q many.db seventh.db
for try in $(seq 50); do # the other server takes a moment to try again
    run "$fisql" push -q --cluster two "$two" seventh.db
    [ "$status" -ne 0 ] || break
    sleep 0.2
done
failed=0
for i in 1 2 3 4; do # half of the runs lie on that shard; those whose push ended well are there
    again $((1000 + i))
    "$fisql" push -q many.db again.db --label version=1.0
    KILL_PID=$(cat "$second/pid") KILL_AT=$(((2 * i - 1) * steps / 8)) pushing "$two" 2>err || failed=$((failed + 1))
    clickhouse_stop "$second"
    clickhouse_start "$second" "$http2" "$tcp2" "$inter2" "$tcp1" "$tcp2"
    clickhouse_ready "$http2"
    for try in $(seq 50); do
        run "$fisql" push -q "$two" again.db --label version=1.0
        [ "$status" -ne 0 ] || break
        sleep 0.2
    done
    [ "$status" -eq 0 ] || report 1 "a shard was killed during a push: the repeated one is done" "$err"
done 2>/dev/null
at_least "a shard is killed during pushes: some fail" 1 "$failed"
same "all is whole ($try): what failed was pushed again" "0 $(all_answers many.db | sha256sum)" "$status $(all_answers "$two" | sha256sum)"

housekeeping "$http1" killed
run ask_server "$http1" "ALTER TABLE killed.parts MODIFY TTL day + INTERVAL 90 DAY"
has "MODIFY TTL: newer servers alone" "HTTP Error" "$err"

# --- text is data
hostile_same 1.db "http://127.0.0.1:$http1/hostile"

# --- who may, and what is wrong
# wrong WHAT WORDS COMMAND...
wrong() {
    local what=$1 words=$2
    shift 2
    run "$@"
    same "$what: status 2" 2 "$status"
    has "$what: says why" "$words" "$err"
    lacks "$what: without the password" "secret" "$err"
}
wrong "a wrong password" "wrong user or password: set CLICKHOUSE_USER" env CLICKHOUSE_PASSWORD=wrong "$fisql" fleet runs --url "$one"
wrong "no password" "wrong user or password" env -u CLICKHOUSE_PASSWORD HOME="$PWD" "$fisql" fleet runs --url "$one"
(umask 077 && echo "machine 127.0.0.1 login default password secret" >netrc)
run env -u CLICKHOUSE_PASSWORD NETRC="$PWD/netrc" "$fisql" fleet runs --url "$one"
same "a netrc file" 0 "$status"
wrong "a password in the URL" "others can see a command's arguments" "$fisql" fleet runs --url "http://default:x@127.0.0.1:$http1/one"
wrong "nobody there" "is the server running" "$fisql" fleet runs --url "http://127.0.0.1:$closed/one"
wrong "no database" "has no runs, or not all of their tables" "$fisql" fleet runs --url "http://127.0.0.1:$http1/none"
wrong "a URL without a database" "wants http://HOST:PORT/DATABASE" "$fisql" fleet runs --url "http://127.0.0.1:$http1"
wrong "a database's name with more" "wants http://HOST:PORT/DATABASE" "$fisql" fleet runs --url "http://127.0.0.1:$http1/one;DROP"
wrong "a cluster's name with more" "wants the name of a cluster" "$fisql" push --cluster 'two; DROP' "$one" 1.db
wrong "no such cluster" "no_such" "$fisql" push --cluster no_such "http://127.0.0.1:$http1/other" 1.db
wrong "a cluster of a file" "is for a ClickHouse server" "$fisql" push --cluster two other.db 1.db
python3 -m http.server --bind 127.0.0.1 "$plain" >/dev/null 2>&1 &
plain_pid=$!
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=IP:127.0.0.1' 2>/dev/null
python3 "$here/tests/fleet/tls_proxy.py" "$proxy" "$http1" certificate.pem key.pem 2>/dev/null &
proxy_pid=$!
for try in $(seq 100); do
    python3 -c "import socket, sys; [socket.create_connection(('127.0.0.1', int(p))) for p in sys.argv[1:]]" "$proxy" "$plain" 2>/dev/null && break
    sleep 0.1
done
wrong "another server ($try)" "is it ClickHouse's HTTP port" "$fisql" fleet runs --url "http://127.0.0.1:$plain/one"
wrong "TLS that nobody vouches for" "SSL_CERT_FILE can name" "$fisql" fleet runs --url "https://127.0.0.1:$proxy/one"
SSL_CERT_FILE=$PWD/certificate.pem run "$fisql" fleet runs --url "https://127.0.0.1:$proxy/one" --format csv
same "TLS that is verified" "0 $("$fisql" fleet runs --url "$one" --format csv)" "$status $out"
wrong "TLS to a plain port" "does that port speak TLS" "$fisql" fleet runs --url "https://127.0.0.1:$http1/one"
ask_server "$http1" "INSERT INTO one.fleet_version (version) VALUES (99)" >/dev/null
wrong "newer tables" "has version 99 of its tables" "$fisql" fleet runs --url "$one"
wrong "a push to newer tables" "use a newer fisql" "$fisql" push "$one" 2.db
