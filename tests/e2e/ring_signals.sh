#!/bin/bash
# A flight recorder whose program has signals that come while a hook is at work: what the ring dropped is no loss, and
# the last calls are all there.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >alarms.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile unsigned sink, alarms;
static __attribute__((noinline)) unsigned leaf(unsigned x) { sink += x; return sink; }
static __attribute__((noinline)) unsigned inner(unsigned x) { return leaf(x) + leaf(x + 1); }
static void handle(int signal) { alarms += leaf((unsigned)signal) != 0; }
static __attribute__((noinline)) void last(unsigned x) { sink += inner(x); }

int main(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    for (unsigned i = 0; i < 400000 || alarms < 500; i++)
        inner(i);
    setitimer(ITIMER_REAL, &off, NULL);
    for (unsigned i = 0; i < 100; i++)
        last(i);
    return 0;
}
END
"$fisql" cc gcc -O1 -g -o hooks alarms.c
gcc -O1 -g -o plain alarms.c
for program in hooks plain; do
    "$fisql" record -q --ring 64K ./"$program"
    same "$program: goes on as it would" 0 $?
    "$fisql" load -q 2>load.err
    same "$program: what the ring dropped is no loss" "0 " "$? $(cat load.err)"
    same "$program: nor does the database say so" 0 "$(sql run.db 'SELECT count(*) FROM losses')"
    same "$program: the last calls are there" 100 \
        "$(sql run.db "SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'last'")"
    at_least "$program: and calls of the handler" 1 \
        "$(sql run.db "SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'handle'")"
done
