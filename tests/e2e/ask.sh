#!/bin/bash
# fisql ps and fisql stacks: what running programs are in, against what their threads say of themselves.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
"$fisql" cc gcc -O1 -g -o asked "$programs/asked.c" -pthread || exit 2
program=asked

# begin LINES ARGUMENT...: records $program in the background until its account has so many lines; sets recorder, pid
begin() {
    local lines=$1
    shift
    rm -f said in
    mkfifo in
    "$fisql" record -q -o ask.bin "${options[@]}" "./$program" "$@" <in >said 2>record_err &
    recorder=$!
    exec 7>in
    for _ in $(seq 1000); do
        [ "$(wc -l <said)" -ge "$lines" ] && break
        sleep 0.02
    done
    pid=
    for _ in $(seq 500); do
        pid=$("$fisql" ps --format csv 2>ps_err | awk -F, -v recorder="$recorder" '$2 == recorder { print $1; exit }')
        [ -n "$pid" ] && break
        sleep 0.02
    done
}
options=()
finish() {
    exec 7>&-
    wait "$recorder"
}
# accounts OUTPUT: of each thread with more than one call "TID: innermost ... outermost"
accounts() {
    awk '
        function flush() { if (line != "") print line; line = "" }
        /^thread / { flush(); line = $3; gsub(/[(),]/, "", line); line = line ":"; next }
        /^#/ { line = line " " $2; next }
        { flush() }
        END { flush() }' "$1" | grep stay | sort
}

# --- each thread's stack is the one that it says
begin 40 stand 40
"$fisql" stacks --each "$pid" >stacks
same "each of 40 threads is where it says it is" "$(sort said)" "$(accounts stacks)"
has "the program's line says how many threads" "(PID $pid), 41 threads" "$(head -n 1 stacks)"
has "calls have their lines" "stay (asked.c:" "$(grep -m 1 stay stacks)"
"$fisql" stacks "$recorder" >by_recorder
same "the PID of fisql record means its program" "$(sed 's/, for .*//' stacks | sort)" \
    "$("$fisql" stacks --each "$recorder" | sed 's/, for .*//' | sort)"
at_least "threads with the same stack are shown once" 1 "$(grep -c ' threads: ' by_recorder)"
same "and none is left out" 41 \
    "$(awk '/^thread / { n++ } / threads: / { n += $1 } END { print n }' by_recorder)"
same "fisql ps has it" "$pid,$recorder,41,0" \
    "$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $1 "," $2 "," $3 "," $5 }')"
calls=$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $4 }')
finish
"$fisql" load -q ask.bin
same "with the calls that it has entered" "$calls" "$(sql ask.db "SELECT count(*) FROM calls")"
same "asking leaves the recording whole" 0 "$(sql ask.db "SELECT count(*) FROM losses")"

# --- the document's example: what it shows is what is printed, but for numbers that differ in each run
page=$here/docs/asking.md
shown() { awk -v command="$ $1" '/^```$/ { on = 0 } on { print } index($0, command) == 1 { on = 1 }' "$page"; }
without_numbers() {
    sed -E 's/\([0-9]+\)/(N)/g; s/PID [0-9]+/PID N/; s/\+0x[0-9a-f]+/+N/; s/, for [0-9.]+ [nm]?u?s$/, for T/; s/^[0-9]+,[0-9]+,/N,N,/; s/,[0-9]+,[^,]*\.bin,/,N,LOG,/'
}
"$fisql" cc gcc -g -o waiting "$here/docs/examples/waiting.c" -pthread || exit 2
program=waiting
begin 0
for _ in $(seq 500); do # until all are where they wait
    "$fisql" stacks "$pid" >stacks
    [ "$(grep -cE '^#0   take|^#0   wait_input|^2 threads' stacks)" = 3 ] && break
    sleep 0.02
