#!/bin/bash
# fisql record --rotate: a new log takes the place of a long one. Each log is loaded alone; together they hold each call
# once, of threads and forked processes, of programs with hooks and as they are, and where processes are killed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc hooked -O1 -g "$programs/rotated.c"
gcc -O1 -g -o plain "$programs/rotated.c" -lpthread

# Are all chunks of each thread there, in the logs of this run from the oldest to the newest? What was lost would be a
# gap in a thread's numbers of chunks and calls. `order`: each log takes up where the one before ended.
cat >chunks.py <<'P'
import struct, sys

def leads(log, offset):
    return offset == len(log) or log[offset:offset + 4] == b"FSQL"

last, bad, calls = {}, [], 0
for name in sys.argv[1:]:
    log, offset, chunks = open(name, "rb").read(), 0, []
    while offset + 128 <= len(log):
        head = struct.unpack_from("<IHHIIQQQIIIIQQQQQI", log, offset)
        if head[0] != 0x4c515346 or not leads(log, offset + head[3]):
            offset = log.find(b"FSQL", offset + 1)  # what a killed process wrote of a chunk
            if offset < 0:
                break
            continue
        if head[2] == 5:
            chunks.append(((head[7], head[10]), head[11], head[15], head[17]))
        offset += head[3]
    for thread, sequence, first, count in sorted(set(chunks)):
        before = last.get(thread, (-1, 0))
        if sequence != before[0] + 1 or first != before[1]:
            bad.append("%s: thread %s: %d calls %d after %s" % (name, thread, sequence, first, before))
        last[thread] = (sequence, first + count)
        calls += count
print(calls, *bad)
P

logs_of() { # the logs from the oldest to the newest
    for log in $(seq 200 -1 1 | sed 's/^/run.bin./') run.bin; do
        [ ! -e "$log" ] || echo "$log"
    done
}

# Loads each log alone; prints the calls that ended in them, as the program prints its own. A call that several logs
# have ends in one of them.
ended_of_all() {
    for log in $(logs_of); do
        "$fisql" load -q -o "$log.db" "$log" 2>>load.err || echo "$log: status $?"
        sql "$log.db" "SELECT f.name, count(*) FROM calls c JOIN frames r ON r.id = c.frame_id
            JOIN functions f ON f.id = r.function_id WHERE c.ended = 0 GROUP BY f.name"
    done | awk -F'|' 'NF == 1 { print } $1 ~ /^(inner|outer|round_of|work)$/ { sum[$1] += $2 }
        END { for (name in sum) print name, sum[name] }' | LC_ALL=C sort
}

losses_of_all() {
    for log in $(logs_of); do sql "$log.db" "SELECT reason FROM losses WHERE reason <> 'unknown frees'"; done
}

whole() { # WHAT RECORD-OPTION... -- PROGRAM ARGUMENT...
    local what=$1
    shift
    rm -f run.bin* load.err
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for _ in 1 2 3 4 5; do # where the recorder gets no processor for the tenth of a second that the program takes, logs grow
        rm -f run.bin*
        run "$fisql" record --rotate 1M,200 "${options[@]}" "$@"
        [ "$(logs_of | wc -l)" -lt 3 ] || break
    done
    same "$what: status" 0 "$status"
    said=$(sed -n 's/.*run.bin: \([0-9]*\) calls.* in \([0-9]*\) logs.*/\1 \2/p' <<<"$err")
    at_least "$what: several logs" 3 "$(logs_of | wc -l)" "$err"
    same "$what: it says how many" "$(logs_of | wc -l)" "${said#* }"
    same "$what: each call ends in one log" "$out" "$(ended_of_all)"
    # shellcheck disable=SC2046 # a list
    same "$what: each chunk is there, in order, and counted" "${said% *}" "$(python3 chunks.py $(logs_of))"
    same "$what: no log lacks anything" "" "$(losses_of_all)"
}

whole "4 threads" -- ./hooked 4 300000
whole "4 threads, as it is" -- ./plain 4 300000
whole "processes that fork" -- ./hooked 3 40000 3 2
whole "processes that fork, as they are, uncompressed" --no-compress -- ./plain 3 40000 3 2
whole "threads that write by themselves" -- taskset -c "$(taskset -pc $$ | sed 's/.*[: ,-]//')" ./hooked 4 200000
rm -f run.bin*
out=$(alone "$fisql" record -q --rotate 1M,200 ./hooked 4 60000)
same "without a writer: each call ends in one log" "$out" "$(ended_of_all)"

