#!/bin/bash
# fisql push, fleet and pull on an SQLite file: what is kept of a run, whole or not at all, and what comes back.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

cat >work.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static volatile int sink;
static void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
static void *wanted(size_t n) { return malloc(n); }
static void *lost(size_t n) { return malloc(n); }
static void common(void) { leaf(100); free(wanted(24)); }
static void rare(void) { leaf(10); leaf(1000000); }
static void dead(void) { leaf(1); }
int main(int argc, char **argv)
{
    for (int i = 0; i < 200; i++) common();
    if (argc > 1 && strchr(argv[1], 'r')) rare();
    if (argc > 1 && strchr(argv[1], 'l')) sink += ((char *)memset(lost(16), 1, 16))[3];
    if (argc > 1 && strchr(argv[1], 'd')) { char *volatile p = wanted(8); free(p); free(p); }
    if (argc > 1 && strchr(argv[1], 's')) raise(SIGTERM);
    if (argc > 9) dead();
    return 0;
}
C
build gcc work -O1 -g work.c
number=0
# record ARGUMENT: the next run, N.db
record() {
    number=$((number + 1))
    "$fisql" record -q -o run.bin ./work "$1" >/dev/null 2>&1
    "$fisql" load -q run.bin -o $number.db 2>/dev/null
}
for argument in - - l lr s; do record $argument; done
run_of() { sql "$1" "SELECT value FROM run WHERE key = 'run_id'"; }

# --- push
run "$fisql" push fleet.db 1.db 2.db --label version=1.0 --label branch=main
same "push: done" "0 " "$status $out"
has "push: says what it did" "1.db: run $(run_of 1.db) pushed to fleet.db" "$err"
"$fisql" push -q fleet.db 3.db --label version=2.0 --label branch=main
"$fisql" push -q fleet.db 4.db 5.db --label version=2.0
same "a new file is its owner's alone" 600 "$(stat -c %a fleet.db)"
same "the file is sound" ok "$(sql fleet.db 'PRAGMA integrity_check')"
all() { sql fleet.db .dump | LC_ALL=C sort | sha256sum; }
before=$(all)
run "$fisql" push fleet.db 1.db --label branch=main --label version=1.0
same "pushing a run again changes nothing" "0 $before" "$status $(all)"
has "and says so" "is in fleet.db already: nothing to do" "$err"
run "$fisql" push fleet.db 1.db --label version=9
same "with other labels it is an error, and changes nothing" "2 $before" "$status $(all)"
has "and says so" "1.db: is in fleet.db already, with other labels" "$err"
run "$fisql" push fleet.db 1.db --calls --label branch=main --label version=1.0
has "as it is with --calls, where they were left out" "without its calls" "$status $err"

# --- what is kept, against the runs' own databases
for n in 1 2 3 4 5; do
    run=$(sql fleet.db "SELECT run_id FROM runs WHERE run = '$(run_of $n.db)'")
    same "run $n: functions add up as in its database" \
        "$(sql $n.db "SELECT stable_id, coalesce(calls, 0), coalesce(self_cpu_ns, 0), coalesce(alloc_bytes, 0)
                      FROM functions f LEFT JOIN function_stats s ON s.function_id = f.id WHERE f.instrumented ORDER BY 1")" \
        "$(sql fleet.db "SELECT printf('%016x', function_id), calls, self_cpu_ns, alloc_bytes FROM functions WHERE run_id = $run ORDER BY 1")"
    same "run $n: contexts add up by stack" \
        "$(sql $n.db "SELECT stack, sum(calls), sum(self_cpu_ns), sum(allocs) FROM frames JOIN frame_stacks ON frame_id = id GROUP BY 1 ORDER BY 1")" \
        "$(sql fleet.db "SELECT stack, calls, self_cpu_ns, allocs FROM contexts JOIN stacks USING (context_id) WHERE run_id = $run ORDER BY 1")"
    same "run $n: edges add up" \
        "$(sql $n.db "SELECT coalesce(c.name, ''), f.name, sum(e.calls) FROM edges e JOIN functions f ON f.id = callee_id LEFT JOIN functions c ON c.id = caller_id GROUP BY 1, 2 ORDER BY 1, 2")" \
        "$(sql fleet.db "SELECT coalesce(c.name, ''), f.name, e.calls FROM edges e JOIN names f ON f.function_id = callee_id LEFT JOIN names c ON c.function_id = caller_id WHERE run_id = $run ORDER BY 1, 2")"
    same "run $n: histograms add up" "$(sql $n.db 'SELECT sum(count) FROM durations')" "$(sql fleet.db "SELECT sum(calls) FROM durations WHERE run_id = $run")"
    same "run $n: blocks add up" "$(sql $n.db 'SELECT sum(blocks), sum(bytes), sum(freed_bytes) FROM alloc_stacks')" \
        "$(sql fleet.db "SELECT sum(blocks), sum(bytes), sum(bytes - not_freed_bytes) FROM allocations WHERE run_id = $run")"
    same "run $n: its row counts them" \
        "$(sql $n.db "SELECT sum(calls), sum(self_cpu_ns) FROM function_stats")|$(sql $n.db "SELECT count(*) FROM functions WHERE instrumented")" \
        "$(sql fleet.db "SELECT calls, self_cpu_ns, functions FROM runs WHERE run_id = $run")"
