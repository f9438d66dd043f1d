#!/bin/bash
# fisql push, fleet and pull with ClickHouse of today, as libchdb has it: real runs of the example and of Lua (and zstd),
# pushed to it, to two shards of an old ClickHouse and to SQLite, give the same rows.
#
# FLEET_RUNS: how many runs of each program (4); FLEET_PROGRAMS: which ("wordstat lua"). `make check-fleet` has 20 of each of
# three.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/fleet/clickhouse.sh
. "$here/tests/fleet/clickhouse.sh"
# shellcheck source=tests/fleet/runs.sh
. "$here/tests/fleet/runs.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config
if [ ! -e "$libchdb" ]; then
    report 0 "skipped: no libchdb here (tests/setup check installs it from npm, on x86_64 with glibc)"
    exit 0
fi
first=$TEST_TMP/first second=$TEST_TMP/second today=$TEST_TMP/today
read -r http1 tcp1 inter1 http2 tcp2 inter2 http3 < <(free_ports 7)
trap 'clickhouse_stop "$first"; clickhouse_stop "$second"; clickhouse_stop "$today"' EXIT
chdb_start "$today" "$http3"
clickhouse_ready "$http3"
report $? "today's ClickHouse answers" "$(cat "$today/output")"
chdb=http://127.0.0.1:$http3/many shards=
if command -v clickhouse-server >/dev/null; then
    clickhouse_start "$first" "$http1" "$tcp1" "$inter1" "$tcp1" "$tcp2"
    clickhouse_start "$second" "$http2" "$tcp2" "$inter2" "$tcp1" "$tcp2"
    clickhouse_ready "$http1" && clickhouse_ready "$http2"
    report $? "two shards answer" "$(cat "$first/output" "$first/errors" 2>/dev/null)"
    shards=http://127.0.0.1:$http1/many
    export CLICKHOUSE_PASSWORD=secret
    "$fisql" push --cluster two "http://127.0.0.1:$http2/many"
    "$fisql" push --cluster two "$shards"
else
    report 0 "skipped: no clickhouse-server here (tests/setup check installs Debian's): libchdb and SQLite alone"
fi