# ---- each alone: names, what was open before, what it says of the others
whole "again" -- ./hooked 2 600000
second=$(logs_of | sed -n 2p)
same "a log in the middle has all names" 0 "$(sql "$second.db" "SELECT count(*) FROM functions WHERE name LIKE '%+0x%'")"
same "and the calls that are open all the time" "body 1
inner 2
main 1
outer 2
run_threads 1" "$(sql "$second.db" "SELECT f.name, count(*) FROM calls c JOIN frames r ON r.id = c.frame_id
    JOIN functions f ON f.id = r.function_id WHERE f.name NOT IN ('work', 'round_of') GROUP BY f.name" | tr '|' ' ')"
same "whose own time before this log is nobody's" 7 "$(sql "$second.db" "SELECT count(DISTINCT c.call_id)
    FROM cut_calls c JOIN functions f ON f.id = c.function_id WHERE f.name NOT IN ('work', 'round_of')")"
run "$fisql" info "$second.db"
has "info says that there are others" "1 earlier, and at least one later (record --rotate)" "$out"
run "$fisql" query completeness --format csv "$second.db"
has "completeness, too: earlier ones" "earlier logs (record --rotate)" "$out"
has "and later ones" "later logs (record --rotate)" "$out"
run "$fisql" load -o again.db "$second"
has "load, too" "the run goes on in a later log" "$err"
has "with the calls before" "earlier logs have the first" "$err"
same "a log in the middle: ids are sound" ok "$(sql "$second.db" 'PRAGMA integrity_check')"

# ---- killed: what was recorded is there, in order
for what in hooked plain; do
    rm -f run.bin*
    "$fisql" record -q --rotate 1M,200 ./$what 3 100000000 2 >/dev/null 2>&1 &
    recorder=$!
    for _ in $(seq 200); do
        [ ! -e run.bin.4 ] || break
        sleep 0.1
    done
    # the program is the recorder's child; its own children first, so that it does not begin new ones
    program=$(pgrep -P $recorder -x "$what")
    # shellcheck disable=SC2046 # a list
    kill -9 $(pgrep -P "$program") "$program"
    wait $recorder
    same "$what killed: the status is the program's" 137 $?
    # shellcheck disable=SC2046
    read -r calls bad <<<"$(python3 chunks.py $(logs_of))"
    same "$what killed: each chunk is there, in order" "" "$bad"
    ended_of_all >ended.txt
    same "$what killed: no log lacks anything" "" "$(losses_of_all)"
    at_least "$what killed: calls" 100000 "$calls"
done

# ---- the last COUNT logs
rm -f run.bin*
run "$fisql" record --rotate 1M,2 ./hooked 2 600000
same "two logs are kept beside the newest" "run.bin
run.bin.1
run.bin.2" "$(printf '%s\n' run.bin*)"
has "and it says how many were removed" "were removed)" "$err"
# Each thread that is in the kept ones has one gap, at the start; where one had ended before, there is one thread.
# shellcheck disable=SC2046
gaps=$(python3 chunks.py $(logs_of) | grep -o 'thread ([0-9, ]*): [0-9]* calls [0-9]* after ([-0-9, ]*)')
same "the kept ones follow one another: no thread has a gap but at the start" "" "$(grep -v 'after (-1, 0)$' <<<"$gaps")"
same "and none has two" "" "$(sed 's/:.*//' <<<"$gaps" | sort | uniq -d)"
at_least "one has that gap: earlier logs are gone" 1 "$(grep -c . <<<"$gaps")"
for _ in 1 2 3 4 5; do # a log without a call, which began just before the end, would not be kept
    [ "$(stat -c %s run.bin)" -lt 20000 ] || break
    "$fisql" record -q --rotate 1M,2 ./hooked 2 600000 >/dev/null
done
before=$(md5sum <run.bin)
"$fisql" record -q --rotate 64M,2 ./hooked 1 10 >/dev/null
same "another recording of the service pushes the log on" "$before" "$(md5sum <run.bin.1)"
"$fisql" record -q --rotate 64M,2 --no-patch /bin/false 2>/dev/null
same "unless nothing is recorded" "$before" "$(md5sum <run.bin.1)"

# ---- a server that begins and ends processes for long: facts of those that have ended do not add up
rm -f run.bin*
"$fisql" record -q --rotate 1M,3 ./hooked 2 4000 2 60 >/dev/null
same "the last log has the living process, and the children that ran meanwhile, of 121 in all" 1 \
    "$("$fisql" load -q run.bin; sql run.db "SELECT count(*) < 60 AND min(origin = 'fork') = 0 FROM processes")"

# ---- following it
rm -f run.bin*
"$fisql" record -q --rotate 1M,50 --no-compress ./hooked 1 60000 0 1 3000 >/dev/null 2>&1 &
recorder=$!
for _ in $(seq 100); do
    program=$(pgrep -P $recorder -x hooked) && break
    sleep 0.05
done
timeout 60 "$fisql" trace --follow "$program" --function round_of --depth 1 >followed.txt 2>&1
wait $recorder
at_least "a trace goes on in the next logs" 3 "$(logs_of | wc -l)"
followed=$(grep -c 'round_of' followed.txt)
at_least "and shows most of the calls" 10000 "$followed" "$(tail -n 3 followed.txt)"

# ---- bad input
for bad in 1G "1G," ,10 0,10 100K,10 1G,0 1G,1001 1G,x x,10 1G,10,2 ""; do
    run "$fisql" record --rotate "$bad" ./hooked
    same "--rotate '$bad'" "2 fisql: --rotate $bad: wants a size from 1M on, a comma and a number of logs from 1 to 1000: 1G,10" \
        "$status $err"
done
run "$fisql" record --rotate 1M,2 --ring 1M ./hooked
has "not with --ring" "use one or the other" "$err"
run "$fisql" run --rotate 1M,2 ./hooked
has "not with run" "use \`fisql record\`" "$err"
echo mine >run.bin.2
run "$fisql" record --rotate 1M,2 ./hooked
same "a file that is no log is left alone" "2 fisql: run.bin.2: exists and is not a fisql log: remove it, or give another file with -o mine" \
    "$status $err $(cat run.bin.2)"
run "$fisql" record --rotate 1M,2 -o /dev/null ./hooked
has "a log that cannot be replaced is refused" "/dev/null: --rotate needs a regular file" "$err"
