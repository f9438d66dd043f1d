#!/bin/bash
# Stacks that are out of the ordinary: handlers on an alternate stack above the thread's own, the smallest stacks
# that there are. Counts are the program's own.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc stacks -O1 -g "$programs/stacks.c"
build gcc pluginA.so -shared -fPIC -g -DNAME=A "$programs/plugin.c"
build gcc smallest -O0 -g "$programs/smallest.c"
for command in "stacks nested 20000" "stacks nested 20000" "stacks nested 20000" "stacks malloc 60" \
    "smallest ./pluginA.so"; do
    # shellcheck disable=SC2086 # words
    timeout 60 "$fisql" record -q ./$command >out.txt 2>err.txt
    same "$command: status" "0 " "$? $(cat err.txt)"
    "$fisql" load -q run.bin
    same "$command: loads without loss" 0 $?
    same "$command: counts" "$(expected out.txt)" "$(counts run.db | grep -vE '^(plugin|inner_A) ' | LC_ALL=C sort)"
done
same "the library's functions are counted" "inner_A 4
plugin 2" "$(counts run.db | grep -E '^(plugin|inner_A) ')"

# A coroutine's stack right above the stack of its thread: the kernel makes one mapping of them.
cat >above.c <<'C'
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#define STACK_BYTES ((size_t)256 << 10)
static ucontext_t own, other;
static int leaf(int n) { return n + 1; }
static void body(void) { for (int i = 0; i < 100; i++) { leaf(i); swapcontext(&other, &own); } }
static void step(void) { swapcontext(&own, &other); leaf(1); }
static void *thread(void *memory)
{
    getcontext(&other);
    other.uc_stack.ss_sp = (char *)memory + STACK_BYTES;
    other.uc_stack.ss_size = STACK_BYTES;
    other.uc_link = &own;
    makecontext(&other, body, 0);
    for (int i = 0; i < 50; i++) step();
    return 0;
}
int main(void)
{
    pthread_t id;
    pthread_attr_t attributes;
    char *memory = mmap(0, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory, STACK_BYTES);
    pthread_create(&id, &attributes, thread, memory);
    pthread_join(id, 0);
    return 0;
}
C
build gcc above -O0 -g above.c
"$fisql" record -q ./above
"$fisql" load -q run.bin
same "a coroutine's stack above the thread's: calls that did not return" "body 1" "$(sql run.db "
    SELECT f.name || ' ' || count(*) FROM calls c JOIN frames r ON r.id = c.frame_id
    JOIN functions f ON f.id = r.function_id WHERE c.ended <> 0 GROUP BY f.name")"
same "a coroutine's stack above the thread's: every exit is its entry's" 0 \
    "$(sql run.db "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")"

# Handlers that leave by siglongjmp leave interrupted hooks behind, whose logs are to be used again.
cat >leaves.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile int stop;
static volatile long jumps;
static int leaf(int n) { __asm__ volatile("" : "+r"(n)); return n; }
static void on_signal(int n) { leaf(n); jumps++; siglongjmp(back, 1); }
static __attribute__((no_instrument_function)) void *pester(void *thread)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    for (int i = 0; i < 1000000 && jumps < 1000; i++) { pthread_kill(*(pthread_t *)thread, SIGUSR1); usleep(20); }
    stop = 1;
    return 0;
}
int main(int argc, char **argv)
{
    static pthread_t self;
    pthread_t id;
    long kilobytes = 0;
    char line[200];
    stack_t stack = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = argc > 1 ? SA_ONSTACK : 0};
    self = pthread_self();
    sigaltstack(&stack, 0);
    sigsetjmp(back, 1);
    if (jumps == 0) { sigaction(SIGUSR1, &action, 0); pthread_create(&id, 0, pester, &self); }
    while (!stop) leaf(1);
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file)) sscanf(line, "RssShmem: %ld", &kilobytes);
    printf("%s\n", kilobytes < 4000 ? "few" : "many");
    return 0;
}
C
build gcc leaves -O1 -g leaves.c
for how in "" altstack; do
    # shellcheck disable=SC2086 # one word or none
    same "1,000 jumps out of handlers: logs in use ($how)" few "$("$fisql" record -q ./leaves $how)"
    "$fisql" load -q run.bin
    same "1,000 jumps out of handlers: loads without loss ($how)" 0 $?
done

# What runs while an exception passes, and returns, has returned.
build g++ exceptions -O0 -g "$programs/exceptions.cc"
"$fisql" record -q ./exceptions >out.txt
"$fisql" load -q run.bin
same "calls that an exception ended" "rethrower 200
thrower 3800" "$(sql run.db "SELECT f.name || ' ' || count(*) FROM calls c JOIN frames r ON r.id = c.frame_id
    JOIN functions f ON f.id = r.function_id WHERE c.ended = 1 GROUP BY f.name ORDER BY 1")"
