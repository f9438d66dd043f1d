#!/bin/bash
# fisql load --follow: the database of a running program, read meanwhile; at the end that of a plain load.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
"$fisql" cc gcc -O1 -g -o asked "$programs/asked.c" -pthread || exit 2
mkfifo in
"$fisql" record -q -o f.bin ./asked tick 2 <in >said 2>record_err &
recorder=$!
exec 7>in
until [ -s f.bin ]; do sleep 0.05; done
# With several threads a load gives functions their numbers in whatever order these come to them.
"$fisql" load -q --threads 1 --follow f.bin -o f.db 2>follow_err 7>&- &
follower=$!
for _ in $(seq 600); do
    [ -e f.db-wal ] && break
    sleep 0.1
done
# Each look is one state: as many calls as its threads say, and never fewer than before.
states=0 torn=0 before=0
for _ in $(seq 300); do
    look=$(sqlite3 f.db ".timeout 10000" "BEGIN; SELECT count(*) FROM calls; SELECT coalesce(sum(calls - counted_calls), 0) FROM threads; COMMIT" 2>>look_err | xargs)
    read -r calls of_threads <<<"$look"
    [ -n "$calls" ] && [ "$calls" = "$of_threads" ] && [ "$calls" -ge "$before" ] || torn="$torn, $look after $before"
    [ "${calls:-0}" -gt "$before" ] && states=$((states + 1))
    before=${calls:-0}
    [ $states -ge 3 ] && break
    sleep 0.1
done
# A reader that stays with one state: the WAL holds one other, not one after another.
mkfifo hold
sqlite3 f.db <hold >held 2>>look_err 7>&- &
holder=$!
exec 8>hold
echo "BEGIN; SELECT count(*) FROM calls;" >&8
until [ -s held ]; do sleep 0.05; done
for _ in $(seq 100); do
    [ -s f.db-wal ] && break
    sleep 0.1
done
sleep 4
wal=$(stat -c %s f.db-wal)
at_least "there is a state in the WAL while somebody reads" 1 "$wal"
# The newest state may be larger than the one in the file by any number of pages. What the WAL says: its header
# has 32 bytes with the page size at byte 8; each frame 24, with the size of the committed state, in pages, at byte 4.
number_at() { # file, offset: four bytes, the most significant first
    echo $((0x$(od -An -v -tx1 -j "$2" -N 4 "$1" | tr -d ' ')))
}
frame=$(($(number_at f.db-wal 8) + 24))
frames=$(((wal - 32) / frame)) pages=$(number_at f.db-wal $((32 + (frames - 1) * frame + 4)))
one=no
[ $frames -ge "$pages" ] && [ $frames -lt $((pages * 3 / 2)) ] && one=yes
same "beside a long reader the WAL holds one state ($frames frames, the newest state has $pages pages)" yes $one
exec 8>&-
wait $holder
for _ in $(seq 300); do
    later=$(sqlite3 f.db ".timeout 10000" "SELECT count(*) FROM calls" 2>>look_err)
    [ "${later:-0}" -gt "$(cat held)" ] && break
    sleep 0.1
done
at_least "when it has ended later ones come" "$(($(cat held) + 1))" "$later"

same "no reader sees half a state" 0 "$torn"
at_least "the database grows while the program runs" 3 "$states"
exec 7>&-
wait $recorder
wait $follower
same "it ends when the recording ends" 0 $?
"$fisql" load -q --threads 1 f.bin -o plain.db
same "and has the rows of a plain load" "$(sqlite3 plain.db .dump | grep -v "'load_\|'loaded" | cksum)" \
    "$(sqlite3 f.db .dump | grep -v "'load_\|'loaded" | cksum)"
same "nothing is left beside it" "f.bin f.db" "$(echo f.*)"

# --- Ctrl-C
mkfifo again
"$fisql" record -q -o g.bin ./asked stand 2 <again >said 2>record_err &
recorder=$!
exec 7>again
until [ "$(wc -l <said)" = 2 ]; do sleep 0.05; done
"$fisql" load -q --follow g.bin 2>follow_err 7>&- &
follower=$!
until [ -e g.db-wal ]; do sleep 0.05; done
kill -INT $follower
wait $follower
same "an interrupt ends it" 1 "$(($? < 2))"
same "with a whole database" ok "$(sqlite3 g.db 'PRAGMA integrity_check')"
same "and nothing beside it" "g.bin g.db" "$(echo g.*)"
exec 7>&-
wait $recorder

# --- a quiet program: all that it has called lies in the live area
mkfifo quiet
"$fisql" record -q -o h.bin ./asked stand 3 <quiet >said 2>record_err &
recorder=$!
exec 7>quiet
until [ "$(wc -l <said)" = 3 ]; do sleep 0.05; done
# the threads that wait are in `stay`: calls of a thread that waits for the end are open
waiting() { sqlite3 "$1" ".timeout 10000" "SELECT count(*) FROM calls c JOIN frames f ON f.id = c.frame_id
    JOIN functions n ON n.id = f.function_id WHERE n.name = 'stay' AND c.ended <> 0" 2>/dev/null; }
"$fisql" load -q --follow h.bin 2>follow_err 7>&- &
follower=$!
for _ in $(seq 300); do
    [ "$(waiting h.db)" = 3 ] && break
    sleep 0.1
done
same "following shows the calls of a program that has written none of them" 3 "$(waiting h.db)"
run "$fisql" load h.bin -o now.db
same "so does a plain load meanwhile" "0 3" "$status $(waiting now.db)"
has "which says that it is being recorded" "being recorded still" "$err"
same "with as many calls as ps counts" "$("$fisql" ps --format csv | awk -F, -v recorder=$recorder '$2 == recorder { print $4 }')" \
    "$(sqlite3 now.db "SELECT count(*) FROM calls")"
same "a state is sound and lacks nothing" "ok 0 0" "$(sqlite3 now.db "PRAGMA integrity_check" "SELECT count(*) FROM losses" "SELECT count(*) FROM anomalies" | xargs)"
sqlite3 now.db "DELETE FROM calls; UPDATE threads SET calls = 0"
run "$fisql" trace now.db
lacks "where it has called nothing so far, nobody asks about fisql cc" "fisql cc" "$err"
has "but says so" "so far" "$err"
exec 7>&-
wait $recorder
wait $follower
same "at the end it is whole" 0 $?
"$fisql" load -q h.bin -o plain.db
same "with the calls of a plain load" "$(sqlite3 plain.db "SELECT count(*), sum(duration_ns) FROM calls")" \
    "$(sqlite3 h.db "SELECT count(*), sum(duration_ns) FROM calls")"