# --- real runs
runs=${FLEET_RUNS:-4}
# shellcheck disable=SC2086 # a list
fleet_runs "$runs" ${FLEET_PROGRAMS:-wordstat lua}
pushed=0
for version in 1 2; do
    # Of each program the odd runs are version 1.0, the even ones 2.0.
    odd=() even=()
    for database in *.run.db; do
        number=${database%.run.db}
        if [ $((10#${number##*.} % 2)) -eq 1 ]; then odd+=("$database"); else even+=("$database"); fi
    done
    [ $version = 1 ] && these=("${odd[@]}") || these=("${even[@]}")
    # Sums over runs give the same as the runs themselves: the file has none, the servers have.
    "$fisql" push -q --fold 0 many.db "${these[@]}" --label version=$version.0 &&
        "$fisql" push -q --fold 2 "$chdb" "${these[@]}" --label version=$version.0
    report $? "version $version.0: pushed to a file and to libchdb"
    if [ -n "$shards" ]; then
        "$fisql" push -q --fold 2 --cluster two "$shards" "${these[@]}" --label version=$version.0
        report $? "version $version.0: pushed to two shards"
    fi
    pushed=$((pushed + ${#these[@]}))
done
programs=$(wc -w <<<"${FLEET_PROGRAMS:-wordstat lua}")
same "all runs are pushed" "$((runs * programs))" "$pushed"
for query in $("$fisql" fleet --names); do
    expected=$(answers many.db "$query")
    case $query in
        always | incidents | never-called) ;; # of programs that do nothing wrong (always: fleet.sh)
        *) at_least "$query: finds rows" 2 "$(wc -l <<<"$expected")" "$expected" ;;
    esac
    same "$query: the same rows of libchdb" "$expected" "$(answers "$chdb" "$query")"
    [ -z "$shards" ] || same "$query: the same rows of two shards" "$expected" "$(answers "$shards" "$query")"
done
same "runs of each program and version are summed up" "$((2 * programs)) $((runs * programs))" \
    "$(ask_server "$http3" 'SELECT uniq(batch_id), count() FROM many.batches' | tr '\t' ' ')"
[ -z "$shards" ] || same "on two shards, too" "$((2 * programs)) $((runs * programs))" \
    "$(ask_server "$http1" 'SELECT uniq(batch_id), count() FROM many.batches' | tr '\t' ' ')"
for table in $(sqlite3 many.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('batches', 'function_sums', 'context_sums')"); do
    same "$table: as many rows" "$(sqlite3 many.db "SELECT count(*) FROM $table")" \
        "$(ask_server "$http3" "SELECT count() FROM (SELECT DISTINCT * FROM many.$table)" 2>&1)"
done
some=$(sqlite3 many.db 'SELECT run FROM runs ORDER BY run LIMIT 1')
"$fisql" pull -q many.db "$some" -o local.db
"$fisql" pull -q "$chdb" "$some" -o far.db
cmp -s local.db far.db
report $? "pull: the same file"
before=$(ask_server "$http3" 'SELECT count() FROM many.functions')
"$fisql" push -q "$chdb" wordstat.1.run.db --label version=1.0
same "a repeated push changes nothing" "0 $before" "$? $(ask_server "$http3" 'SELECT count() FROM many.functions')"

# --- whole or not at all
gcc -w -shared -fPIC -o kill.so "$here/tests/fleet/kill.c" -ldl
preload=$PWD/kill.so
[ "$(ldd "$fisql" | grep -c libasan)" = 0 ] || preload=$(gcc -print-file-name=libasan.so):$preload
# again N: another run, again.db, of the example; it gets the label version
again() {
    cp wordstat.1.run.db again.db
    version=$(($1 % 2 + 1)).0
    sqlite3 again.db "UPDATE run SET value = printf('%016x', $1) WHERE key = 'run_id'"
}
to=http://127.0.0.1:$http3/killed kills=0 halves=0
mkdir temporary
calls=$(sql wordstat.1.run.db 'SELECT sum(calls) FROM function_stats')
again 0
TMPDIR=$PWD/temporary KILL_AT=-1 KILL_COUNT=$PWD/steps LD_PRELOAD=$preload "$fisql" push -q "$to" again.db --label version=$version
"$fisql" push -q killed.db again.db --label version=$version
for i in 1 2 3 4 5; do
    again $i
    "$fisql" push -q killed.db again.db --label version=$version
    { TMPDIR=$PWD/temporary KILL_AT=$((i * $(cat steps) / 6)) LD_PRELOAD=$preload "$fisql" push -q "$to" again.db --label version=$version; } 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
    seen=$("$fisql" fleet runs --url "$to" --format json | jq length)
    [ "$("$fisql" fleet coverage --url "$to" --format json | jq '[.[].calls] | add')" = $((seen * calls)) ] || halves=$((halves + 1))
    "$fisql" push -q "$to" again.db --label version=$version
done
same "killed at 5 places: never half a run" "5 0" "$kills $halves"
again 9
"$fisql" push -q killed.db again.db --label version=$version
"$fisql" push -q "$to" again.db --label version=$version &
other=$!
"$fisql" push -q "$to" again.db --label version=$version
mine=$?
wait $other
same "two that push the same run at once: both done" "0 0" "$? $mine"
same "all are whole, each counted once" "$(all_answers killed.db | sha256sum)" "$(all_answers "$to" | sha256sum)"

housekeeping "$http3" killed
ask_server "$http3" "ALTER TABLE killed.functions MODIFY TTL day + INTERVAL 90 DAY"
same "MODIFY TTL" 0 $?

# --- text is data
hostile_same wordstat.1.run.db "http://127.0.0.1:$http3/hostile"

# --- what is wrong
run "$fisql" fleet runs --url "http://127.0.0.1:$http3/none"
has "no database: what to do" "2 fisql: http://127.0.0.1:$http3/none: has no runs, or not all of their tables" "$status $err"
ask_server "$http3" "CREATE DATABASE nothing" >/dev/null
run "$fisql" fleet runs --url "http://127.0.0.1:$http3/nothing"
has "no tables: what to do" "has no runs, or not all of their tables" "$status $err"
ask_server "$http3" "INSERT INTO many.fleet_version (version) VALUES (99)" >/dev/null
run "$fisql" fleet runs --url "$chdb"
has "newer tables" "2 fisql: $chdb: has version 99 of its tables" "$status $err"