done
same "docs/asking.md: stacks" "$(shown "fisql stacks" | without_numbers)" "$(without_numbers <stacks)"
same "docs/asking.md: its example has three threads" 3 "$(shown "fisql stacks" | awk '/^thread / { n++ } /^[0-9]+ threads: / { n += $1 } END { print n }')"
same "docs/asking.md: ps" "$(shown "fisql ps" | without_numbers)" "$("$fisql" ps --format csv | tr -d '\r' | awk -F, -v pid="$pid" 'NR == 1 || $1 == pid' | without_numbers)"
finish
program=asked

# --- a deep stack: what is further out than a snapshot is counted
for depth in 1000 100000; do
    begin 1 deep $depth
    for all in --all ""; do
        # shellcheck disable=SC2086 # no word
        "$fisql" stacks $all "$pid" >stacks
        deep=$(awk -v depth=$depth '/^thread / && $0 ~ depth " calls open" { on = 1; next } /^#/ && on { n++ }
            / outer calls?$/ && on { n += $2 } / calls left out / && on { n += $2 } /^$/ { on = 0 } END { print n }' stacks)
        same "a stack of $depth calls is shown or counted${all:+, }$all" $depth "$deep"
        [ -z "$all" ] || at_least "nearly all that a snapshot holds are shown" 250 "$(grep -c '^#.*dive' stacks)"
    done
    has "the middle of a deep stack is left out" "calls left out" "$(cat stacks)"
    same "a stack of $depth calls: the innermost are those that there are" "dive dive dive" \
        "$(awk '/^#[012] / && n < 3 { n++; print $2 }' stacks | xargs)"
    same "a stack of $depth calls: numbered from the innermost on, without a hole but what is left out" "" \
        "$(awk '/^thread / { n = 0 } /^#/ { if (substr($1, 2) + 0 != n) print; n++ } / calls left out / { n += $2 }' stacks | head -3)"
    finish
done

# --- threads that come and go
begin 1 churn
wrong=0
for _ in $(seq 30); do
    "$fisql" stacks --each "$pid" >stacks || wrong=$((wrong + 1))
    [ "$(accounts stacks)" = "$(cat said)" ] || wrong=$((wrong + 1))
done
same "30 looks while threads come and go find the one that stands" 0 "$wrong"
finish

# --- fork, exec
begin 5 fork
"$fisql" stacks --each "$recorder" >stacks
same "parent and child" "$(sort said)" "$(accounts stacks)"
child=$(pgrep -x -P "$pid" asked)
"$fisql" stacks --each "$child" >stacks
same "the child alone" 3 "$(accounts stacks | wc -l)"
finish
begin 2 exec
"$fisql" stacks --each "$pid" >stacks
same "after exec it is the new program" "$(sort said)" "$(accounts stacks)"
finish

# --- the flight recorder; counted calls; no clock
for option in --ring=256K --min-duration=1us --no-time; do
    options=("$option")
    begin 4 stand 4
    "$fisql" stacks --each "$pid" >stacks
    same "with $option" "$(sort said)" "$(accounts stacks)"
    finish
    begin 0 run 2
    looks=0
    for _ in $(seq 20); do
        "$fisql" stacks --each "$pid" >stacks
        [ "$(grep -cE '^#. *runner ' stacks)" = 2 ] && looks=$((looks + 1))
    done
    at_least "with $option threads that call without pause are in what they call, in 20 looks" 18 "$looks"
    finish
done
options=()
begin 0 run 2
for _ in $(seq 100); do # until both have begun, and neither has just begun a chunk
    "$fisql" stacks --last 7 "$pid" >stacks
    [ "$(grep -c '^     .*leaf ' stacks)" -ge 14 ] && break
    sleep 0.02
done
same "the last calls of each thread" 14 "$(grep -c '^     .*leaf ' stacks)"
"$fisql" stacks "$pid" >before
first=$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $4 }')
for _ in $(seq 100); do # the machine may run others for a while
    second=$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $4 }')
    [ "$second" -le "$first" ] || break
    sleep 0.02
done
at_least "a running program's calls become more" "$((first + 1))" "$second"
finish
"$fisql" load -q ask.bin
same "and all are there at the end" "$(cat said)" "$(sql ask.db "SELECT count(*) FROM calls c
    JOIN frames f ON f.id = c.frame_id JOIN functions n ON n.id = f.function_id WHERE n.name = 'leaf'")"

