#!/bin/bash
# The end of a recording: which processes are waited for, who is signalled, what is saved and what is told as lost;
# and whose file the log is.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc leaves -O1 -g -D_GNU_SOURCE "$programs/leaves.c"
calls() { "$fisql" load -q run.bin 2>/dev/null; sql run.db "SELECT sum(s.calls) FROM function_stats s
    JOIN functions f ON f.id = s.function_id WHERE f.name = 'work'"; }

# begin WHAT...: starts it and waits until only the process that it leaves behind is there: sets recorder, program, left
begin() {
    : >out.txt
    setsid "$fisql" record -q ./leaves "$@" >out.txt 2>err.txt &
    recorder=$!
    until grep -q '^left' out.txt; do sleep 0.02; done
    left=$(sed -n 's/^left //p' out.txt)
    program=$(sed -n 's/^program //p' out.txt)
    while kill -0 "$program" 2>/dev/null; do sleep 0.02; done # until it has ended
}
end() { # the recorder's status
    wait "$recorder"
    status=$?
}

same "an orphan has the parent that it has without fisql" "$(./leaves orphan)" "$("$fisql" record -q ./leaves orphan)"

begin daemon
kill -USR1 "$left"
end
same "a daemon is waited for: status and calls" "3 200" "$status $(calls)"

begin stuck
kill -KILL "$left"
end
same "a daemon that is killed: its calls are saved" "3 100" "$status $(calls)"

for name in TERM INT QUIT HUP; do
    begin daemon
    kill -$name $recorder
    end
    same "SIG$name ends the waiting, with the program's status" 3 "$status"
    has "SIG$name: who is not waited for is told" "not waited for: $left (leaves)" "$(cat err.txt)"
    kill -USR1 "$left"
    while kill -0 "$left" 2>/dev/null; do sleep 0.02; done
    same "SIG$name: what the daemon goes on to do comes into the log" 200 "$(calls)"
done

begin daemon
for name in USR1 USR2 ALRM IO RTMIN CONT WINCH; do kill -$name $recorder; done
kill -USR1 "$left"
end
same "other signals change nothing" "3 200" "$status $(calls)"

begin exec sleep 20
kill -TERM $recorder
end
kill "$left"
same "a child that runs another program: its calls are saved" "3 100" "$status $(calls)"

# A child that is still being started when its parent has ended. The library comes before the collector.
echo 'int usleep(unsigned); __attribute__((constructor)) static void slow(void) { usleep(300000); }' >slow.c
gcc -shared -fPIC -o slow.so slow.c
# (The option is for `make asan`, where fisql itself would refuse it.)
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=./slow.so "$fisql" record -q ./leaves spawn
same "a child that is being started when the program ends is recorded" 200 "$(calls)"

# One that is within exec when its parent has ended, and has no environment then. On one busy processor the parent
# goes on first: one of 20 was lost so before that was looked for.
if taskset -c 0 true 2>/dev/null; then
    taskset -c 0 timeout 60 bash -c 'while :; do :; done' &
    busy=$!
    for _ in $(seq 12); do
        taskset -c 0 "$fisql" record -q ./leaves late
        calls
    done | sort | uniq -c >late.txt
    kill $busy
    wait $busy 2>/dev/null
    same "a child within exec when the program ends is recorded" "12 200" "$(xargs <late.txt)"
else
    ok "skipped: no taskset"
fi

# Pids that others get: the kernel is asked to give this one out next.
take_pid() {
    python3 - "$1" <<'P'
import os, signal, sys, time
want = int(sys.argv[1])
for attempt in range(3000): # another test's process may have it for a while
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write(str(want - 1))
    child = os.fork()
    if child == 0:
        if os.getpid() == want:
            signal.signal(signal.SIGUSR1, lambda *_: os._exit(1))
            signal.signal(signal.SIGUSR2, lambda *_: os._exit(0))
            os.setsid()
            null = os.open("/dev/null", os.O_RDWR)
            os.dup2(null, 0), os.dup2(null, 1), os.dup2(null, 2)
            time.sleep(30)
        os._exit(2)
    if child == want:
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.005 if attempt > 100 else 0)
os._exit(1)
P
}
if ! { sh -c 'cat /proc/sys/kernel/ns_last_pid >/proc/sys/kernel/ns_last_pid'; } 2>/dev/null; then
    ok "pids that others get: not tried, for the kernel gives this user no say in them"
