#!/bin/bash
# A deadlock (tests/programs/deadlock.c, whose threads take their locks by way of a wrapper): what is told of it while
# the program lasts, and after it was killed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config
source=$programs/deadlock.c

# begin OPTION...: records the program; returns when its threads wait. `recorder` and `program` are the PIDs.
begin() { begin_both "$*" ""; }
begin_with() { begin_both "" "$*"; } # ARGUMENT...
begin_both() {
    rm -f in said
    mkfifo in
    # shellcheck disable=SC2086 # words
    "$fisql" record -q -o run.bin $1 ./deadlock $2 <in >said 2>&1 &
    recorder=$!
    exec 7>in
    for _ in $(seq 300); do
        grep -q have said 2>/dev/null && break
        sleep 0.05
    done
    for program in $(cat "/proc/$recorder/task/$recorder/children"); do
        [ "$(cat "/proc/$program/comm")" = deadlock ] && break
    done
    for _ in $(seq 300); do # until they wait: 202 is futex(2) on x86-64
        [ "$(cat "/proc/$program"/task/*/syscall 2>&1 | grep -cE '^202 |denied')" -ge 2 ] && break
        sleep 0.05
    done
    sleep 0.1
}
end() {
    kill -KILL "$program"
    exec 7>&-
    wait "$recorder" 2>/dev/null || true
}
line_of() { grep -nF "$1" "$source" | sed -n "${2-1}p" | cut -d: -f1; }
lock=$(line_of "pthread_mutex_lock(mutex)") grab=$(line_of "grab(pthread_mutex_t")
# taken FUNCTION WRAPPER LOCK NUMBER: the stack in which a thread took its lock, as stacks shows it
taken() {
    echo "#0 grab (deadlock.c:$grab) called from deadlock.c:$(line_of "grab(&$3)")"
    echo "#1 $2 (deadlock.c:$(line_of "static void $2")) called from deadlock.c:$(line_of "    $2();" "$4")"
    echo "#2 $1 (deadlock.c:$(line_of "static void *$1"))"
}

"$fisql" cc gcc -O1 -g -pthread -o deadlock "$source" || exit 2
begin --locks
run "$fisql" stacks "$recorder"
printf '%s\n' "$out" >asked
same "stacks: its status says that there is a deadlock" 1 "$status"
# Of the deadlock's paragraph: a lock's line without thread and time, and its stack.
told() { sed '/^$/q' asked | sed -n '/^deadlock/d; s/^ *//; p' | sed -E 's/^[^#].* holds lock/holds lock/; s/, [0-9.]+ [a-z]+ ago//; s/^(#[0-9]+) +/\1 /; s/ called from libc.*//' | grep .; }
sed -i 1,2d asked
same "stacks: each lock of the deadlock comes with the stack that took it" \
    "$(for of in "pays open_accounts accounts 1" "audits open_journal journal 2"; do
        read -r function wrapper name number <<<"$of"
        echo "holds lock $name, taken at deadlock.c:$lock"
        taken "$function" "$wrapper" "$name" "$number"
    done | sort)" "$(told | sort)"
same "stacks: the stack follows its lock" "holds lock accounts, taken at deadlock.c:$lock
$(taken pays open_accounts accounts 1)" "$(told | grep -A 3 'lock accounts')"
same "stacks: each thread says what it holds" 2 "$(sed -n '/^thread/,$p' asked | grep -c 'holds lock')"
end

# After its death: the waits last to its end, and are a deadlock, which is an incident.
"$fisql" load -q run.bin 2>/dev/null
sound "after SIGKILL" run.db
same "after SIGKILL: both waits are open and part of one deadlock" "2 1" \
    "$(sql run.db "SELECT count(*) || ' ' || count(DISTINCT deadlock) FROM lock_waits WHERE ended = 'open' AND deadlock IS NOT NULL")"
same "after SIGKILL: they last to the end of the process" 2 "$(sql run.db "SELECT count(*) FROM lock_waits w JOIN threads t ON t.id = w.thread_id
    JOIN processes p ON p.id = t.process_id WHERE w.deadlock AND w.start_ns + w.wait_ns = p.end_ns AND w.wait_ns > 100000000")"
