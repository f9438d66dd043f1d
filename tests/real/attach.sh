#!/bin/bash
# fisql record -p, again and again: a busy server with threads that come and go, forks and signal handlers is attached to
# 200 times. No request is lost, no system call fails, and nothing is left behind.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped - attaching is for x86-64"
    exit 0
fi
gcc -O2 -g -o attached "$programs/attached.c" -lpthread || exit 1
export MALLOC_ARENA_MAX=1 # else threads that open the library add arenas, as any allocation does
./attached 6000 fork handler >server.out 2>server.err &
job=$!
trap 'kill -9 $job 2>/dev/null' EXIT
for _ in $(seq 200); do
    pid=$(sed -n 's/^ready //p' server.out)
    [ -n "$pid" ] && break
    sleep 0.05
done
sleep 0.3
state() {
    grep -v '\[heap\]' "/proc/$pid/maps"
    for link in "/proc/$pid"/fd/*; do echo "$link $(readlink "$link")"; done | sort
}
state >before
times=0
for _ in $(seq 200); do
    timeout 60 "$fisql" record -q -p "$pid" --for 50ms -o again.bin 2>>errors && times=$((times + 1))
done
same "a busy server is attached to 200 times" 200 $times
same "... without a word" "" "$(cat errors)"
state >after
same "... which leaves nothing behind" "" "$(diff before after)"
pkill -TERM -P "$pid" attached # its client
wait "$job"
same "the server ends as it would have" 0 $?
has "... no system call failed, no signal mask changed" "masks 0, children wrong 0" "$(grep '^server' server.out)"
at_least "... but for waits that SIGCHLD ended while another thread was stopped" 0 \
    $((10 - $(sed -n 's/^server: failed \([0-9]*\),.*/\1/p' server.out)))
has "... and the client got its answers" "unanswered 0, wrong 0" "$(grep '^client' server.out)"
