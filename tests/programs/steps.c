/* Handlers at every instruction of a hook, by single steps (x86-64): a first one, then, at a later
 * instruction, one whose own hooks are interrupted at some instruction. Arguments: every how many
 * instructions; "heap": target() allocates, too. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define PLAIN __attribute__((no_instrument_function))

#define TRAP_FLAG 0x100
#define FURTHEST 900 /* instructions of a call and its hooks */

static int at;                  /* instructions of target() so far */
static int first_at, second_at; /* where the handlers come */
static int third_at, inside;    /* in the second: where the third comes, instructions so far */
static int nested;              /* in the second */
static void *volatile block;
static int targets, outers, inners, with_heap;

static __attribute__((noinline)) void target(void)
{
    targets++;
    if (with_heap)
        block = malloc(100);
    if (with_heap)
        free(block);
}
static __attribute__((noinline)) void inner(void)
{
    inners++;
}
static __attribute__((noinline)) void outer(void)
{
    outers++;
    inner();
}
static PLAIN void steps_begin(void)
{
    __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
}
static PLAIN void steps_end(void)
{
    __asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}
static PLAIN void on_step(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)number;
    (void)info;
    /* Where signals are blocked, a step would kill the program. */
    if (memcmp((void *)interrupted->uc_mcontext.gregs[REG_RIP], "\x0f\x05", 2) == 0) {
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    if (nested) {
        if (++inside == third_at)
            inner();
        if (inside >= third_at)
            interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    if (++at == first_at)
        outer();
    if (at == second_at) {
        nested = 1;
        inside = 0;
        steps_begin();
        outer();
        steps_end();
        nested = 0;
    }
    if (at >= second_at)
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}
/* Returns how many instructions there were. */
static PLAIN __attribute__((noinline)) int run(int first, int second, int third)
{
    first_at = first;
    second_at = second;
    third_at = third;
    at = 0;
    steps_begin();
    target();
    steps_end();
    return at;
}
int main(int argc, char **argv)
{
    int every = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    with_heap = argc > 2 && strcmp(argv[2], "heap") == 0;
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 3; i++) /* what is done once is done now */
        run(0, 1, 1);
    int steps = run(0, FURTHEST, 0);
    for (int second = 2; second <= steps; second += every)
        for (int i = 0; i < 12; i++)
            run(second - 3 - 5 * (i % 3), second, 20 + 25 * (i / 3) + (second + i) % 25);
    for (int third = 1; third <= 120; third += every)
        for (int i = 1; i <= 2; i++)
            run(0, steps * i / 3, third);
    with_heap = 0;
    printf("inner %d\nmain 1\nouter %d\ntarget %d\n", inners, outers, targets);
    return 0;
}
