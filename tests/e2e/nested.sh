#!/bin/bash
# Signal handlers that call functions in the middle of hooks: at the worst moment, and until a thread's very end.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc window -O2 -g "$programs/window.c" || exit 1
for options in "" "--depth 1" "--min-duration 1us" "--time none" "--time sampled"; do
    # shellcheck disable=SC2086 # a list of words
    "$fisql" record -q $options ./window >out.txt
    run "$fisql" load -q run.bin
    same "a signal before each chunk is written ($options): loads without a word" "0 " "$status $err"
    same "a signal before each chunk is written ($options): counts" "$(expected out.txt)" "$(counts run.db | LC_ALL=C sort)"
    same "a signal before each chunk is written ($options): no anomaly" 0 "$(sql run.db 'SELECT count(*) FROM anomalies')"
done

# A handler at every instruction of the hooks, and handlers within it: counts are exact.
steps() {
    # shellcheck disable=SC2086 # a list of words
    "$fisql" record -q $1 ./steps "${@:2}" >out.txt
    run "$fisql" load -q run.bin
    same "handlers at each instruction ($*): loads without a word" "0 " "$status $err"
    same "handlers at each instruction ($*): counts" "$(cat out.txt)" "$(counts run.db | LC_ALL=C sort)"
    same "handlers at each instruction ($*): no anomaly" 0 "$(sql run.db 'SELECT count(*) FROM anomalies')"
}
if [ "$(uname -m)" = x86_64 ]; then
    build gcc steps -O2 -g "$programs/steps.c" || exit 1
    steps "--time none" 2
    steps "--time sampled" 2
    steps "" 9
    steps "--depth 1" 9
    steps "--min-duration 1us" 9
    steps "--time none" 9 heap
    steps "--time sampled" 9 heap

    # Handlers that jump out of a hook, kill the process in it, or fork: the child goes on with the hook, too. What is recorded of
    # target() depends on how far its hook had come; all else is exact.
    build gcc stepaway -O2 -g "$programs/stepaway.c" || exit 1
    for how in "1 jump --time none" "1 fork --time none" "2 kill --time none" "1 jump --time sampled" "1 fork --time sampled" "9 kill --depth 1" "5 jump --depth 1" "9 fork --depth 1" "9 fork --min-duration 1us"; do
        read -r every way options <<<"$how"
        # shellcheck disable=SC2086 # a list of words
        "$fisql" record -q $options ./stepaway "$every" "$way" >out.txt
        run "$fisql" load -q run.bin
        same "$how, at each instruction: loads without a word" "0 " "$status $err"
        same "$how, at each instruction: counts" "$(cat out.txt)" "$(counts run.db | grep -v target | LC_ALL=C sort)"
        same "$how, at each instruction: nothing else is wrong" "" \
            "$(sql run.db "SELECT kind, count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY 1")"
    done
fi

# Every thread that ends with handlers still coming is one thread.
build gcc signals -O2 -g "$programs/signals.c" || exit 1
for _ in 1 2 3; do
    "$fisql" record -q ./signals plain 30000 >out.txt
    run "$fisql" load -q run.bin
    same "signals to threads that end: loads without a word" "0 " "$status $err"
    same "signals to threads that end: counts" "$(expected out.txt)" \
        "$(counts run.db | awk -v known="$(cut -d' ' -f1 out.txt | tr '\n' ' ')" '
        BEGIN { split(known, list); for (i in list) want[list[i]] = 1 } want[$1]' | LC_ALL=C sort)"
    same "signals to threads that end: threads" 3 "$(sql run.db 'SELECT count(*) FROM threads')"
    same "signals to threads that end: a thread's end is not before its last call's" 0 "$(sql run.db '
        SELECT count(*) FROM threads t WHERE end_ns < (SELECT max(enter_ns + duration_ns) FROM calls WHERE thread_id = t.id)')"
done
