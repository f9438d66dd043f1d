#!/bin/bash
# fisql load --calls=long and =none: which rows they keep, that everything but them is the same, and that whoever asks
# for other calls gets what all rows give, as the log is read again.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
mkdir scratch && export TMPDIR=$TEST_TMP/scratch

# columns DB: those of calls that are stored or made of them
columns=id,parent_id,thread_id,frame_id,depth,enter_ns,duration_ns,self_ns,descendants,children_ns,ended
# loaded NAME THREADS: NAME.bin in the three ways
loaded() {
    "$fisql" load -q --threads "$2" -o "$1.db" "$1.bin"
    "$fisql" load -q --threads "$2" --calls=long -o "$1-long.db" "$1.bin"
    "$fisql" load -q --threads "$2" --calls=none -o "$1-none.db" "$1.bin"
}
# compared NAME: by two threads, which number contexts in the order in which they meet them, and by one
compared() {
    local name=$1
    loaded "$name" 2
    same "$name, two threads: long: every long call, what did not return, and each context's first and last" 0 \
        "$(sql "$name-long.db" "ATTACH '$name.db' AS a;
        SELECT count(*) FROM (SELECT id, enter_ns, duration_ns FROM a.calls WHERE duration_ns >= 1000 OR ended <> 0
            UNION SELECT min(id), enter_ns, duration_ns FROM a.calls GROUP BY frame_id
            UNION SELECT max(id), enter_ns, duration_ns FROM a.calls GROUP BY frame_id
            EXCEPT SELECT id, enter_ns, duration_ns FROM calls)")"
    loaded "$name" 1
    same "$name: long: the rows are those of all calls" 0 "$(sql "$name-long.db" "ATTACH '$name.db' AS a;
        SELECT count(*) FROM (SELECT $columns FROM calls EXCEPT SELECT $columns FROM a.calls)")"
    same "$name: long: every long call, what did not return, and each context's first and last" 0 \
        "$(sql "$name-long.db" "ATTACH '$name.db' AS a;
        SELECT count(*) FROM (SELECT id FROM a.calls WHERE duration_ns >= 1000 OR ended <> 0
            UNION SELECT min(id) FROM a.calls GROUP BY frame_id UNION SELECT max(id) FROM a.calls GROUP BY frame_id
            EXCEPT SELECT id FROM calls)")"
    same "$name: none" 0 "$(sql "$name-none.db" "SELECT count(*) FROM calls")"
    for part in long none; do
        same "$name: $part: all other tables are the same" "" "$(for table in $(sql "$name.db" \
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('calls', 'call_values', 'valued_calls', 'run')"); do
            [ "$part" = none ] && [[ $table == incident* ]] && continue # these need rows of calls
            same_rows "$name.db" "$name-$part.db" "$table" || echo "$table"
        done)"
    done
    same "$name: long: the file is sound" ok "$(sql "$name-long.db" "PRAGMA integrity_check")"
}
# same_rows DB OTHER TABLE
same_rows() {
    [ "$(sqlite3 "$1" "SELECT * FROM \"$3\"" | md5sum)" = "$(sqlite3 "$2" "SELECT * FROM \"$3\"" | md5sum)" ]
}

cat >shop.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static __thread volatile int sink;
static void leaf(int n) { sink += n; }
static void node(int n) { for (int i = 0; i < 3; i++) leaf(n); }
static void rest(void) { usleep(2000); }
static void *work(void *of) { for (int i = 0; i < 20000; i++) node(i); rest(); free(malloc(10)); return of; }
int main(int argc, char **argv) {
    (void)argv;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    node(1);
    if (argc > 1) abort();
    return 0;
}
C
build gcc shop -O1 -g shop.c -lpthread
"$fisql" record -q -o shop.bin ./shop
compared shop
at_least "most rows are not there" 1 "$(($(sql shop.db "SELECT count(*) FROM calls") - $(sql shop-long.db "SELECT 4 * count(*) FROM calls")))"
run "$fisql" record -q -o killed.bin ./shop x
compared killed
same "the end of a killed run is told alike" "$("$fisql" digest killed.db | sed 's/killed[a-z-]*\.db//g')" \
    "$("$fisql" digest killed-long.db | sed 's/killed[a-z-]*\.db//g')"
