#!/bin/bash
# Signals to `fisql record`: each that is sent to it alone reaches the program once, with the program's own status
# at the end, and one that hangs in the collector's start is ended; what the terminal or the process group gets
# reaches the program without it; stopping and going on.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc signalled -O1 -g "$programs/signalled.c"

# record_begin ARGUMENT...: starts the program in a process group of its own, sets recorder
record_begin() {
    : >out.txt
    setsid "$fisql" record -q ./signalled "$@" >out.txt 2>err.txt &
    recorder=$!
    until grep -q ready out.txt; do sleep 0.02; done
}

# await NUMBER TIMES: waits until the program has got the signal so often. Without, a signal would be lost that is
# sent while the one before is still pending, as the kernel has it; and SIGPWR would overtake those of higher numbers.
await() {
    local line
    line="got $(printf %02d "$1")"
    for _ in $(seq 500); do
        [ "$(grep -c "^$line$" out.txt)" -ge "$2" ] && return
        sleep 0.02
    done
}

# Sends SIGPWR, which ends the program, and waits: sets status
record_end() {
    kill -PWR "$recorder"
    wait "$recorder" 2>/dev/null
    status=$?
}

record_begin 200
expected=
for number in $(seq 64); do
    case $number in 9 | 19 | 20 | 21 | 22 | 30 | 32 | 33) continue ;; esac # KILL, stops, SIGPWR, libc's own
    kill -s "$number" "$recorder" || break
    expected="$expected$number:1 "
    await "$number" 1
done
record_end
same "every signal to the recorder: the program got it once, and its status is record's" "${expected}values:0 7" \
    "$(tail -n 1 out.txt) $status"

record_begin 200
python3 - "$recorder" <<'P'
import ctypes, os, signal, sys
libc, recorder = ctypes.CDLL(None, use_errno=True), int(sys.argv[1])
libc.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
for value in range(100):
    assert libc.sigqueue(recorder, signal.SIGRTMIN + 1, value) == 0
    os.kill(recorder, signal.SIGRTMIN + 2)        # to the recorder alone
    os.killpg(recorder, signal.SIGRTMIN + 3)      # to both
P
for times in 1 3 5 7 9; do
    kill -INT "$recorder"
    await 2 $times
    kill -INT -- "-$recorder"
    await 2 $((times + 1))
done
for number in 35 36 37; do await $number 100; done
record_end
same "queued signals with their values, signals to the process group: each once" "2:10 35:100 36:100 37:100 values:4950 7" \
    "$(tail -n 1 out.txt) $status"

# What a signal does that libc keeps for itself is inherited: it may be ignored here. So the program alone says it.
for number in 15 32 34; do
    : >out.txt
    setsid ./signalled 4 plain >out.txt &
    alone=$!
    until grep -q ready out.txt; do sleep 0.02; done
    kill -s $number "$alone"
    wait "$alone" 2>/dev/null
    ends=$?
    [ $number = 32 ] || same "signal $number ends the program" $((128 + number)) $ends
    record_begin 4 plain
    kill -s $number "$recorder"
    wait "$recorder" 2>/dev/null
    same "signal $number to the recorder: record ends as the program alone" $ends $?
done 2>/dev/null

# A program that hangs in the collector's start, where signals are blocked, is ended all the same; others are left
# alone, as without fisql: they are waited for beside each other.
build gcc hangs -O1 -g "$programs/hangs.c"
gcc -w -shared -fPIC -DLIBRARY -o libhangs.so "$programs/hangs.c"
declare -A hanging
hang() { # NAME [ARGUMENT]
    mkdir "$1"
    (
        cd "$1" || exit 2
        : >out.txt
        # A fisql built with ASan wants its runtime to come before libhangs.so.
        LD_PRELOAD=$PWD/../libhangs.so ASAN_OPTIONS=verify_asan_link_order=0 setsid env --default-signal=INT,HUP "$fisql" record -q ../hangs ${2:+"$2"} >out.txt 2>err.txt &
        echo $! >pid
        wait $! 2>/dev/null
        echo $? >status
    ) 2>/dev/null &
    hanging[$1]=$!
    until grep -q hangs "$1/out.txt" 2>/dev/null || [ -e "$1/status" ]; do sleep 0.02; done
}
for name in TERM INT HUP; do
    hang $name
    kill -$name "$(cat $name/pid)"