done

# --- fleet
# asked QUERY OPTION...: the rows as CSV, without the header, without names in full
asked() { "$fisql" fleet "$@" --format csv 2>&1 | tail -n +2 | tr -d '\r'; }
cut_to() { cut -d, -f"$1"; }
same "runs: all" "$(for n in 1 2 3 4 5; do run_of $n.db; done | LC_ALL=C sort)" "$(asked runs | cut_to 1 | LC_ALL=C sort)"
same "runs: of a label" 2 "$(asked runs -p runs=version=1.0 | wc -l)"
same "runs: of a label's value" 2 "$(asked runs -p runs=1.0 | wc -l)"
same "runs: of a program" 5 "$(asked runs -p runs=program=work | wc -l)"
same "runs: one of them by its first digits" "$(run_of 3.db)" "$(asked runs -p runs="$(run_of 3.db | cut -c1-8)" | cut_to 1)"
has "runs: with the labels given" "branch=main version=2.0" "$(asked runs -p runs=branch=main)"
same "hot-functions: sums over all runs" \
    "$(for n in 1 2 3 4 5; do sql $n.db "SELECT f.name || ' ' || s.self_cpu_ns || ' ' || s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id"; done |
        awk '{ time[$1] += $2; calls[$1] += $3 } END { for (name in time) print name, time[name], calls[name] }' | LC_ALL=C sort)" \
    "$("$fisql" fleet hot-functions --format json | jq -r '.[] | "\(.function) \(.self_cpu_ns) \(.calls)"' | LC_ALL=C sort)"
same "hot-functions: of chosen runs" 400 "$("$fisql" fleet hot-functions -p runs=1.0 --format json | jq '.[] | select(.function == "common") | .calls')"
same "never-called: what no run calls" "dead" "$(asked never-called | cut_to 1)"
same "never-called: what few call" "dead rare" "$(asked never-called -p max_runs=1 | cut_to 1 | xargs)"
same "never-called: in chosen runs" "dead lost rare" "$(asked never-called -p runs=1.0 | cut_to 1 | LC_ALL=C sort | xargs)"
same "coverage: functions, called, in all runs" "7,6,85.7,4" "$(asked coverage | cut_to 3-6)"
same "not-freed: the leak, by its stack, in two runs" "32,2,lost,work.c:7,malloc,main => lost,2,16,16" "$(asked not-freed)"
echo 'leak:lost' >suppressions
run "$fisql" fleet not-freed --suppressions suppressions
has "not-freed: suppressions leave it out" "rows suppressed by suppressions: 1" "$err"
echo 'leak:no such function' >suppressions
same "not-freed: others do not" 1 "$("$fisql" fleet not-freed --suppressions suppressions --format csv | tail -n +2 | wc -l)"
run "$fisql" fleet not-freed --check
same "--check: rows are status 1" 1 "$status"
run "$fisql" fleet not-freed --check -p runs=1.0
same "--check: none are status 0" "0 fisql: not-freed: nothing found" "$status $err"
same "allocators: blocks and bytes of all runs" "wanted,work.c,24000,1000" "$(asked allocators | grep wanted | cut_to 1-4)"
has "incidents: the signal" "signal,,signal 15,1,1,1,$(run_of 5.db)" "$(asked incidents)"
same "rare-paths: what one run of five reached, its outermost context alone" "main => rare,1,5,1" "$(asked rare-paths | cut_to 1-4 | grep rare)"
same "outliers: the slow call, its run and stack" "leaf,$(run_of 4.db),main => rare => leaf" \
    "$("$fisql" fleet outliers --format json | jq -r '.[] | select(.function == "leaf") | "\(.function),\(.run),\(.stack)"')"
