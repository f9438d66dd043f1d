# What tests of fisql record -p share: sourced by them, behind lib.sh. Processes that it begins end with the test.
# shellcheck shell=bash disable=SC2154,SC2034 # fisql is of tests/e2e/lib.sh; job and pid are read by the tests

started=()
trap 'kill -9 "${started[@]}" 2>/dev/null' EXIT

# serve NAME COMMAND...: starts it; sets pid when it is ready. Its output is NAME.out
serve() {
    local name=$1
    shift
    "$@" >"$name.out" 2>"$name.err" &
    job=$!
    started+=("$job")
    for _ in $(seq 200); do
        pid=$(sed -n 's/^ready //p' "$name.out")
        [ -n "$pid" ] && break
        sleep 0.05
    done
}

# state PID: what attaching must not change. Counts of references and what the program itself changes are left out
state() {
    grep -v '\[heap\]' "/proc/$1/maps"
    for link in "/proc/$1"/fd/*; do echo "$link $(readlink "$link")"; done | sort
    # several looks: a thread in a signal handler blocks that signal, one that begins another thread blocks all
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        grep -hE '^(SigBlk|SigIgn|SigCgt)' "/proc/$1"/task/*/status 2>/dev/null
        sleep 0.003
    done | grep -v 'SigBlk.*fffffff' | sort -u
    grep -E '^(TracerPid|Seccomp|NoNewPrivs)' "/proc/$1/status"
    code "$1"
}

# code PID: of the program, and of its libraries
code() {
    grep 'r-xp.*/' "/proc/$1/maps" | grep -v /memfd: | while read -r range _ _ _ _ path; do
        start=$((0x${range%-*})) end=$((0x${range#*-}))
        echo "$path $(dd if="/proc/$1/mem" bs=4096 skip=$((start / 4096)) count=$(((end - start) / 4096)) 2>/dev/null | cksum)"
    done
}

# once_awake WANTED TEXT: TEXT without what fisql control says of threads that write to a slow disk: they sleep in the
# kernel, and it goes on trying. If it said that, waits until the code is the program's own (WANTED: own), or is not
# (patched)
once_awake() {
    local now=own
    for _ in $(seq 200); do
        grep -q 'does not stop' <<<"$2" || break
        [ "$(code "$pid")" = "$own" ] || now=patched
        [ $now = "$1" ] && break
        now=own
        sleep 0.05
    done
    grep -v 'does not stop' <<<"$2"
}

# controlled FILE: fisql control on the server while it is recorded; `before` has its state. The log is FILE.bin
controlled() {
    local own patched recorder said
    own=$(code "$pid")
    timeout 300 "$fisql" record -q -p "$pid" -o "$1.bin" &
    recorder=$!
    for _ in $(seq 100); do
        patched=$(code "$pid")
        [ "$patched" != "$own" ] && break
        sleep 0.02
    done
    run "$fisql" control "$pid" stop
    same "fisql control stop: the code is the program's own" "0 $own" "$status$(once_awake own "$err") $(code "$pid")"
    for _ in $(seq 10); do
        "$fisql" control "$pid" start
        "$fisql" control "$pid" stop
    done >control.out 2>&1
    # A child that it forked just then may not stop in time, and is named.
    said=$(once_awake own "$(<control.out)" | grep -e "$pid" -e 'not being')
    same "... and is again after ten times start and stop" " $own" "$said $(code "$pid")"
    run "$fisql" control "$pid" only wait_deep
    run "$fisql" control "$pid" start
    same "... with start and only, what is wished is patched" "0 1" \
        "$status$(once_awake patched "$err" | grep -e "$pid" -e 'not being') $([ "$(code "$pid")" != "$own" ] && echo 1)"
    sleep 0.5
    kill -INT "$(pgrep -P $recorder)"
    wait $recorder
    same "... and the process is left as it was" "0 $own" "$? $(code "$pid")"
}

attach() { # OPTION...: of the server
    run timeout 60 "$fisql" record -p "$pid" "$@"
}

of() { # LOG FUNCTION: its calls that ended, in the process that was attached to
    sql "$1.db" "SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        JOIN threads t ON t.id = c.thread_id JOIN processes p ON p.id = t.process_id
        WHERE f.name = '$2' AND c.ended = 0 AND p.parent_id IS NULL"
}

# server_log LOG: what the log of a busy server (tests/programs/attached.c) that goes on must have
server_log() {
    same "the process was attached to, and goes on" "attach detach" \
        "$(sql "$1.db" "SELECT origin || ' ' || how_ended FROM processes WHERE parent_id IS NULL")"
    at_least "children that it forked meanwhile are recorded" 3 \
        "$(sql "$1.db" "SELECT count(DISTINCT p.id) FROM processes p JOIN threads t ON t.process_id = p.id
            JOIN calls c ON c.thread_id = t.id WHERE p.origin = 'fork'")"
    local served answers waits apart
    served=$(of "$1" serve_one) answers=$(of "$1" answer_of) waits=$(of "$1" wait_deep)
    at_least "requests were recorded" 100 "$served"
    apart=$((answers - served)) # four threads may have been in one at the start, or at the end
    at_least "each has an answer, but for those that were open" 0 $((4 - ${apart#-})) "$answers answers, $served requests"
    apart=$((waits - 21 * served))
    at_least "each has a wait, 21 calls deep, but for those that were open" 0 $((84 - ${apart#-})) "$waits waits, $served requests"
    same "no call ends that did not begin, but for those open at the start" "" "$(sql "$1.db" "
        SELECT kind || ' ' || count(*) FROM anomalies WHERE kind NOT IN ('unwound', 'open') GROUP BY kind")"
    at_least "signal handlers are recorded" 10 "$(of "$1" on_alarm)"
}
