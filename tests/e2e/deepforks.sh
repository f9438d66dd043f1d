#!/bin/bash
# More calls open than a chunk's snapshot shows: in a forked child, and in a flight recorder's log. And a
# child whose first chunk the flight recorder dropped: what was open at the fork stays the parent's.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build gcc deepforks -O1 -g "$programs/deepforks.c" || exit 1

# What the processes print, as lines "pid name calls", and the same of the database.
printed() { awk 'NF == 1 { pid = $1; next } { print pid, $1, $2 }' "$1" | LC_ALL=C sort; }
recorded() {
    sql run.db "SELECT p.pid || ' ' || d.function || ' ' || count(*) FROM call_details d JOIN threads t ON t.id = d.thread_id
                JOIN processes p ON p.id = t.process_id GROUP BY p.id, d.function" | LC_ALL=C sort
}

"$fisql" record -q ./deepforks fork 400 >out.txt
run "$fisql" load -q run.bin
same "a fork 400 calls deep: loads without a word" "0 " "$status $err"
same "a fork 400 calls deep: calls of each process" "$(printed out.txt)" "$(recorded)"
sound "a fork 400 calls deep" run.db

# What the ring dropped and the rows are the calls that were made.
none_missing() { # WHAT
    same "$1: rows and dropped calls are the calls made" "$(awk 'NF == 2 { calls += $2 } END { print calls }' out.txt)" \
        "$(sql run.db "SELECT count(*) + (SELECT value FROM run WHERE key = 'ring_dropped_calls') FROM calls")"
}
"$fisql" record -q --ring 1M ./deepforks deep 400 >out.txt
run "$fisql" load -q run.bin
same "a ring, 400 calls deep: loads without a word" "0 " "$status $err"
same "a ring, 400 calls deep: the exits after it are no damage, main's leaf came after them" "1 leaf 0" "$(sql run.db "
    SELECT count(*), function, depth FROM call_details WHERE function = 'leaf' AND id = (SELECT max(id) FROM calls)" | tr '|' ' ')"
none_missing "a ring, 400 calls deep"

"$fisql" record -q --ring 1M ./deepforks own >out.txt
run "$fisql" load -q run.bin
same "a ring in a child: loads without a word" "0 " "$status $err"
same "a ring in a child: main is the parent's alone" 1 "$(sql run.db "
    SELECT group_concat(process_id) FROM call_details d JOIN threads t ON t.id = d.thread_id WHERE d.function = 'main'")"
same "a ring in a child: work, which the child called, is the child's" "2 main => work" "$(sql run.db "
    SELECT t.process_id || ' ' || s.stack FROM call_details d JOIN threads t ON t.id = d.thread_id
    JOIN frame_stacks s ON s.frame_id = d.frame_id WHERE d.function = 'work'")"
none_missing "a ring in a child"