same "trend: by a label, oldest first" "1.0,2 2.0,3" \
    "$("$fisql" fleet trend -p by=version -p function=common --format json | jq -r '.[] | "\(.value),\(.runs)"' | xargs)"
same "imbalance: calls of the rank with fewest and with most" "0 1" "$("$fisql" fleet imbalance -p min_share=0 --format json | jq -r '.[] | select(.function == "lost") | "\(.min_calls) \(.max_calls)"')"
same "--limit" 2 "$(asked hot-functions --limit 2 | wc -l)"
for query in $("$fisql" fleet --names); do
    [ "$query" = regressions ] && set -- -p before=1.0 -p after=2.0 || set --
    "$fisql" fleet "$query" "$@" --format json >rows.json 2>err
    report $? "$query: runs" "$(cat err)"
    jq -e 'type == "array"' rows.json >/dev/null
    report $? "$query: gives JSON" "$(head -c 300 rows.json)"
    same "$query: its columns are those of its help" \
        "$("$fisql" fleet "$query" --help | sed -n '/^Columns/,/^$/s/^  \([a-z_]*\) .*/\1/p' | xargs)" \
        "$("$fisql" fleet "$query" "$@" --format csv 2>/dev/null | head -n 1 | tr -d '\r"' | tr ',' ' ')"
    run "$fisql" fleet "$query" "$@" -p no_such=1
    same "$query: a parameter that it has not" 2 "$status"
done

# --- sums over runs
# shellcheck source=tests/fleet/clickhouse.sh
. "$here/tests/fleet/clickhouse.sh"
for set in '*' 1.0 2.0 "$(run_of 1.db)"; do # all of a batch, one batch of two, a part of one
    for query in hot-functions rare-paths never-called; do "$fisql" fleet $query -p runs="$set" --format csv 2>&1; done
done >before.txt
all_answers fleet.db | grep -v == >>before.txt
# sums_same WHAT STORE
sums_same() {
    for set in '*' 1.0 2.0 "$(run_of 1.db)"; do
        for query in hot-functions rare-paths never-called; do "$fisql" fleet $query --url "$2" -p runs="$set" --format csv 2>&1; done
    done >after.txt
    all_answers "$2" | grep -v == >>after.txt
    same "$1" "" "$(diff before.txt after.txt | head -n 5)"
}
cp fleet.db folded.db
run "$fisql" push -q --fold 6 folded.db 1.db --label version=1.0 --label branch=main
same "--fold: not before there are so many runs" 0 "$(sql folded.db 'SELECT count(*) FROM batches')"
run "$fisql" push -q --fold 5 folded.db 1.db --label version=1.0 --label branch=main
same "--fold: the runs of a build and day become a batch" "1|5" "$(sql folded.db 'SELECT count(DISTINCT batch_id), count(*) FROM batches')"
same "--fold: its sums" "$(sql fleet.db 'SELECT sum(calls), sum(self_cpu_ns), sum(alloc_bytes), count(*) FROM functions')" \
    "$(sql folded.db 'SELECT sum(calls), sum(self_cpu_ns), sum(alloc_bytes), sum(runs) FROM function_sums')"
