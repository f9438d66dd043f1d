#!/bin/bash
# fisql record -p: a process that runs already is recorded and left as it was. A server of several threads loses no
# request and sees no system call fail; its memory map, descriptors, code, signal masks and handlers are the same before
# and after; the calls that it makes meanwhile are in the log. Who cannot be attached to is refused with a sentence.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped - attaching is for x86-64"
    exit 0
fi
gcc -O2 -g -o attached "$programs/attached.c" -lpthread || exit 1
gcc -O2 -o refuses "$programs/attach_refuses.c" || exit 1
export MALLOC_ARENA_MAX=1 # else threads that open the library add arenas, as any allocation does

# shellcheck source=tests/attach/process.sh
. "$here/tests/attach/process.sh"

# ---- a busy server
serve server ./attached 600 fork handler
sleep 0.3
state "$pid" >before
attach --for 500ms -o one.bin
same "a busy server is attached to: exit status" 0 "$status"
has "... says what it records" "recording 1" "$err"
state "$pid" >after
same "... memory map, descriptors, code, masks, handlers are as before" "" "$(diff before after)"
attached=1
for _ in $(seq 19); do
    attach -q --for 20ms -o again.bin
    [ "$status" -eq 0 ] && attached=$((attached + 1))
done
same "... twenty times" 20 $attached
state "$pid" >after
same "... which leaves nothing behind" "" "$(diff before after)"

# arguments and results, which the program's own numbers prove
attach -q --values --for 300ms -o values.bin
same "... with --values: exit status" 0 "$status"
state "$pid" >after
same "... which leaves nothing behind either" "" "$(diff before after)"

controlled controlled

# Ctrl-C leaves it, too
timeout 60 "$fisql" record -p "$pid" -o ctrl.bin >ctrl.out 2>ctrl.err &
recorder=$!
for _ in $(seq 100); do
    grep -q recording ctrl.err && break
    sleep 0.05
done
sleep 0.2
kill -INT "$(pgrep -P $recorder)"
wait $recorder
same "Ctrl-C ends it: exit status" 0 $?
state "$pid" >after
same "... and leaves the process as it was" "" "$(diff before after)"
pkill -TERM -P "$pid" attached # its client
wait "$job"
same "the server ends as it would have" 0 $?
has "... no request was lost, no signal mask changed" "masks 0, children wrong 0" "$(grep '^server' server.out)"
at_least "... no call failed but for a wait that SIGCHLD ended while another thread was stopped" 0 \
    $((3 - $(sed -n 's/^server: failed \([0-9]*\),.*/\1/p' server.out)))
has "... and the client got its answers" "unanswered 0, wrong 0" "$(grep '^client' server.out)"

# ---- the log
"$fisql" load -q one.bin >load.txt 2>&1
same "the log loads without loss" 0 $?
"$fisql" load -q controlled.bin
same "the one of fisql control has calls of what was wished, and no call twice" "" "$(sql controlled.db "
    SELECT kind || ' ' || count(*) FROM anomalies WHERE kind NOT IN ('unwound', 'open') GROUP BY kind")"
at_least "... calls" 100 "$(of controlled wait_deep)"
"$fisql" load -q ctrl.bin && at_least "the one that Ctrl-C ended has calls" 1000 "$(sql ctrl.db "SELECT count(*) FROM calls")"
server_log one
at_least "... and what handlers of signals call" 10 "$(of one handle)"
same "a function is left alone whose first bytes a thread is in, and said to be" \
    "a thread was in its first bytes when the process was attached to|0" \
    "$(sql one.db "SELECT not_hooked, instrumented FROM functions WHERE name = 'pauses_first'")"
has "completeness says that it was attached to" "before it was attached to" "$("$fisql" query completeness one.db)"
has "info says that it goes on" "goes on: fisql record -p has left it" "$("$fisql" info one.db)"
has "allocations are not, and it says so" no-alloc "$("$fisql" info one.db | grep '^options')"

"$fisql" load -q values.bin
cat >steps.py <<'P'
import sqlite3
calls = {}
for call, position, value in sqlite3.connect("values.db").execute(
        "SELECT a.call_id, a.position, a.text FROM call_arguments a JOIN calls c ON c.id = a.call_id "
        "WHERE a.function = 'step' AND c.ended = 0"):
    calls.setdefault(call, {})[position] = value
ended = list(calls.values())
wrong = [call for call in ended if "?" in call.values() or
         (int(call[1]) * 6364136223846793005 + 1442695040888963407 - int(call[0])) % 2**64 != 0]
print(wrong[:3] if len(ended) > 100 else "too few: %d" % len(ended))
P
same "with --values each call of step() has its argument and its result" "[]" "$(python3 steps.py)"

# ---- it ends while it is recorded
serve ends ./attached 4
attach --for 20s -o ends.bin
same "a process ends while it is recorded: exit status" 0 "$status"
has "... which is said" "it has ended" "$err"
wait "$job"
same "... as it would have" 0 $?
"$fisql" load -q ends.bin && at_least "... its calls are there" 1000 "$(sql ends.db "SELECT count(*) FROM calls")"

# ---- refused, with a sentence
refused() { # WHAT SENTENCE
    same "$1 is refused" 2 "$status"
    has "... with a sentence" "$2" "$err"
}

waits() { # WHAT [PID]: sets pid
    serve "$1" ./refuses "$1" "${2-}"
    for _ in $(seq 100); do
        grep -q 'set up' "$1.out" && break
        sleep 0.05
    done
}