# --- fisql control. Threads look some thousand times a second; a slow machine gets its time.
calls_now() { "$fisql" ps --format csv 2>ps_err | awk -F, -v pid="$pid" '$1 == pid { print $4 }'; }
# still: waits until the number of calls stands, for a tenth of a second; says whether it does
still() {
    local now before
    before=$(calls_now)
    for _ in $(seq 100); do
        sleep 0.1
        now=$(calls_now)
        [ -n "$now" ] && [ "$now" = "$before" ] && return 0
        before=$now
    done
    return 1
}
# moves: waits until there are more calls; says whether there are
moves() {
    local before
    before=$(calls_now)
    for _ in $(seq 200); do
        [ "$(calls_now)" -gt "$before" ] && return 0
        sleep 0.05
    done
    return 1
}
# runs: waits until the program's threads have had a twentieth of a second of processors: on a busy machine they may wait all the time
# that others take to give them two orders
ran_ns() { cat "/proc/$pid"/task/*/schedstat | awk '{ n += $1 } END { print n + 0 }'; }
runs() {
    local before
    before=$(ran_ns)
    for _ in $(seq 500); do
        [ "$(ran_ns)" -ge $((before + 50000000)) ] && return 0
        sleep 0.02
    done
    return 1
}
check() { if "${@:2}"; then ok "$1"; else not_ok "$1"; fi; }

begin 0 run 2
"$fisql" control "$pid" depth 1
check "the program goes on" runs
check "with one level nothing below it is recorded" still
"$fisql" control "$pid" depth 0
check "and without a limit it is" moves
"$fisql" control "$pid" stop
check "after stop no calls are recorded" still
"$fisql" control "$recorder" start
check "after start they are, by the PID of fisql record" moves
"$fisql" control "$pid" only no_such_function 2>err
same "a pattern that nothing matches is refused" 2 $?
check "and changes nothing" moves
"$fisql" control "$pid" only main
check "only main: nothing else is recorded" still
"$fisql" control "$pid" only leaf
check "another filter takes its place, though no function passed the one before" moves
sleep 0.2
"$fisql" control "$pid" only '*'
check "and all functions are recorded again" moves
"$fisql" control "$pid" level 4,2
same "levels are set" "4 2" "$(od -An -tu1 -j52 -N2 "$(find "/proc/$recorder/fd" -lname '*fisql-live*' | head -n 1)" | xargs)"
run "$fisql" control "$pid" dump
has "without a flight recorder nothing is dumped" "flight recorder" "$err"
run "$fisql" control "$pid" level 6
has "there is no level 6" "from 0 to 5" "$err"
run "$fisql" control "$pid" stpo
has "a word that is mistyped" "did you mean stop" "$err"
run "$fisql" control "$pid"
has "what to do has to be said" "what to do" "$err"
finish
"$fisql" load -q ask.bin
same "what changed made no anomalies, and lost nothing" "0 0" \
    "$(sql ask.db "SELECT (SELECT count(*) FROM anomalies) || ' ' || (SELECT count(*) FROM losses)")"
at_least "calls below the limit of depth were counted" 1 "$(sql ask.db "SELECT sum(counted_calls) FROM threads")"
same "main and the runners are entered once: what was open at a change ended there" 3 \
    "$(sql ask.db "SELECT count(*) FROM calls c JOIN frames f ON f.id = c.frame_id
        JOIN functions n ON n.id = f.function_id WHERE n.name IN ('main', 'runner')")"

options=(--start-off)
begin 0 run 2
same "recording begins switched off" 0 "$(calls_now)"
"$fisql" control "$pid" start
check "start switches it on" moves
finish
options=(--ring=256K)
begin 0 run 2
sleep 0.2
size=$(stat -c %s ask.bin)
"$fisql" control "$pid" dump
for _ in $(seq 200); do
    [ "$(stat -c %s ask.bin)" -ge $((size + 400000)) ] && break
    sleep 0.02
done
at_least "dump writes what the flight recorder holds" $((size + 400000)) "$(stat -c %s ask.bin)"
finish
options=()
begin 5 fork
"$fisql" control "$pid" stop
same "threads that wait go on waiting, and are where they were" "$(sort said)" \
    "$("$fisql" stacks --each "$recorder" >stacks && accounts stacks)"
finish

# --- traced by hand (fisql_trace.h), without hooks or debug information: scopes have names, files and lines
# scopes OUTPUT: of each thread "TID: innermost (FILE:LINE) ... outermost (FILE:LINE)", as trace_asked.c says it
scopes() {
    awk '
        function flush() { if (line != "") print line; line = "" }
        /^thread / { flush(); line = $3; gsub(/[(),]/, "", line); line = line ":"; next }
        /^#/ { line = line " " $2 " " $3; next }
        { flush() }
        END { flush() }' "$1" | sort
}
for compiler in gcc "g++ -x c++"; do
    program=hand-${compiler%% *}
    # shellcheck disable=SC2086 # and how it is to be read
    $compiler -O1 -I"$here/collector" -o "$program" "$programs/trace_asked.c" -pthread || exit 2
    begin 4 stand
    "$fisql" stacks --each "$pid" >stacks
    same "$program: each of 4 threads is in the scopes that it says, by name, file and line" "$(sort said)" "$(scopes stacks)"
    finish
    begin 2 fork
    "$fisql" stacks --each "$recorder" >stacks
    same "$program: parent and child, which have scopes of the same number" "$(sort said)" "$(scopes stacks)"
    finish
done
begin 4 stand
mv ask.bin away.bin
"$fisql" stacks --each "$pid" >stacks
same "where the log was moved they have their names still" "$(sort said)" "$(scopes stacks)"
same "and ps has its new name" "$TEST_TMP/away.bin" \
    "$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $7 }')"
finish

# --- fisql control PID level: the macros look at the levels each time, so exact counts follow the change at once
program=hand-gcc
begin 0 rounds
# rounds COUNT: so many, and waits until they are done
rounds() {
    local before
    before=$(wc -l <said)
    echo "$1" >&7
    for _ in $(seq 500); do
        [ "$(wc -l <said)" -gt "$before" ] && return
        sleep 0.02
    done
}
rounds 1000
for change in "0 200" "1 30" "3,0 4000" "2,1 500" "4 60000" "5,2 7"; do
    "$fisql" control "$pid" level "${change% *}"
    rounds "${change#* }"
done
finish
"$fisql" load -q ask.bin
same "levels: seven times rounds were made" 7 "$(wc -l <said)"
same "scopes of level 1 and 3 are recorded as the levels were, to the call" \
    "one $((1000 + 30 + 4000 + 500 + 60000 + 7)) three $((1000 + 4000 + 60000 + 7))" \
    "$(sql ask.db "SELECT group_concat(name || ' ' || calls, ' ') FROM (SELECT name, sum(calls) AS calls
        FROM function_stats JOIN functions ON id = function_id WHERE name IN ('one', 'three') GROUP BY name ORDER BY name)")"
same "checkpoints of level 2 and 4, and the values of level 1 and 2" \
    "two $((1000 + 4000 + 500 + 60000 + 7)) four $((1000 + 60000 + 7)) value $((1000 + 30 + 500 + 60000 + 7)) of two $((1000 + 60000 + 7)) of four $((1000 + 60000))" \
    "$(sql ask.db "SELECT 'two ' || (SELECT count(*) FROM notes WHERE label = 'two') || ' four ' || (SELECT count(*) FROM notes WHERE label = 'four') ||
        ' value ' || (SELECT count(*) FROM notes WHERE kind = 'value') ||
        ' of two ' || (SELECT count(*) FROM note_values JOIN notes ON id = note_id WHERE label = 'two') ||
        ' of four ' || (SELECT count(*) FROM note_values JOIN notes ON id = note_id WHERE label = 'four')")"
same "and the changes lost nothing" "0 0" "$(sql ask.db "SELECT (SELECT count(*) FROM anomalies) || ' ' || (SELECT count(*) FROM losses)")"
program=asked

# --- fisql record is killed
begin 3 stand 3
kill -9 "$recorder"
{ wait "$recorder"; } 2>/dev/null
run "$fisql" stacks --each "$pid"
if [ "$status" = 0 ]; then
    cp "$TEST_TMP/out" stacks
    same "after fisql record was killed root can still ask" "$(sort said)" "$(accounts stacks)"
else
    has "after fisql record was killed it is said" "is gone" "$err"
fi
exec 7>&-

# --- what is refused
run "$fisql" stacks $$
same "a program that is not recorded" 2 "$status"
has "is named" "$$ (/bin/bash" "$err"
run "$fisql" stacks 999999999
has "a process that is not there" "no such process" "$err"
run "$fisql" stacks twelve
has "what is no number" "not the number of a process" "$err"
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$TEST_TMP"
    begin 1 stand 1
    run setpriv --reuid=65534 --clear-groups "$fisql" stacks "$pid"
    same "another user's program" 2 "$status"
    has "is refused" "belongs to another user (root)" "$err"
    run setpriv --reuid=65534 --clear-groups "$fisql" control "$pid" stop
    has "nor may it be changed" "belongs to another user (root)" "$err"
    run setpriv --reuid=65534 --clear-groups "$fisql" ps
    lacks "and not listed" "$pid" "$out"
    finish
fi

# --- processes that pretend to be recorded: what they name is not opened
gcc -Wall -I"$here" -o pretends "$programs/pretends.c" && gcc -Wall -o opened "$programs/opened.c" || exit 2
chmod 777 "$TEST_TMP"
echo private >file
mkfifo fifo
chmod 666 fifo
as_other=() watched=(file fifo)
[ "$(id -u)" = 0 ] && as_other=(setpriv --reuid=65534 --clear-groups)
[ "$(id -u)" = 0 ] && mknod -m 666 device c 1 3 2>mknod_err && watched+=(device)
# wait_for LINE FILE
wait_for() {
    for _ in $(seq 500); do
        grep -qx "$1" "$2" && return
        sleep 0.02
    done
}
for how in memory recorder; do
    for name in "${watched[@]}"; do
        from="/proc/1/../..$TEST_TMP/$name" # as far as its beginning it is a descriptor's
        "${as_other[@]}" ./pretends $how "$from" "$TEST_TMP/$name" 9<"$TEST_TMP/said" >pretends_said &
        pretender=$!
        wait_for ready pretends_said
        mkfifo until_end
        ./opened "$name" <until_end >opened_said &
        watcher=$!
        exec 6>until_end
        wait_for ready opened_said
        run timeout 20 "$fisql" ps
        check "a $how that names a $name: fisql ps goes on" test "$status" -le 1
        for words in "stacks $pretender" "control $pretender stop"; do
            # shellcheck disable=SC2086 # words
            run timeout 20 "$fisql" $words
            check "a $how that names a $name: so does ${words%% *}" test "$status" -le 2
        done
        exec 6>&-
        wait $watcher
        if [ "$name" = file ] && [ "$(id -u)" != 0 ]; then # the log that one's own process names may be read
            sed -i '/^file$/d' opened_said
        fi
        same "a $how that names a $name: it is not opened" ready "$(cat opened_said)"
        kill $pretender
        { wait $pretender; } 2>/dev/null
        rm -f until_end
    done
done

# --- an area whose file becomes shorter while it is read
begin 1 stand 1
"${as_other[@]}" ./pretends shrink "$TEST_TMP/short.bin" >pretends_said &
pretender=$!
wait_for ready pretends_said
wrong=0
for _ in $(seq 20); do
    for words in ps "stacks $pretender" "control $pretender stop"; do
        # shellcheck disable=SC2086 # words
        run timeout 20 "$fisql" $words
        [ "$status" -le 2 ] || wrong=$((wrong + 1))
        [ "$words" != ps ] || case $out in *" $recorder "*) ;; *) wrong=$((wrong + 1)) ;; esac
    done
done
same "an area that becomes shorter while it is read ends nobody, and hides no other program" 0 "$wrong"
kill $pretender
{ wait $pretender; } 2>/dev/null
finish