sums_same "--fold: the same answers" folded.db
"$fisql" push -q --fold 5 folded.db 1.db --label version=1.0 --label branch=main
same "--fold: once" 1 "$(sql folded.db 'SELECT count(DISTINCT batch_id) FROM batches')"
sqlite3 folded.db 'UPDATE function_sums SET calls = calls + 1000'
same "and sums are what is read" 1 "$("$fisql" fleet hot-functions --url folded.db --format csv | diff - <("$fisql" fleet hot-functions --format csv) >/dev/null; echo $?)"
cp fleet.db folded.db
"$fisql" push -q --fold 5 folded.db 1.db --label version=1.0 --label branch=main
sqlite3 folded.db 'UPDATE batches SET batch_id = 2; UPDATE function_sums SET batch_id = 2; UPDATE context_sums SET batch_id = 2'
cp fleet.db twice.db
"$fisql" push -q --fold 5 twice.db 1.db --label version=1.0 --label branch=main
sqlite3 folded.db "ATTACH 'twice.db' AS t; INSERT INTO batches SELECT * FROM t.batches; INSERT INTO function_sums SELECT * FROM t.function_sums;
                   INSERT INTO context_sums SELECT * FROM t.context_sums"
same "two that summed up at once: two batches" 10 "$(sql folded.db 'SELECT count(*) FROM batches')"
sums_same "and the same answers" folded.db
sqlite3 folded.db 'DELETE FROM batches WHERE batch_id = 2 AND run_id = 1; DELETE FROM batches WHERE batch_id <> 2 AND run_id = 3'
sums_same "batches of which a part is there are not read" folded.db
run "$fisql" push --fold x folded.db 1.db
has "--fold: wants a number" "wants a number of runs" "$status $err"

# --- always: what holds in every run that called the function
sqlite3 fleet.db "INSERT INTO findings SELECT r.run_id, 'proxies', n.function_id, 'leaf', 200 FROM runs r, names n
                  WHERE n.name = 'common' OR n.name = 'leaf' AND r.run = '$(run_of 2.db)'"
same "always: found in each run" "common,work.c,proxies,leaf,5,5,1000,work" "$(asked always)"
same "always: or in a share of them" "common leaf" "$(asked always -p min_percent=20 | cut_to 1 | xargs)"

# --- pull
"$fisql" push -q whole.db 4.db --calls
run "$fisql" pull fleet.db version=1.0
has "pull: of several runs one has to be named" "are 2 runs: name one" "$status $err"
run "$fisql" pull fleet.db "$(run_of 4.db)" -o pulled.db
same "pull: done" 0 "$status"
same "pull: the file is its owner's alone" 600 "$(stat -c %a pulled.db)"
"$fisql" pull -q whole.db "$(run_of 4.db)" -o back.db
same "pull after push --calls: the same tables, rows and views" "" \
    "$(diff <(sql 4.db .dump | LC_ALL=C sort) <(sql back.db .dump | LC_ALL=C sort) | head -n 5)"
same "push --calls: every call is a row" "$(sql 4.db 'SELECT count(*), sum(duration_ns), sum(self_ns), sum(parent_id) FROM calls')" \
    "$(sql whole.db 'SELECT count(*), sum(duration_ns), sum(self_ns), sum(parent_id) FROM calls')"
same "and every block" "$(sql 4.db 'SELECT count(*), sum(size), count(free_ns) FROM allocs')" \
    "$(sql whole.db 'SELECT count(*), sum(size), sum(free_ns >= 0) FROM allocs')"
for query in $("$fisql" query --names); do
    expected=$("$fisql" query "$query" 4.db --format csv 2>/dev/null)
    actual=$("$fisql" query "$query" pulled.db --format csv 2>err)
    case $query,$expected in
        completeness,*) has "$query: the pulled run says what it lacks" "rows of calls" "$actual" ;;
        *,"$actual") report 0 "$query: the same of the pulled run" ;;
        *) has "$query: says that it reads calls" "reads rows of calls, which the database lacks" "$(cat err)" ;;
    esac
