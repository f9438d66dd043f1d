#!/bin/bash
# fisql record --summary-at: ten lines on a thread when it ends, at the end, or by a signal.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build gcc followed -O1 -g -I"$here/collector" "$programs/followed.c" || exit 2
# blocks FILE: the threads that it is on, in alphabetic order
blocks() { sed -n 's/^fisql: thread \([^ ]*\) ([0-9]*) of process [0-9]*: .* computed .*; \([0-9]*\) calls$/\1 \2/p' "$1" | sort | xargs; }
# longest FILE: lines of the longest block
longest() { awk '/^fisql: thread / { n = 0 } { n++; if (n > most) most = n } END { print most + 0 }' "$1"; }
begin() {
    rm -f in said
    mkfifo in said
    "$fisql" record -q "$@" ./followed <in >said 2>shown &
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
}
# appears PATTERN: waits for it
appears() {
    for _ in $(seq 1200); do
        grep -q -- "$1" shown && return
        sleep 0.05
    done
    not_ok "\"$1\" appears"
}

# --- when a thread ends, while the program goes on
begin --summary-at thread-exit
order feeder 2000
same "nothing before a thread ends" "" "$(cat shown)"
order feeder end
appears 'step (followed.c'
# feed, serve, twice obey, rounds, and step and leaf of each round
same "the thread that ended, with its calls" "feeder 4005" "$(blocks shown)"
same "its functions with their calls" "2000 calls" "$(sed -n 's/.* step (followed.c:[0-9]*), //p' shown)"
at_least "at most ten lines" 1 "$((11 - $(longest shown)))"
order main 3
finish
same "the others when they end" "drainer feeder followed" "$(blocks shown | tr ' ' '\n' | grep '[a-z]' | xargs)"

# --- at the end
printf 'feeder 20\ndrainer 30\nmain 4\n' >orders
run "$fisql" record -q --summary-at exit ./followed <orders
cp "$TEST_TMP/err" shown
same "all threads at the end" "drainer 65 feeder 45" "$(blocks shown | sed 's/ followed.*//')"
same "the program's output stays its own" "0 ready done done done" "$status $(xargs <<<"$out")"
"$fisql" load -q run.bin
same "as the database has them" "$(sql run.db "SELECT group_concat(name || ' ' || calls, ' ') FROM (SELECT * FROM threads ORDER BY name)")" "$(blocks shown)"

# --- by a signal
begin --summary-at USR1
order feeder 10
kill -USR1 $recorder
appears 'thread feeder.* calls'
same "the signal does not end the program" "" "$(order main 1)"
finish
same "once" 1 "$(grep -c 'thread feeder' shown)"

run "$fisql" record --summary-at KILL ./followed
same "what it cannot do is refused" 2 "$status"
has "with what it can" "thread-exit, exit, or a signal" "$err"
