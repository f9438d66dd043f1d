#!/bin/bash
# fisql control on a program as it is: what start, stop, only and exclude leave out runs its own bytes, the rest is
# counted exactly, and threads that are in the functions meanwhile come to no harm.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
gcc -O2 -w -o repatched "$programs/repatched.c" -lpthread || { not_ok "repatched.c builds"; exit 0; }

# begin COMMAND...: in the background, with pipes; sets started
begin() {
    rm -f in said
    mkfifo in said
    "$@" <in >said 2>err_begin &
    started=$!
    exec 7>in 8<said
}
# order WORDS: and waits until it is done; sets answer
order() {
    echo "$1" >&7
    read -r -t 120 answer <&8 || not_ok "order $1: no answer"
}
finish() {
    exec 7>&- 8<&-
    wait "$started"
}
# control WORDS...: sets said
control() {
    set -f
    # shellcheck disable=SC2086 # words
    said=$("$fisql" control "$started" $1 2>&1)
    report $? "control $1" "$said"
    set +f
}
counted() { # DB
    sql "$1" "SELECT group_concat(name || ' ' || calls, ' ') FROM (SELECT f.name, s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
        WHERE f.name IN ('outer', 'inner', 'tiny', 'donor', 'allocate') ORDER BY f.name)"
}

# ---- what is recorded when
begin "$fisql" record -q -o run.bin ./repatched
order "calls 100"
order text
patched=${answer% done}
at_least "functions are patched" 40 "$patched"
control stop
same "without words" "" "$said"
order text
same "switched off, the code is the file's" "0 done" "$answer"
order "calls 200"
control start
order text
same "switched on, it is as before" "$patched done" "$answer"
order "calls 300"
control "only inner"
order text
same "one function is one jump" "5 done" "$answer"
order "calls 40"
control "exclude inner"
order "calls 5"
control "only tiny"
order text
same "a hop is the jump of its donor, the hop and two bytes" "12 done" "$answer"
order "calls 7"
control "exclude donor"
order "calls 9"
control "exclude tiny"
order text
same "a function less is a jump less" "$((patched - 7)) done" "$answer"
order "calls 11"
control "only *"
order text
same "all again" "$patched done" "$answer"
order "calls 1000"
finish
run "$fisql" load -q run.bin
# a block that is freed while recording is off has no free
same "it loads without loss" "0 0" "$status $(sql run.db "SELECT count(*) FROM losses WHERE reason <> 'missing frees'")"
same "each function has the calls of its times" "allocate 1425 donor 1416 inner 2920 outer 1425 tiny 1421" "$(counted run.db)"
same "the changes have their rows" "stop start only exclude only exclude exclude only" "$(sql run.db "SELECT group_concat(what, ' ') FROM (SELECT what FROM recording_changes ORDER BY id)")"
same "no call is left over" "" "$(sql run.db "SELECT kind, count(*) FROM anomalies GROUP BY kind")"
sound "switched" run.db

# ---- what was left out at the start can come later; a call that is open while its function is unpatched has its exit
begin "$fisql" record -q -o wider.bin --only inner ./repatched
order "calls 10"
control "only inner outer"
order "calls 20"
control "only *"
echo nap >&7
read -r -t 60 answer <&8
control "exclude allocate"
order wake
control stop
order "calls 5"
finish
"$fisql" load -q wider.bin
same "--only is widened" "inner 60 outer 20" "$(counted wider.db)"
same "the open call has an end" "1 1" "$(sql wider.db "SELECT count(*) || ' ' || count(duration_ns) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'napping'")"

# ---- calls of libraries
begin "$fisql" record -q --library-calls -o library.bin ./repatched
order "calls 100"
control stop
order "calls 10"
order text
same "no call is led aside" "0 done" "$answer"
control start
order "calls 1000"
control "exclude malloc"
order "calls 20"
control "only malloc outer"
order "calls 3"
control "only *"
order "calls 5"
finish
"$fisql" load -q library.bin
same "library calls, too" "allocate 1125 free 1125 malloc 1108 outer 1128" "$(sql library.db "SELECT group_concat(name || ' ' || calls, ' ') FROM (SELECT f.name, s.calls
    FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name IN ('allocate', 'free', 'malloc', 'outer') ORDER BY f.name)")"

# ---- processes: those that are forked have what was written, those that are started later get it then
begin "$fisql" record -q -o many.bin ./repatched
order "calls 1"
control "exclude inner"
order "child 10"
control stop
order "child 20"
echo "other ./repatched" >&7
order text
same "a program that begins while recording is off is not patched" "0 done" "$answer"
order "calls 50"
control start
order "calls 100"
finish
"$fisql" load -q many.bin
same "of each process what was asked for" "allocate 111 donor 111 inner 2 outer 111 tiny 111" "$(counted many.db)"

# ---- a debugger keeps others out: the hooks leave out what is asked
begin "$fisql" record -q -o traced.bin ./repatched
order "calls 10"
pid=$(pgrep -P "$started" -x repatched)
python3 - "$pid" >traced.txt <<'END' &
import ctypes, os, signal, sys, time
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
print("traced" if ptrace(0x4206, int(sys.argv[1]), None, None) == 0 else "no", flush=True)
while not os.path.exists("enough"):
    time.sleep(0.01)
END
tracer=$!
for _ in $(seq 500); do grep -q . traced.txt && break; sleep 0.02; done
same "a debugger is there" traced "$(cat traced.txt)"
control stop
has "control says who traces it" "($(cat "/proc/$tracer/comm")) traces it already" "$said"
order text
same "nothing is unpatched" "$patched done" "$answer"
order "calls 20"
touch enough
wait "$tracer"
control start
same "when it has gone, nothing is said" "" "$said"
order "calls 40"
finish
"$fisql" load -q traced.bin
same "the hooks have left it out" "inner 100" "$(sql traced.db "SELECT 'inner ' || calls FROM function_stats JOIN functions ON id = function_id WHERE name = 'inner'")"

# ---- threads that are in the functions, interrupted by signals whose handlers are, and jump out of them
begin "$fisql" record -q -o load.bin --no-time ./repatched
order "threads 3"
for turn in $(seq 25); do
    for words in stop start "exclude short_steps fib" "only fib tiny thread"; do
        set -f
        # shellcheck disable=SC2086 # words
        "$fisql" control "$started" $words 2>>said_under_load || not_ok "turn $turn: control $words"
        set +f
    done
done
order end
same "100 switches under load: no wrong result" "0 wrong, all at work" "$answer"
read -r -t 60 answer <&8
control stop
order text
same "afterwards the code is the file's" "0 done" "$answer"
finish
same "the program ends as ever" 0 $?
run "$fisql" load -q load.bin
same "the log loads" "0 0" "$status $(sql load.db 'SELECT count(*) FROM losses')"

# ---- without fisql record
begin "$fisql" record -q -o gone.bin ./repatched
order "calls 10"
pid=$(pgrep -P "$started" -x repatched)
exec 9<>"/proc/$started/fd/$(find "/proc/$started/fd" -lname '*fisql-live*' -printf '%f' -quit)"
kill -9 "$started"
wait "$started" 2>/dev/null
said=$("$fisql" control "$pid" stop 2>&1)
has "control says that fisql record is gone" "fisql record" "$said"
has "and that it is gone" "gone" "$said"
order text
same "the program goes on" "$patched done" "$answer"
exec 7>&- 8<&- 9>&-
