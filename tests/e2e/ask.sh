#!/bin/bash
# fisql ps and fisql stacks: what running programs are in, against what their threads say of themselves.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
"$fisql" cc gcc -O1 -g -o asked "$programs/asked.c" -pthread || exit 2

# begin LINES ARGUMENT...: records asked in the background until its account has so many lines; sets recorder, pid
begin() {
    local lines=$1
    shift
    rm -f said in
    mkfifo in
    "$fisql" record -q -o ask.bin "${options[@]}" ./asked "$@" <in >said 2>record_err &
    recorder=$!
    exec 7>in
    for _ in $(seq 1000); do
        [ "$(wc -l <said)" -ge "$lines" ] && break
        sleep 0.02
    done
    pid=
    for _ in $(seq 500); do
        pid=$("$fisql" ps --format csv | awk -F, -v recorder="$recorder" '$2 == recorder { print $1; exit }')
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

# --- a deep stack: what is further out than a snapshot is counted
begin 1 deep 1000
"$fisql" stacks --all "$pid" >stacks
deep=$(awk '/^thread / && /1000 calls open/ { on = 1; next } /^#/ && on { n++ } / outer calls?$/ && on { n += $2 } /^$/ { on = 0 } END { print n }' stacks)
same "a stack of 1000 calls is shown or counted" 1000 "$deep"
at_least "nearly all that a snapshot holds are shown" 250 "$(grep -c '^#.*dive' stacks)"
has "the middle of a deep stack is left out" "calls left out" "$("$fisql" stacks "$pid")"
finish

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
"$fisql" stacks --last 7 "$pid" >stacks
same "the last calls of each thread" 14 "$(grep -c '^     .*leaf ' stacks)"
"$fisql" stacks "$pid" >before
first=$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $4 }')
second=$("$fisql" ps --format csv | awk -F, -v pid="$pid" '$1 == pid { print $4 }')
at_least "a running program's calls become more" "$((first + 1))" "$second"
finish
"$fisql" load -q ask.bin
same "and all are there at the end" "$(cat said)" "$(sql ask.db "SELECT count(*) FROM calls c
    JOIN frames f ON f.id = c.frame_id JOIN functions n ON n.id = f.function_id WHERE n.name = 'leaf'")"

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
    run setpriv --reuid=65534 --clear-groups "$fisql" ps
    lacks "and not listed" "$pid" "$out"
    finish
fi
