#!/bin/bash
# What was left out while the program ran leaves its mark: fisql control, fisql_stop() and SIGUSR2 make rows, and those
# who judge the recording say from when to when.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build gcc controlled -O1 -g -I"$here/collector" "$programs/controlled.c" || exit 2

# begin COMMAND...: in the background, with pipes; sets started
begin() {
    rm -f in said
    mkfifo in said
    "$@" <in >said 2>err_begin &
    started=$!
    exec 7>in 8<said
}
# order WORD: and waits until it is done
order() {
    echo "$1" >&7
    read -r -t 60 <&8 || not_ok "order $1: no answer"
}
finish() {
    exec 7>&- 8<&-
    wait "$started"
}
changes() { sql "$1" "SELECT coalesce('process ' || process_id || ': ', '') || what || coalesce(' ' || detail, '') FROM recording_changes ORDER BY id"; }

begin "$fisql" record -q -o run.bin ./controlled
order 1000
for change in "only parse*" "only *" "exclude callee other*" "only *" "depth 1" "depth 0" "level 3,5" "level 5" stop start; do
    read -ra words <<<"$change"
    set -f
    "$fisql" control "$started" "${words[@]}" || not_ok "control $change"
    set +f
    order 100000
done
"$fisql" control "$started" stop # twice, quickly: neither is lost
"$fisql" control "$started" start
order stop
order stop
order start
finish
run "$fisql" load -q run.bin
same "a recording that was changed loads, and lacks nothing else" "0 0" "$status $(sql run.db 'SELECT count(*) FROM losses')"
same "each change has its row" "only 'parse*'
only '*'
exclude 'callee' 'other*'
only '*'
depth 1
depth 0
level 3,5
level 5
stop
start
stop
start
process 1: stop
process 1: start" "$(changes run.db)"
same "their times ascend, within the run" 0 "$(sql run.db "SELECT count(*) FROM recording_changes c
    WHERE at_ns <= 0 OR at_ns < (SELECT max(at_ns) FROM recording_changes b WHERE b.id < c.id)
       OR at_ns > (SELECT max(end_ns) FROM processes)")"
same "each limit ends where the next change of its kind stands" "1-2 3-4 5-6 7-8 9-10 11-12 13-14" \
    "$(sql run.db "SELECT group_concat(f.id || '-' || t.id, ' ') FROM (SELECT * FROM recording_limits ORDER BY from_ns) l
        JOIN recording_changes f ON f.at_ns = l.from_ns JOIN recording_changes t ON t.at_ns = l.to_ns")"
same "what exclude names is not recorded, and the others are" "1" \
    "$(sql run.db "SELECT max(calls) FILTER (WHERE name = 'parse') > max(calls) FILTER (WHERE name = 'callee')
        FROM function_stats JOIN functions ON id = function_id")"
only=$(sql run.db "SELECT printf('from %.3f s to %.3f s: only ''parse*''', from_ns / 1e9, to_ns / 1e9) FROM recording_limits LIMIT 1")
run "$fisql" info run.db
has "info says from when to when" "$only" "$out"
lacks "and not that all is there" "complete       yes" "$out"
run "$fisql" query completeness run.db
has "completeness has it" "$only" "$out"
has "and what was switched off" ": it was off" "$out"
run "$fisql" digest run.db
has "the digest has it" "Left out     $only" "$out"
lacks "and does not call the recording whole" "the recording is complete
" "$out"
run "$fisql" query hot-functions run.db
has "a ranking's table has a note" "recording was restricted $only" "$err"
run "$fisql" query hot-functions --format csv run.db
lacks "its CSV has none" "restricted" "$out$err"
run "$fisql" query hot-functions --format json run.db
lacks "nor its JSON" "restricted" "$out$err"
run "$fisql" query hot-functions --format markdown run.db
has "its Markdown has it in the document" "> Recording was restricted ${only//\*/\\*}" "$out"
same "for each of the first times, and the others as one" "4 And 4 times more" \
    "$(grep -c '^> ' <<<"$out") $(grep -o 'And .* more' <<<"$out")"
lacks "and not on stderr, too" "restricted" "$err"
run "$fisql" query hot-functions --format markdown --until 1ns run.db
lacks "nor where the times asked for are others" "restricted" "$out$err"
run "$fisql" query completeness --format markdown run.db
lacks "nor in what is about the recording itself" "Recording was restricted" "$out$err"
run "$fisql" query --all run.db
same "all queries have it once, above them" "3:Recording was restricted $only" "$(grep -nF "restricted $only" <<<"$out")"
run "$fisql" query --all --format markdown run.db
same "in Markdown, too" "> Recording was restricted ${only//\*/\\*}" "$(grep "restricted from ${only:5:5}" <<<"$out")"
if page_built "the page's data"; then
    "$fisql" report run.db -o run.html 2>err_report
    has "the page has it" "from $(sql run.db "SELECT printf('%.3f', from_ns / 1e9) FROM recording_limits LIMIT 1") s" "$(grep -o '"limits".\{0,400\}' run.html | head -n 1)"
    note=$(node "$here/tests/report/limits.mjs" "$PWD/run.html")
    has "its table of functions has a note" "Recording was restricted $only; from " "$note"
    has "of the first three, and how many more there are" "; and 4 times more: section The run has them." "$note"
fi

# --- without fisql record
begin env LD_PRELOAD="$FISQL_BUILD/libfisql.so" FISQL_LOG="$TEST_TMP/own.bin" FISQL_OPTIONS=start-off ./controlled
order start
order 1000
"$fisql" control "$started" stop || not_ok "control without fisql record"
order 100000
"$fisql" control "$started" start
order 100000
order signal
order signal
order stop
finish
run "$fisql" load -q own.bin
same "without fisql record each change has its row" "process 1: start
stop
start
process 1: stop
process 1: start
process 1: stop" "$(changes own.db)"
has "what was asked last holds to the end" "to the end in process" "$("$fisql" info own.db 2>&1)"

# --- a program that switches without end has so many rows, and the rest as one
begin "$fisql" record -q -o many.bin ./controlled
for _ in $(seq 150); do
    order stop
    order start
done
"$fisql" control "$started" depth 3
finish
"$fisql" load -q many.bin
same "of 300 changes 192 have rows; control's has one" "192 1 108" \
    "$(sql many.db "SELECT sum(what IN ('start', 'stop')) || ' ' || sum(what = 'depth') || ' ' || max(detail) FILTER (WHERE what = 'more') FROM recording_changes")"
has "and completeness says so" "108 more" "$("$fisql" query completeness many.db 2>&1)"

# --- no call is recorded after an order, however few hooks a thread has run: with --time none it looks at its chunk's end
hows=(--no-patch)
[ "$(uname -m)" = x86_64 ] && hows+=(--as-is)
for how in "${hows[@]}"; do
    for time in full sampled none; do
        begin "$fisql" record -q $how --time $time -o "$time$how.bin" ./controlled
        order 10
        "$fisql" control "$started" stop || not_ok "$time $how: stop"
        order 1000
        "$fisql" control "$started" start || not_ok "$time $how: start"
        order 100
        finish
        "$fisql" load -q "$time$how.bin"
        same "$time $how: calls after stop, and before start, are not recorded" 110 \
            "$(sql "$time$how.db" "SELECT calls FROM function_stats JOIN functions ON id = function_id WHERE name = 'parse'")"
    done
done