else
    begin daemon
    if ! take_pid "$program"; then
        not_ok "the program's pid is given out again"
    else
        kill -USR1 $recorder
        sleep 0.3
        kill -0 "$program" 2>/dev/null
        same "a stranger with the program's pid gets no signal" 0 $?
        kill -KILL "$program"
    fi
    # The daemon is gone; a stranger has its pid.
    kill -STOP $recorder
    kill -KILL "$left"
    while kill -0 "$left" 2>/dev/null; do sleep 0.02; done
    take_pid "$left" || not_ok "the daemon's pid is given out again"
    kill -CONT $recorder
    begun=$(date +%s)
    end
    same "a stranger with a daemon's pid is not waited for, and what the daemon left is saved" "3 100 1" \
        "$status $(calls) $(($(date +%s) - begun < 10))"
    kill -KILL "$left" 2>/dev/null

    # Where pids are others: they say nothing to the recorder, which waits all the same.
    begin namespace
    sleep 0.5
    kill -0 $recorder
    same "the first process of a namespace of its own is waited for" 0 $?
    kill -KILL "$left"
    end
    same "the first process of a namespace of its own is killed: its calls are saved" "3 100" "$status $(calls)"
fi

# More than there is room for: each process is recorded, or told.
crowd() { # N, LIMIT on the size of files
    : >out.txt
    (ulimit -f "$2" && exec setsid "$fisql" record ./leaves crowd "$1" >out.txt 2>err.txt) &
    recorder=$!
    until [ "$(grep -c ready out.txt)" = "$1" ]; do sleep 0.1; done
    kill -USR1 $recorder
    end
    lost=$(sed -n 's/.*the last calls of \([0-9]*\) threads are lost.*/\1/p' err.txt)
    same "$1 processes killed at once: each is in the log or told as lost" "0 $(($1 * 100))" \
        "$status $(($(calls) + ${lost:-0} * 100))"
    same "$1 processes killed at once: the database says it" "${lost:-}" \
        "$(sql run.db "SELECT chunks FROM losses WHERE reason = 'no place in the live area'")"
}
crowd 2200 unlimited
crowd 30 1024
(ulimit -f 4096 && "$fisql" record -q ./leaves threads 100)
same "more threads than there is room for: each writes what it has" 10000 "$(calls)"

# Whose file the log is.
"$fisql" record -q ./leaves threads 1
exec 5<run.bin
inode=$(stat -c %i run.bin)
chmod 666 run.bin
"$fisql" record -q ./leaves threads 2
same "who has the older log open sees nothing of the new one: a file of its own, for its user alone" "1 600" \
    "$(($(stat -c %i run.bin) != inode)) $(stat -c %a run.bin)"
same "what reads the older log reads on" 100 "$(cat <&5 >old.bin && "$fisql" load -q -o old.db old.bin && sql old.db \
    "SELECT sum(s.calls) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'work'")"
exec 5<&-
refused() { # WHAT, WHY
    same "$1: refused" "2 fisql: log.bin: $2: give another file with -o" \
        "$(timeout 20 "$fisql" record -q -o log.bin ./leaves threads 1 2>&1 >out.txt | sed 's/^/2 /')"
}
mkfifo log.bin
refused "a FIFO" "is not a regular file"
rm log.bin
mkdir log.bin
refused "a folder" "is not a regular file"
rmdir log.bin
ln -s elsewhere.bin log.bin
refused "a symbolic link" "is a symbolic link"
rm log.bin
if [ "$(id -u)" = 0 ]; then
    for content in empty log; do
        if [ $content = empty ]; then : >log.bin; else cp run.bin log.bin; fi
        chown 65534 log.bin
        chmod 666 log.bin
        before=$(cksum <log.bin)
        same "another user's file ($content): refused" \
            "fisql: log.bin: belongs to another user: remove it, or give another file with -o" \
            "$("$fisql" record -q -o log.bin ./leaves threads 1 2>&1)"
        (LD_PRELOAD=$FISQL_BUILD/libfisql.so FISQL_LOG=log.bin ./leaves threads 1)
        same "another user's file ($content): the collector on its own leaves it alone" "$before" "$(cksum <log.bin)"
        rm -f log.bin*
    done
fi
: >log.bin
chmod 666 log.bin
exec 5<log.bin
(LD_PRELOAD=$FISQL_BUILD/libfisql.so FISQL_LOG=log.bin ./leaves threads 1)
same "the collector on its own makes a file of its own too, in the place of an empty one" "0 600" \
    "$(wc -c <&5) $(stat -c %a log.bin)"
exec 5<&-

# A program that changes its live area's file: what it calls is recorded, and its status is told.
build gcc meddles -O1 -g "$programs/meddles.c"
for how in "none done" "shrink refused" "seal refused" "grow done"; do
    run timeout 60 "$fisql" record -q ./meddles "${how% *}"
    same "a program that meddles with its live area (${how% *}): its status" "3 ${how#* }" "$status $out"
    "$fisql" load -q run.bin
    same "and its calls (${how% *})" 1001 "$(sql run.db "SELECT count(*) FROM calls")"
done