done
for command in tree info digest "export --format folded" "diff 4.db"; do
    # shellcheck disable=SC2086 # words
    run "$fisql" $command pulled.db
    same "$command: works on the pulled run" 0 "$status"
done
run "$fisql" trace pulled.db
has "trace: says that it needs calls" "which a trace needs" "$status $err"

# --- whole or not at all
gcc -w -shared -fPIC -o kill.so "$here/tests/fleet/kill.c" -ldl
case $(cat "$FISQL_BUILD"/sanitized 2>/dev/null)$(ldd "$fisql" | grep -c libasan) in
    *1) preload=$(gcc -print-file-name=libasan.so):$PWD/kill.so ;;
    *) preload=$PWD/kill.so ;;
esac
mkdir temporary
pushing() { TMPDIR=$PWD/temporary LD_PRELOAD=$preload "$fisql" push -q killed.db 3.db --label version=2.0; }
contents() { sqlite3 "$1" .dump | sed "s/^\(INSERT INTO runs VALUES([0-9]*,'[0-9a-f]*',\)[0-9]*/\1PUSHED/" | sha256sum; }
"$fisql" push -q start.db 1.db
cp start.db killed.db
KILL_AT=-1 KILL_COUNT=$PWD/steps pushing
steps=$(cat steps)
clean=$(contents killed.db)
at_least "the push takes so many steps" 60 "$steps"
halves=0 unequal=0 kills=0
for i in $(seq 50); do
    cp start.db killed.db
    rm -f killed.db-journal
    { KILL_AT=$((i * steps / 50)) pushing; } 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
    seen=$("$fisql" fleet runs killed.db --format json | jq length)
    parts=$(sql killed.db 'SELECT count(DISTINCT run_id) FROM functions')
    [ "$seen" = "$parts" ] || halves=$((halves + 1))
    "$fisql" push -q killed.db 3.db --label version=2.0
    [ "$(contents killed.db)" = "$clean" ] || unequal=$((unequal + 1))
done
{ KILL_AT=$((steps / 2)) pushing; } 2>/dev/null
same "a killed push leaves its temporary copy" 1 "$(find temporary -name 'fisql-push-*' | wc -l)"
exec 9>temporary/fisql-push-1-0
flock 9
cp start.db left.db
TMPDIR=$PWD/temporary "$fisql" push -q left.db 3.db
same "the next push removes it, and none that is in use" "temporary/fisql-push-1-0" "$(find temporary -name 'fisql-push-*')"
exec 9>&-
same "killed at 50 places: it was killed" 50 "$kills"
same "killed at 50 places: never half a run" 0 "$halves"
same "killed at 50 places: a repeated push makes it whole" 0 "$unequal"
cp start.db both.db
"$fisql" push -q both.db 3.db --label version=2.0 &
first=$!
"$fisql" push -q both.db 3.db --label version=2.0
second=$?
wait $first
same "two that push the same run at once: both done" "0 0" "$? $second"
same "and it is there once" "$clean" "$(contents both.db)"
same "nothing is left of temporary copies but of the killed" 0 "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name "fisql-push-$first-*" 2>/dev/null | wc -l)"

# --- text is data
cp 1.db hostile.db
python3 "$here/tests/fleet/hostile.py" hostile.db
run "$fisql" push hostile-fleet.db hostile.db --label "x='; DROP TABLE labels; --" --label 'y=$(reboot)`id`\'
same "hostile names are pushed" 0 "$status"
bytes() { sqlite3 "$1" "SELECT hex(name) FROM $2 ORDER BY 1"; }
same "and kept byte by byte" "$(bytes hostile.db 'functions WHERE instrumented')" "$(bytes hostile-fleet.db 'names WHERE function_id IN (SELECT function_id FROM functions)')"
same "as is the host" "$(sqlite3 hostile.db "SELECT hex(value) FROM run WHERE key = 'host'")" "$(sqlite3 hostile-fleet.db 'SELECT hex(host) FROM runs')"
same "and labels" "x='; DROP TABLE labels; --" "$(sqlite3 hostile-fleet.db "SELECT key || '=' || value FROM labels WHERE key = 'x'")"
same "a label chooses by its text" 1 "$("$fisql" fleet runs --url hostile-fleet.db -p "runs=x='; DROP TABLE labels; --" --format json | jq length)"
for query in $("$fisql" fleet --names | grep -vx regressions); do
    run "$fisql" fleet "$query" --url hostile-fleet.db
    same "$query: hostile names" 0 "$status"
    lacks "$query: and what people see has none of their controls" $'\xe2\x80\xae' "$out"
