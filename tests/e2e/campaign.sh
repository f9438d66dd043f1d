#!/bin/bash
# fisql faults: names the planted mistakes and no others, with their stacks; each run has its own folder, input and
# processes; a campaign that was stopped goes on; nothing is left behind.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

outcomes() { # DB: what went wrong, where it was found and by which call, worst first
    "$fisql" query fault-outcomes --format json "$1" |
        jq -r '.[] | [.outcome, .runs, .found_at // "-", .found_location // "-", .target, .stack] | map(tostring) | join("|")'
}
tally() { sql "$1" "SELECT group_concat(n || ' ' || outcome, ', ') FROM (SELECT count(*) AS n, outcome FROM experiments GROUP BY outcome ORDER BY outcome)"; }
campaign() { # DB WORD...: a campaign with its table in out
    local database=$1
    shift
    rm -rf "$database" "$database.d"
    run timeout 300 "$fisql" faults -j 2 -o "$database" "$@"
}
line_of() { grep -n "$1" "$programs/planted_faults.c" | head -n 1 | cut -d: -f1; }
wanted="crash|1|main => load_names|planted_faults.c:$(line_of 'load_names(void)')|malloc|main => load_names
bad free|1|main => work => table_release|planted_faults.c:$(line_of 'free(table->rows);')|malloc|main => work => make_table
hang|1|main => work => wait_for_item|planted_faults.c:$(line_of 'wait_for_item(void)')|malloc|main => work => fill_queue
wrong output|1|-|-|fwrite|main => work => save_result
leak|1|main => work => copy_pair|planted_faults.c:$(line_of 'pair\[0\] = ')|malloc|main => work => copy_pair"

