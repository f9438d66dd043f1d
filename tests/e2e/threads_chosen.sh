#!/bin/bash
# Only chosen threads are recorded: record --threads, fisql control threads and FISQL_RECORD_THREAD(), by name or first
# function; switched while the program runs, with balanced calls and exact counts.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build gcc followed -O1 -g -I"$here/collector" "$programs/followed.c" || exit 2

steps() { sql run.db "SELECT t.name || ' ' || count(*) FROM calls c JOIN threads t ON t.id = c.thread_id JOIN frames r ON r.id = c.frame_id
    JOIN functions f ON f.id = r.function_id WHERE f.name = 'step' GROUP BY t.id ORDER BY 1" | xargs; }
# balanced WHAT: nothing is lost, no exit without its call, and no call is its own parent's stranger
balanced() {
    same "$1: nothing is lost or strange" "0 0" "$(sql run.db "SELECT (SELECT count(*) FROM losses) || ' ' || (SELECT count(*) FROM anomalies)")"
    same "$1: each leaf is in a step" "" "$(sql run.db "SELECT 1 FROM call_details c LEFT JOIN call_details p ON p.id = c.parent_id
        WHERE c.function = 'leaf' AND p.function IS NOT 'step' LIMIT 1")"
    sound "$1" run.db
}
# recorded PATTERN...: records with these threads, and loads
recorded() {
    local options=()
    for pattern in "$@"; do options+=(--threads "$pattern"); done
    printf 'feeder 2\ndrainer 3\nmain 4\n' | "$fisql" record -q "${options[@]}" ./followed >/dev/null
    "$fisql" load -q run.bin
}
recorded
same "all threads" "drainer 3 feeder 2 followed 4" "$(steps)"
recorded feed
same "by the function that it begins with" "feeder 2" "$(steps)"
balanced "a thread alone"
recorded feeder
same "by the name that FISQL_THREAD gives" "feeder 2" "$(steps)"
recorded drainer
same "by the name that pthread_setname_np gives" "drainer 3" "$(steps)"
recorded 'dr?i[m-o]er' 'mai*'
same "by patterns" "drainer 3 followed 4" "$(steps)"
has "the recording says so" "only threads 'dr?i[m-o]er' 'mai*'" "$(sql run.db "SELECT text FROM recording_limits")"
run "$fisql" record --threads nobody ./followed </dev/null
has "if no thread is chosen, nothing is recorded" "nothing was recorded" "$err"
run "$fisql" record --threads "" ./followed
same "no pattern at all is refused" 2 "$status"

# --- while it runs
begin() {
    rm -f in said
    mkfifo in said
    "$fisql" record -q "$@" ./followed <in >said 2>record_err &
    recorder=$!
    exec 7>in 8<said
    read -r -t 60 <&8 || not_ok "the program does not begin"
}
order() {
    echo "$*" >&7
    read -r -t 60 <&8 || not_ok "order $*: no answer"
}
finish() {
    exec 7>&- 8<&-
    wait $recorder
    "$fisql" load -q run.bin
}
# control PATTERN...: a thread looks once in some hundred calls, so many go by before we count
control() {
    "$fisql" control $recorder threads "$@"
    for who in feeder drainer main; do order $who 200000; done
}
begin --threads drain
order drainer 10
order feeder 10
control nobody
order drainer 100
order main 100
control feed main
order feeder 7
order main 7
order drainer 100
finish
balanced "by fisql control"
same "which threads are recorded" "drainer feeder followed" "$(sql run.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM threads ORDER BY name)")"
# what those that are on record while the others look is all of their rounds, or what is left of them
same "a thread that was never chosen before is recorded from then on" yes \
    "$(sql run.db "SELECT CASE WHEN count(*) BETWEEN 200007 AND 200007 THEN 'yes' ELSE count(*) END FROM call_details c JOIN threads t ON t.id = c.thread_id WHERE function = 'step' AND t.name = 'feeder'")"
same "one that is not chosen any more, is not" yes \
    "$(sql run.db "SELECT CASE WHEN count(*) BETWEEN 10 AND 200010 THEN 'yes' ELSE count(*) END FROM call_details c JOIN threads t ON t.id = c.thread_id WHERE function = 'step' AND t.name = 'drainer'")"
same "the changes are in the recording" "threads 'drain'; threads 'nobody'; threads 'feed' 'main'" \
    "$(sql run.db "SELECT group_concat(what || ' ' || detail, '; ') FROM recording_changes")"

# --- by macro, which acts at once: counts are exact
begin
order feeder 5
order feeder off
order feeder 50
order drainer 3
order feeder on
order feeder 6
order feeder off
order feeder 50
order feeder as
order feeder 7
finish
same "by macro: the calls while it was on" "drainer 3 feeder 18" "$(steps)"
balanced "by macro"
begin --threads nobody
order main on
order main 4
order feeder 9
order main as
order main 9
finish
same "a macro goes before --threads" "followed 4" "$(steps)"
balanced "by macro against --threads"
run "$fisql" control $$ threads
same "control refuses other processes" 2 "$status"

# --- blocks that a thread which is left out frees are not called lost
cat >handed.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static void *blocks[5000];
__attribute__((noinline)) static void make(int i) { blocks[i] = malloc(100); }
__attribute__((noinline)) static void drop(int i) { free(blocks[i]); }
static void *maker(void *none)
{
    for (int i = 0; i < 5000; i++)
        make(i);
    return none;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, maker, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 5000; i++)
        drop(i);
    return 0;
}
C
build gcc handed -O1 -g -pthread handed.c || exit 1
for chosen in maker '*'; do
    "$fisql" record -q --threads "$chosen" -o handed.bin ./handed && "$fisql" load -q handed.bin -o handed.db
    lacks "--threads $chosen: nothing is called lost" "loses" "$("$fisql" query findings handed.db 2>/dev/null)"
done
same "--threads maker: its blocks have no end in the recording" "5000 0" \
    "$("$fisql" record -q --threads maker -o handed.bin ./handed && "$fisql" load -q handed.bin -o handed.db && sql handed.db 'SELECT count(*) || " " || count(free_ns) FROM allocs WHERE size = 100')"

# Beside busy loops the collector's measuring of its own hooks is interrupted, and its function came first.
loops=()
for _ in 1 2 3 4; do
    (while :; do :; done) &
    loops+=($!)
done
chosen=0
for _ in $(seq 12); do
    recorded 'mai*'
    [ "$(steps)" != "followed 4" ] || chosen=$((chosen + 1))
done
kill "${loops[@]}"
same "by its function on a busy machine" 12 $chosen