done
"$fisql" pull -q hostile-fleet.db ffffffffffffffff -o hostile-back.db
same "pulled byte by byte" "$(bytes hostile.db functions)" "$(bytes hostile-back.db functions)"

# --- errors: what is wrong, and what to do
# wrong WHAT WORDS COMMAND...
wrong() {
    local what=$1 words=$2
    shift 2
    run "$fisql" "$@"
    same "$what: status 2" 2 "$status"
    has "$what: says why" "$words" "$err"
}
wrong "no file of many runs" "\`fisql push none.db run.db\` makes it" fleet runs --url none.db
wrong "a run's database" "is the database of one run" fleet runs --url 1.db
wrong "pushed into a run's database" "is the database of one run" push 1.db 2.db
echo "no database" >text.db
wrong "no database" "is not a file of many runs" fleet runs --url text.db
wrong "a log" "load run.bin" push new.db run.bin
wrong "a folder" "Is a directory" push temporary 1.db
cp fleet.db older.db
sqlite3 older.db 'PRAGMA user_version = 99'
wrong "another version" "has version 99 of its tables" fleet runs --url older.db
cp fleet.db shape.db
sqlite3 shape.db 'ALTER TABLE runs RENAME COLUMN host TO guest'
wrong "other columns" "is not as \`fisql push\` makes it" fleet runs --url shape.db
cp fleet.db damaged.db
sqlite3 damaged.db "UPDATE parts SET bytes = substr(bytes, 1, 100) || x'00' || substr(bytes, 102)"
wrong "a damaged part" "is damaged" pull damaged.db "$(run_of 4.db)" -o none.db
sqlite3 damaged.db "UPDATE runs SET database_bytes = 4096"
wrong "a run that is larger than it says" "what is kept of it" pull damaged.db "$(run_of 4.db)" -o none.db
same "nothing is left of a pull that failed" "" "$(find . -name 'none.db*')"
wrong "no such runs" "no such runs" fleet runs -p runs=version=7
wrong "no such query" "did you mean hot-functions" fleet hot-function
wrong "a label without a key" "wants KEY=VALUE" push fleet.db 1.db --label main
wrong "one set alone" "wants two sets of runs" fleet regressions -p before=1.0
wrong "sets with runs in common" "on the other side, too" fleet regressions -p before=1.0 -p after=program=work

# --- incidents: each as its run has it, and a process's end by a signal is not told twice
mkdir apart && cd apart || exit 2
cat >wrong.c <<'C'
#include <assert.h>
#include <signal.h>
static void checks(int n) { assert(n == 1); }
static void reaches(int *volatile at) { *at = 1; }
int main(int argc, char **argv)
{
    if (argv[1][0] == 'a') checks(argc);
    if (argv[1][0] == 'n') reaches(0);
    raise(SIGTERM);
    return 0;
}
C
build gcc wrong -O0 -g wrong.c
for argument in a a n t; do
    "$fisql" record -q -o run.bin ./wrong $argument >/dev/null 2>&1
    "$fisql" load -q run.bin -o run.db 2>/dev/null
    "$fisql" push fleet.db run.db >/dev/null 2>&1
done
same "incidents: asserts and signals, where and in how many runs" "assert,checks,wrong.c:3: checks: n == 1,2,2
signal,,signal 15,1,1
signal,reaches,signal 11,1,1" "$(asked incidents | cut_to 1-5 | LC_ALL=C sort)"
cd .. || exit 2