same "after SIGKILL: no other wait is part of it" 2 "$(sql run.db "SELECT count(*) FROM lock_waits WHERE deadlock IS NOT NULL")"
for database in run.db none.db; do
    [ $database = run.db ] || "$fisql" load -q --calls=none -o none.db run.bin 2>/dev/null
    same "$database: the incident is of the wait that closed it" "deadlock 2 threads wait for each other: 1" "$("$fisql" query incidents $database --format json |
        jq -r '.[] | "\(.kind) \(.message | sub(": thread.*"; ":")) \(.message | [scan("waits for (?:accounts|journal) at deadlock.c:[0-9]+, held by thread [0-9]+, taken at deadlock.c:[0-9]+")] | length == 2 | if . then 1 else 0 end)"')"
done
same "the incident has the stacks of all threads" "audits grab grab main open_accounts open_journal pays" \
    "$(sql run.db "SELECT group_concat(function, ' ') FROM (SELECT function FROM incident_frames ORDER BY 1)")"
run "$fisql" digest run.db
has "the digest has it: errors" "1 deadlock" "$out"
has "the digest has it: the first finding" "2 threads wait for each other" "$(grep -A1 '^Findings' <<<"$out")"
lacks "the digest does not propose to divide these locks" "divide it" "$out"
same "lock-contention has both waits, with the stack of the holder and its lines" \
    "accounts 1 pays (deadlock.c:$(line_of "    open_accounts();")) => open_accounts (deadlock.c:$(line_of "grab(&accounts)")) => grab (deadlock.c:$lock)
journal 1 audits (deadlock.c:$(line_of "    open_journal();" 2)) => open_journal (deadlock.c:$(line_of "grab(&journal)")) => grab (deadlock.c:$lock)" \
    "$("$fisql" query lock-contention run.db --format json | jq -r '.[] | select(.deadlock) | "\(.lock) \(.deadlock) \(.holder_lines)"' | sort)"
same "lock-holders has both locks, held to the end" "accounts 1 journal 1" \
    "$("$fisql" query lock-holders run.db --format json | jq -r '.[] | select(.lines | test("grab [(]deadlock.c:'"$lock"'[)]$")) | "\(.lock) \(.times)"' | sort | paste -sd' ')"
same "rollups are SQL over the rows" "" "$(sqlite3 run.db <"$here/tests/e2e/rollups.sql" 2>&1)"

# Without a clock the calls' numbers tell which calls were open; below --depth the stack is there, too.
for how in --no-time "--depth 2"; do
    # shellcheck disable=SC2086 # words
    begin --locks $how
    "$fisql" stacks "$recorder" | sed 1,2d >asked
    same "stacks: the stack that took it, $how" "$(taken pays open_accounts accounts 1)" "$(told | grep -A 3 'lock accounts' | sed 1d)"
    end
done

# Recorded without --locks: the kernel tells the futexes, and the mutexes their owners.
begin
run "$fisql" stacks "$recorder"
same "stacks without --locks: it is a deadlock" 1 "$status"
same "stacks without --locks: who waits for what of whom" "deadlock: T waits for lock accounts, held by T; T waits for lock journal, held by T" \
    "$(grep '^deadlock' <<<"$out" | sed -E 's/deadlock \([0-9]+\)/T/g' | sed 's/^deadlock: \(T[^;]*journal[^;]*\); \(T.*\)/deadlock: \2; \1/')"
same "stacks without --locks: each thread says it, too" 2 "$(grep -c '^     deadlock ([0-9]*) waits for lock' <<<"$out")"
# What the kernel forbids, as Yama does: here a library in front of open().
cat >denied.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
int open(const char *path, int flags, ...)
{
    size_t length = strlen(path);
    errno = EPERM;
    return length > 8 && strcmp(path + length - 8, "/syscall") == 0 ? -1 : openat(AT_FDCWD, path, flags, 0600);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
C
gcc -shared -fPIC -o denied.so denied.c || not_ok "denied.c builds"
run env ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" LD_PRELOAD="$PWD/denied.so" "$fisql" stacks "$recorder"
same "stacks, and the kernel forbids to look: the stacks are there" "0 3" "$status $(grep -c '^thread' <<<"$out")"
has "stacks, and the kernel forbids to look: says so" "or record it with --locks" "$err"
end

# Threads that wait long, or for a time, are no deadlock.
"$fisql" cc gcc -O1 -g -pthread -o deadlock "$programs/lockstuck.c" || exit 2
for how in "chain 3 2" "timed 3 3"; do
    read -r shape threads waiting <<<"$how"
    begin_with "$shape" "$threads"
    run "$fisql" stacks "$recorder"
    same "stacks without --locks: $shape: no deadlock, and who waits is told" "0 $waiting" "$status $(grep -c '^     .* waits for lock locks' <<<"$out")"
    end
done