done
kill -TERM "$(cat TERM/pid)" # once more: it is no other
hang unasked
hang ignores 15
kill -TERM "$(cat ignores/pid)"
hang blocks blocks
kill -TERM "$(cat blocks/pid)"
wait "${hanging[blocks]}"
for name in TERM INT HUP; do
    for _ in $(seq 300); do
        [ -e $name/status ] && break
        sleep 0.1
    done
    same "SIG$name to the recorder of a program that hangs in its start: record ends as one that was killed" 137 "$(cat $name/status)"
    has "SIG$name: what it did is said" "ended by SIGKILL: it hung in the start of its recording" "$(cat $name/err.txt)"
    [ -e $name/status ] || pkill -KILL -P "$(cat $name/pid)" -x hangs # else it stays
    "$fisql" load -q $name/run.bin
    same "SIG$name: what was recorded before is kept" "main 1
work 1" "$(counts $name/run.db)"
done
same "the program that blocks signals itself goes on" 7 "$(cat blocks/status)"
for name in unasked ignores; do
    same "the program that hangs $name goes on until it is killed" "" "$(cat $name/status 2>/dev/null)"
    pkill -KILL -P "$(cat $name/pid)" -x hangs
    wait "${hanging[$name]}"
done

# Stopping: the recorder is stopped while the program is, whoever stops it and lets it go on.
states() { # of recorder and program
    ps -o stat= -p "$recorder" -p "$(pgrep -P "$recorder" -x signalled)" | cut -c 1 | tr RD S | tr -d '\n' # they run, or wait
}
wait_states() { # WANT
    for _ in $(seq 100); do
        [ "$(states)" = "$1" ] && break
        sleep 0.02
    done
    states
}
# In a process group of its own, but not an orphaned one: those do not stop.
stopped_by() { # SIGNAL, program or recorder
    : >out.txt
    "$fisql" record -q ./signalled 20 >out.txt 2>err.txt &
    recorder=$!
    until grep -q ready out.txt; do sleep 0.02; done
    local pid=$recorder
    [ "$2" = recorder ] || pid=$(pgrep -P "$recorder" -x signalled)
    kill "-$1" "$pid"
    same "SIG$1 to the $2: both are stopped" TT "$(wait_states TT)"
    kill -CONT "$pid"
    same "SIG$1, then SIGCONT to the $2: both go on" SS "$(wait_states SS)"
    record_end
    same "SIG$1, then SIGCONT to the $2: got once" "18:1 values:0 7" "$(tail -n 1 out.txt) $status"
}
exec 3>&2 2>/dev/null # the shell says what its jobs do
set -m                # no loop here: bash leaves loops when a job stops
stopped_by STOP program
stopped_by TSTP program
stopped_by TSTP recorder
set +m
exec 2>&3 3>&-

# A terminal: what is typed reaches the program once, and a shell's jobs work as without fisql.
cat >terminal.py <<'P'
import os, pty, sys, time
shell, terminal = pty.fork()
if shell == 0:
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
seen = b""
def until(text):
    global seen
    while text not in seen:
        seen += os.read(terminal, 4096)
    before, seen = seen.split(text, 1)
    return before
def say(text):
    os.write(terminal, text)
say(b"PS1=; stty -echo; bind 'set enable-bracketed-paste off'; echo be''gin\n")
until(b"begin\r\n")
say(sys.argv[1].encode() + b"\n")
until(b"ready")
say(b"\x03")                        # Ctrl-C
time.sleep(0.2)
say(b"\x1c")                        # Ctrl-\, which core files are written by
time.sleep(0.2)
say(b"\x1a")                        # Ctrl-Z
until(b"Stopped")
say(b"echo back; fg\n")
until(b"back")
time.sleep(0.4)
say(b"\x1a")
until(b"Stopped")
say(b"kill -TERM %1; sleep 0.4; kill -PWR %1; wait %1; echo status $?; exit\n")
counts = until(b" values:0").split(b"\n")[-1]
until(b"status ")
print(counts.decode(), os.read(terminal, 1).decode() if not seen else seen[:1].decode())
P
plain=$(timeout 60 python3 terminal.py "./signalled 30")
same "a terminal, without fisql" "2:1 3:1 15:1 18:2 7" "$plain"
same "a terminal: Ctrl-C, Ctrl-\\, Ctrl-Z, fg and kill %1: each signal once, and the status" "$plain" \
    "$(timeout 60 python3 terminal.py "$fisql record -q ./signalled 30")"
