/* A handler at every instruction of a call's hooks, by single steps (x86-64), that does not come
 * back as it came. Arguments: every how many instructions; "jump": it leaves by siglongjmp, "fork":
 * it forks, and what was interrupted goes on in both processes; "kill": it kills the process, a
 * forked one. Prints how often functions ran;
 * target() may have been interrupted before it could count itself. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define TRAP_FLAG 0x100
#define FURTHEST 900 /* instructions of a call and its hooks */

static int at;           /* instructions of target() so far */
static int leave_at;     /* where the handler comes */
static int forks, kills; /* it forks there, it kills */
static int is_child;
static sigjmp_buf back;
static int targets, outers, inners;

static __attribute__((noinline)) void target(void)
{
    targets++;
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
    at++;
    /* Where signals are blocked, a step would kill the program. */
    if (at >= FURTHEST || (forks && at == leave_at) ||
        memcmp((void *)interrupted->uc_mcontext.gregs[REG_RIP], "\x0f\x05", 2) == 0)
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (at != leave_at)
        return;
    if (kills)
        kill(getpid(), SIGKILL);
    outer();
    if (!forks)
        siglongjmp(back, 1);
    pid_t child = fork();
    is_child = child == 0;
    if (is_child)
        outer();
    else
        waitpid(child, NULL, 0);
}
/* Returns how many instructions there were. */
static PLAIN __attribute__((noinline)) int run(int where)
{
    at = 0;
    leave_at = where;
    if (kills) {
        pid_t child = fork();
        if (child != 0) {
            waitpid(child, NULL, 0);
            return 0;
        }
        outer();
    }
    if (sigsetjmp(back, 1) == 0) {
        steps_begin();
        target();
        steps_end();
    }
    if (is_child)
        exit(0);
    return at;
}
int main(int argc, char **argv)
{
    int every = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1, children = 0;
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 3; i++) /* what is done once is done now */
        run(0);
    int steps = run(0);
    forks = argc > 2 && strcmp(argv[2], "fork") == 0;
    kills = argc > 2 && strcmp(argv[2], "kill") == 0;
    for (int where = 1; where <= steps; where += every) {
        run(where);
        children += forks | kills;
    }
    printf("inner %d\nmain 1\nouter %d\n", inners + children, outers + children);
    return 0;
}