run "$fisql" record -p 999999999 --for 1s
refused "no process" "there is no such process"
run "$fisql" record -p 2x
refused "no number" "the number of a process"
run "$fisql" record --for 1s true
refused "--for without -p" "give the process, too"
run "$fisql" record -p $$ true
refused "a program besides -p" "leave the program out"
run "$fisql" record -p $$ --locks
refused "--locks" "cannot be recorded with --locks"

waits waits
state "$pid" >before
first=$pid
waits traces "$first"
run "$fisql" record -p "$first"
refused "a process that is traced" "traces it already"
kill "$pid"
sleep 0.2
state "$first" >after
same "... and left as it was" "" "$(diff before after)"

timeout 20 "$fisql" record -q -p "$first" --for 3s -o first.bin &
sleep 1
run "$fisql" record -p "$first" --for 1s -o second.bin
refused "a process that is recorded" "it is recorded already"
wait $!

waits strict
run "$fisql" record -p "$pid" --for 1s
refused "strict seccomp" "seccomp"
for how in kills errno; do
    waits $how
    run "$fisql" record -p "$pid" --for 1s
    refused "a filter that $how" "seccomp"
    kill -0 "$pid"
    same "... which the process survives" 0 $?
done
if [ "$(id -u)" -eq 0 ]; then
    waits allows
    attach -q --for 100ms -o allows.bin
    same "a filter that lets pass what is needed is no hindrance" 0 "$status"
    kill -0 "$pid"
    same "... and does not end the process" 0 $?
else
    echo "skipped - who may read a process's filters"
fi

gcc -O1 -static -o static "$programs/attach_refuses.c" 2>/dev/null && {
    cp static refuses.static
    serve static ./refuses.static waits
    run "$fisql" record -p "$pid" --for 1s
    refused "a static program" "it is static"
}

if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$fisql" -a -w /tmp; then
    nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    chmod 755 "$TEST_TMP"
    run nobody "$fisql" record -o /tmp/fisql-nobody.bin -p "$first" --for 1s
    refused "another user's process" "it belongs to another user (root)"
    cp refuses refuses.setuid
    chmod 4755 refuses.setuid
    serve setuid nobody ./refuses.setuid waits
    run "$fisql" record -p "$pid" --for 1s
    refused "a set-user-ID program" "set-user-ID"
    run nobody "$fisql" record -o /tmp/fisql-nobody.bin -p "$pid" --for 1s
    same "... by its user, too" 2 "$status"
    serve undumped nobody ./refuses undumped
    sleep 0.3
    run nobody "$fisql" record -o /tmp/fisql-nobody.bin -p "$pid" --for 1s
    refused "a process that its user may not look at" "PR_SET_DUMPABLE"
    # a process of its own
    serve own nobody ./refuses waits
    run nobody "$fisql" record -q -o /tmp/fisql-nobody.bin -p "$pid" --for 200ms
    same "a user's own process needs no rights" 0 "$status"
    run "$fisql" record -q -o own.bin -p "$pid" --for 200ms
    same "root attaches to another user's" 0 "$status"
    rm -f /tmp/fisql-nobody.bin*
else
    echo "skipped - other users"
fi
# ---- another root folder, other mounts, other numbers of processes
if [ "$(id -u)" -eq 0 ] && unshare -m -p -f true 2>/dev/null; then
    mkdir -p box/proc box/srv
    cp attached box/srv/
    ldd attached | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | while read -r file; do
        install -D "$file" "box$file"
    done
    serve box unshare -m -p -f --mount-proc="$PWD/box/proc" chroot box /srv/attached 600 fork
    pid=$(pgrep -f '^/srv/attached 600 fork' | head -n 1)
    state "$pid" >before
    attach --for 500ms -o box.bin
    same "a process in a container is attached to" 0 "$status"
    state "$pid" >after
    same "... and left as it was" "" "$(diff before after)"
    pkill -TERM -f '^/srv/attached 600 fork'
    wait "$job"
    same "... it ends as it would have" 0 $?
    "$fisql" load -q box.bin >load.txt 2>&1
    id=$(sql box.db "SELECT build_id FROM modules WHERE patched")
    mkdir -p "symbols/.build-id/${id:0:2}" && cp box/srv/attached "symbols/.build-id/${id:0:2}/${id:2}.debug"
    rm -f box.db
    "$fisql" load -q --symbols symbols box.bin >load.txt 2>&1
    at_least "... its names are found by build-id" 100 \
        "$(sql box.db "SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'serve_one'")"
else
    echo "skipped - namespaces"
fi
if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null)" = 1 ] && [ "$(id -u)" -ne 0 ]; then
    run "$fisql" record -p "$first" --for 1s
    refused "what ptrace_scope forbids" "ptrace_scope is 1"
else
    echo "skipped - ptrace_scope"
fi

# ---- a process of one thread that only sleeps: its wait goes on each time
begun=$(date +%s%N)
sleep 8 &
sleeper=$!
sleep 0.3
run "$fisql" record -q -p "$sleeper" --for 200ms -o sleep.bin
same "a sleeping process is attached to" "0 " "$status $err"
run "$fisql" record -q -p "$sleeper" --for 200ms -o sleep.bin
same "... again, in the wait that the kernel has begun anew" "0 " "$status $err"
wait "$sleeper"
same "... and ends as it would have" 0 $?
at_least "... not before its time" 8000 $((($(date +%s%N) - begun) / 1000000))
