#!/bin/bash
# A deadlock (tests/programs/deadlock.c, whose threads take their locks by way of a wrapper): what is told of it while
# the program lasts, and after it was killed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config
source=$programs/deadlock.c

# begin OPTION...: records the program; returns when both of its threads wait. `recorder` and `program` are the PIDs.
begin() {
    rm -f in
    mkfifo in
    "$fisql" record -q -o run.bin "$@" ./deadlock <in >said 2>&1 &
    recorder=$!
    exec 7>in
    for _ in $(seq 300); do
        grep -q both said 2>/dev/null && break
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

# Without a clock the calls' numbers tell which calls were open; below --depth the stack is there, too.
for how in --no-time "--depth 2"; do
    # shellcheck disable=SC2086 # words
    begin --locks $how
    "$fisql" stacks "$recorder" | sed 1,2d >asked
    same "stacks: the stack that took it, $how" "$(taken pays open_accounts accounts 1)" "$(told | grep -A 3 'lock accounts' | sed 1d)"
    end
done