# The five mistakes.
mkdir planted && cd planted || exit 2
for with in "gcc -O1" "clang -O2" "g++ -O2 -x c++" "clang++ -O0 -x c++"; do
    # shellcheck disable=SC2086 # words
    build ${with%% *} program -g ${with#* } "$programs/planted_faults.c" || continue
    campaign faults.db --timeout 5s ./program
    same "$with: ends with 0" 0 "$status"
    same "$with: exactly the five mistakes, with their stacks" "$wanted" "$(outcomes faults.db)"
    same "$with: the other error paths are sound" "1 bad free, 8 clean error, 1 crash, 1 hang, 1 leak, 1 unchanged, 1 wrong output" "$(tally faults.db)"
    has "$with: the table is printed" "main => work => table_release" "$out"
    has "$with: and counted" "8 clean error" "$err"
done
same "a row says how it ended" "11||malloc|return 0 errno ENOMEM|1
|2|malloc|return 0 errno ENOMEM|1" "$(sql faults.db "SELECT signal, status, target, injected, elapsed_ns > 0 FROM experiments WHERE outcome IN ('crash', 'leak') ORDER BY outcome")"
same "wrong output says where" "the file kept differs" "$(sql faults.db "SELECT detail FROM experiments WHERE outcome = 'wrong output'")"
at_least "a hang took as long as it may" 2000000000 "$(sql faults.db "SELECT elapsed_ns FROM experiments WHERE outcome = 'hang'")"
same "the program's folder is as it was" "faults.db faults.db.d program" "$(find . -maxdepth 1 -mindepth 1 -printf '%f\n' | sort | paste -sd' ')"
run "$fisql" query fault-outcomes --check faults.db
same "--check fails a build" 1 "$status"
same "fault-crashes" "bad free crash hang" "$("$fisql" query fault-crashes --format json faults.db | jq -r '.[].outcome' | sort | paste -sd' ')"
same "fault-leaks" "11 malloc" "$("$fisql" query fault-leaks --format json faults.db | jq -r '.[] | "\(.leaked_bytes) \(.target)"')"
same "the queries are views" "5 1" "$(sql faults.db "SELECT (SELECT count(*) FROM fault_outcomes) || ' ' || (SELECT count(*) FROM fault_leaks)")"
"$fisql" query faults faults.db >/dev/null 2>err
has "the marks of the first run are no faults" "no calls were made to fail" "$(cat err)"
sound "the campaign's database" faults.db

# A failure's log is one as any.
log=$(sql faults.db "SELECT log FROM experiments WHERE outcome = 'hang'")
run "$fisql" load -q -o hang.db "$log"
same "a failure's log is loaded" "0 main => work => fill_queue" "$status $(sql hang.db 'SELECT stack FROM faults_view')"
call=$(sql hang.db "SELECT id FROM calls WHERE ended = 2 ORDER BY depth DESC LIMIT 1")
has "its stack" "wait_for_item" "$("$fisql" stack "$call" hang.db)"
has "its trace" "! fault: malloc: return 0 errno ENOMEM" "$("$fisql" trace --color never hang.db)"
has "its tree" "fill_queue" "$("$fisql" tree --min-percent 0 hang.db)"
if page_built "its report"; then
    "$fisql" report -o hang.html hang.db 2>/dev/null
    has "its report" "fault: malloc: return 0 errno ENOMEM" "$(cat hang.html 2>/dev/null)"
fi
same "what it printed is kept beside it" "bin err out" "$(find faults.db.d -name "$(basename "$log" .bin).*" -printf '%f\n' | sed 's/.*\.//' | sort | paste -sd' ')"
same "logs of what went well are not" 5 "$(find faults.db.d -name '*.bin' | wc -l)"
run "$fisql" faults --again "$(sql faults.db "SELECT id FROM experiments WHERE outcome = 'leak'")"
same "--again repeats one" 2 "$status"
"$fisql" load -q again.bin
same "with the same call failing" "main => work => copy_pair" "$(sql again.db 'SELECT stack FROM faults_view')"
run "$fisql" faults --again 99
has "one that is not there" "has no experiment 99" "$err"
run timeout 60 "$fisql" faults --again "$(sql faults.db "SELECT id FROM experiments WHERE outcome = 'leak'")" --gdb <<<$'set pagination off\nrun\nbt\nkill\nquit\n'
has "under gdb it stops where the call fails" "copy_pair" "$(sed -n '/^Breakpoint 1, fisql_fault_strikes/,$p' <<<"$out")"
run "$fisql" faults ./program
has "a second start finds all done" "has all experiments" "$err"
cd .. || exit 2

build gcc campaigned -g -O1 "$programs/campaigned.c" || exit 0

# Input, threads, processes.
campaign sum.db --calls malloc,pthread_create,fork ./campaigned sum < <(printf '1 2\n39\n')
same "each is reached and ends as it should" "0" "$(sql sum.db "SELECT count(*) FROM experiments WHERE outcome NOT IN ('clean error', 'unchanged')")"
same "what a thread and a child call is among them" "main => sum => child_takes => take|thread_takes => take" \
    "$(sql sum.db "SELECT group_concat(stack, '|') FROM (SELECT DISTINCT k.stack FROM experiments e JOIN frame_stacks k ON k.frame_id = e.frame_id WHERE k.stack GLOB '*take' ORDER BY 1)")"

# What a program leaves running.
campaign daemon.db --calls malloc ./campaigned daemon
same "what is left running is no hang" "1 clean error" "$(tally daemon.db)"
same "and is killed" "" "$(pgrep -f "$TEST_TMP/[d]aemon.db.d|[c]ampaigned daemon")"

# A loop of calls would fill the disk before the time is over.
campaign spin.db --calls malloc --timeout 100s ./campaigned spin
same "a loop of calls is a hang" "hang main => spin|it did many times what it does without the fault" \
    "$(sql spin.db "SELECT outcome || ' ' || replace(found_at, ' => is_ready', '') || '|' || detail FROM experiments")"
at_least "that is ended before the time is over" 1 "$(sql spin.db "SELECT elapsed_ns < 90000000000 FROM experiments")"
at_least "with a log of bounded length" 1 "$(($(stat -c %s spin.db.d/1.bin) < 400000000))"

# Recursion: contexts fold it, calls do not.
campaign recurse.db --calls malloc ./campaigned recurse
same "a context fails once: recurse called by main, and by itself" "2 clean error" "$(tally recurse.db)"
campaign recurse.db --calls malloc --per call ./campaigned recurse
same "--per call: each of its calls" "4 clean error|1 2 3 4" "$(tally recurse.db)|$(sql recurse.db "SELECT group_concat(status, ' ') FROM (SELECT status FROM experiments ORDER BY status)")"

# Files.
campaign temporary.db --calls malloc ./campaigned temporary
has "what differs from run to run is said" "by-" "$err"
has "and not compared; what is wrong is found" "the file fixed differs" "$out"
same "no file is left" "" "$(find "$TEST_TMP" -name left -o -name fixed)"
printf old >there
campaign there.db --copy --calls malloc ./campaigned overwrite
has "--copy: each run finds files as they were" "the file there differs" "$out"
same "and they stay so" "old" "$(cat there)"

# Statuses.
campaign status.db --calls malloc ./campaigned status
same "a program that succeeds with 3" "1 clean error" "$(tally status.db)"
campaign status.db --calls malloc --expect-exit 5 ./campaigned status
same "--expect-exit" "1 other status" "$(tally status.db)"
run "$fisql" query fault-outcomes --check status.db
same "which --check fails" 1 "$status"

# Samples; a stop, and going on.
campaign slow.db --calls malloc --sample 3 ./campaigned slow
same "--sample" "3 9" "$(sql slow.db 'SELECT count(outcome), count(*) - count(outcome) FROM experiments' | tr '|' ' ')"
rm -rf slow.db slow.db.d
timeout 300 "$fisql" faults -j 2 --calls malloc -o slow.db ./campaigned slow >out 2>err &
pid=$!
for _ in {1..600}; do
    [ "$(sqlite3 -readonly slow.db 'SELECT count(outcome) FROM experiments' 2>/dev/null || echo 0)" -lt 2 ] || break
    sleep 0.1
done
kill -INT "$(pgrep -P "$pid" -x fisql)"
wait "$pid"
same "Ctrl-C ends it" 130 $?
has "it says how to go on" "the same command goes on with the others" "$(cat err)"
same "nothing is left running" "" "$(pgrep -f "[c]ampaigned slow")"
before=$(sql slow.db "SELECT group_concat(id || ' ' || elapsed_ns) FROM (SELECT * FROM experiments WHERE outcome IS NOT NULL ORDER BY id)")
at_least "some are done" 2 "$(sql slow.db 'SELECT count(outcome) FROM experiments')"
at_least "not all" 1 "$(sql slow.db 'SELECT count(*) - count(outcome) FROM experiments')"
run timeout 300 "$fisql" faults -j 2 --calls malloc -o slow.db ./campaigned slow
same "a second start goes on" "12 clean error" "$(tally slow.db)"
same "and keeps what was done" "$before" "$(sql slow.db "SELECT group_concat(id || ' ' || elapsed_ns) FROM (SELECT * FROM experiments ORDER BY id LIMIT $(tr ',' '\n' <<<"$before" | wc -l))")"
same "no folder is left where all went well" "" "$(find . -name slow.db.d)"

# What is refused.
run "$fisql" faults --calls malloc,opne ./campaigned sum
has "a misspelt call" "open" "$err"
same "nothing is run" 2 "$status"
run "$fisql" faults -o refused.db ./not-there
has "no such program" "not-there: cannot be recorded" "$err"
same "and leaves nothing" "2 " "$status $(find . -name 'refused*')"
printf 'text' >refused.db
run "$fisql" faults -o refused.db ./campaigned sum
same "another file is left alone" "2 text" "$status $(cat refused.db)"
run "$fisql" faults -o none.db --calls unlink ./campaigned status
has "no such call is made" "makes none of these calls" "$err"