build g++ throws -O0 -g "$programs/exceptions.cc"
"$fisql" record -q -o throws.bin ./throws >/dev/null
compared throws
build gcc forks -O1 -g "$programs/forks.c"
"$fisql" record -q -o forks.bin ./forks >/dev/null
compared forks

# --- asking for other calls
short=$(sql shop.db "SELECT id FROM calls WHERE duration_ns < 900 AND id NOT IN (SELECT min(id) FROM calls GROUP BY frame_id) LIMIT 1 OFFSET 30000")
for part in long none; do
    run "$fisql" stack "$short" shop-$part.db
    same "$part: the stack of a short call" "$("$fisql" stack "$short" shop.db)" "$out"
    same "$part: says that the log is read again" \
        "fisql: shop-$part.db lacks rows of calls, which a stack needs: reading $TEST_TMP/shop.bin again" "$err"
    for command in "trace --depth 3 --thread 2" "export --format folded --since 1ms" "query slow-calls" "query outliers" "tree --by-value node"; do
        # shellcheck disable=SC2086 # words
        same "$part: $command: as with all rows" "$("$fisql" $command shop.db 2>&1)" \
            "$("$fisql" $command shop-$part.db 2>&1 | grep -v "^fisql: shop-$part.db lacks rows of calls")"
    done
    has "$part: completeness says it" "rows of calls (load --calls=$part)" "$("$fisql" query completeness shop-$part.db)"
done
long=$(sql shop.db "SELECT id FROM calls WHERE duration_ns > 1000000 AND parent_id IS NOT NULL LIMIT 1")
run "$fisql" stack "$long" shop-long.db
same "a long call's stack needs no log" "0 " "$status $err"
"$fisql" push -q --calls many.db shop-long.db 2>/dev/null
same "a push with calls has all of them" "$(sql shop.db "SELECT count(*) FROM calls")" "$(sql many.db "SELECT count(*) FROM calls")"
same "nothing is left behind" "" "$(ls scratch)"

# --- where the log is not what it was
mv shop.bin away.bin
run "$fisql" stack "$short" shop-long.db
same "without the log: what to do" \
    "2 fisql: shop-long.db: lacks rows of calls, which a stack needs, and $TEST_TMP/shop.bin, which has them, cannot be read: load the log with --calls=all" "$status $err"
run "$fisql" query slow-calls shop-long.db
has "without the log a query says what it lacks" "what it says is not whole; load the log with --calls=all" "$err"
"$fisql" record -q -o shop.bin ./shop
run "$fisql" stack "$short" shop-long.db
same "another log: refused" "2 fisql: shop-long.db: $TEST_TMP/shop.bin, which it was loaded from, has changed since: load it again" \
    "$status $(tail -n 1 <<<"$err")"
echo "no log" >shop.bin
run "$fisql" stack "$short" shop-long.db
has "no log any more: refused" "shop.bin: is not a fisql log" "$err"
mv away.bin shop.bin
TMPDIR=/nowhere run "$fisql" stack "$short" shop-long.db
has "no room for it: what to do" "set TMPDIR to a folder with room" "$err"
same "nothing is left behind, either" "" "$(ls scratch)"

# --- logs that need all rows
"$fisql" record -q --no-time -o timeless.bin ./shop
run "$fisql" load --calls=long timeless.bin
has "no times: all rows are kept, and that is said" "timeless.bin: has no times: the rows of all calls are kept" "$err"
same "no times: all rows are there" "$(sql timeless.db "SELECT sum(calls) FROM threads")" "$(sql timeless.db "SELECT count(*) FROM calls")"
"$fisql" record -q --locks -o locks.bin ./shop
run "$fisql" load --calls=long locks.bin
has "locks: all rows are kept, and that is said" "locks.bin: has locks, whose holders are found by them: the rows of all calls are kept" "$err"
same "locks: all rows are there" "$(sql locks.db "SELECT sum(calls) FROM threads")" "$(sql locks.db "SELECT count(*) FROM calls")"
run "$fisql" load --calls=some run.bin
same "a wrong word" "2 fisql: --calls some: wants all, long or none" "$status $err"
