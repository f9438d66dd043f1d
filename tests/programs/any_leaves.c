/* Calls that are not left by their return, and stacks that change, in a program recorded as it is. Each function
 * counts its calls itself (count.h); the argument is the part. */
#define _GNU_SOURCE
#include "count.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))
COUNTED_NAMES;
static volatile int zero;

APART static int leaf(int n)
{
    COUNT();
    return n + 1 + zero;
}

/* ---- jumps ---- */
static jmp_buf back;
static sigjmp_buf signal_back;
APART static void jumps(int depth)
{
    COUNT();
    leaf(depth);
    if (depth == 0)
        longjmp(back, 1);
    jumps(depth - 1);
    leaf(depth);
}
APART static int sets(int depth)
{
    COUNT();
    volatile int got = 0;
    if (setjmp(back) == 0)
        jumps(depth);
    else
        got = leaf(depth);
    return leaf(got);
}
APART static void on_jump(int number)
{
    COUNT();
    leaf(number);
    siglongjmp(signal_back, number);
}
APART static void raises(int depth)
{
    COUNT();
    if (depth == 0)
        raise(SIGUSR1);
    else
        raises(depth - 1);
    leaf(depth);
}
APART static int overflows(int n)
{
    volatile char room[3000];
    room[0] = (char)n;
    return n > 1000000 ? n : overflows(n + 1) + room[0];
}
static void part_jumps(void)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += sets(i);
    signal(SIGUSR1, on_jump);
    for (int i = 0; i < 8; i++)
        if (sigsetjmp(signal_back, 1) == 0)
            raises(i);
        else
            sum += leaf(i);
    fprintf(stderr, "jumps %d\n", sum);
}

/* ---- a stack of its own for handlers; an overflow that is survived ---- */
static int handled;
APART static void on_stack(int number, siginfo_t *info, void *context)
{
    COUNT();
    ucontext_t *at = context;
    handled += leaf(number) + (info->si_signo == number) + (at->uc_stack.ss_sp != NULL);
    if (number == SIGUSR2)
        raise(SIGUSR1);
    if (number == SIGSEGV)
        siglongjmp(signal_back, 1);
}
static void part_altstack(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = on_stack, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 6; i++)
        raises(i), raise(SIGUSR2);
    for (int i = 0; i < 2; i++)
        if (sigsetjmp(signal_back, 1) == 0)
            overflows(zero);
        else
            leaf(i);
    fprintf(stderr, "handled %d\n", handled);
}

/* ---- coroutines that switch while calls are open ---- */
#define ROUTINES 5
static ucontext_t own, routines[ROUTINES];
static int routine_sum;
APART static void yields(int which, int depth)
{
    COUNT();
    if (depth > 0)
        yields(which, depth - 1);
    routine_sum += leaf(which * 10 + depth);
    swapcontext(&routines[which], &own);
    leaf(depth);
}
APART static void routine(int which)
{
    COUNT();
    for (int i = 0; i < 20; i++)
        yields(which, (i + which) % 4);
}
APART static void steps(int which)
{
    COUNT();
    swapcontext(&own, &routines[which]);
    leaf(which);
}
static void part_coroutines(void)
{
    for (int i = 0; i < ROUTINES; i++) {
        getcontext(&routines[i]);
        routines[i].uc_stack.ss_size = 256 << 10;
        routines[i].uc_stack.ss_sp =
            mmap(NULL, 256 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        routines[i].uc_link = &own;
        makecontext(&routines[i], (void (*)(void))routine, 1, i);
    }
    for (int i = 0; i < 100; i++)
        steps(i % ROUTINES);
    fprintf(stderr, "routines %d\n", routine_sum);
}

/* ---- coroutines that are finished by other threads ---- */
static ucontext_t wandering, thread_own;
APART static void wanders(void)
{
    COUNT();
    for (int i = 0; i < 10; i++) {
        leaf(i);
        swapcontext(&wandering, &thread_own);
    }
}
APART static void *resumes(void *arg)
{
    COUNT();
    leaf(1);
    swapcontext(&thread_own, &wandering);
    leaf(2);
    return arg;
}
static void part_wandering(void)
{
    getcontext(&wandering);
    wandering.uc_stack.ss_size = 256 << 10;
    wandering.uc_stack.ss_sp =
        mmap(NULL, 256 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    makecontext(&wandering, wanders, 0);
    for (int i = 0; i < 6; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, resumes, NULL);
        pthread_join(thread, NULL);
    }
}

/* ---- children ---- */
APART static int forks(int depth)
{
    COUNT();
    if (depth > 0)
        return forks(depth - 1) + 1 + zero;
    pid_t child = fork();
    if (child == 0) { /* its parent's calls are not its own */
        memset(counted_names, 0, sizeof counted_names);
        return -100;
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
static void part_fork(void)
{
    fflush(stdout);
    int got = forks(6);
    leaf(1);
    fprintf(stderr, "fork %d\n", got);
    if (got < 0) { /* the child, which has returned through all of it */
        leaf(2);
        report();
        exit(9);
    }
}
APART static int spawns(int depth)
{
    COUNT();
    if (depth > 0)
        return spawns(depth - 1);
    char *const words[] = {"/bin/sh", "-c", "exit 6", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execv(words[0], words);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    return leaf(WEXITSTATUS(status));
}
APART static int spawns_in_vain(int n)
{
    COUNT();
    pid_t child = vfork();
    if (child == 0) {
        leaf(n);
        execl("/nonexistent", "nonexistent", NULL);
        _exit(leaf(n));
    }
    int status;
    waitpid(child, &status, 0);
    return leaf(WEXITSTATUS(status));
}
static void part_vfork(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += spawns(i) + spawns_in_vain(i);
    fprintf(stderr, "vfork %d\n", sum);
}
static int alone;
APART static int cloned(void *arg)
{
    int sum = 0;
    if (alone)
        memset(counted_names, 0, sizeof counted_names);
    COUNT();
    for (int i = 0; i < 10; i++)
        sum += leaf(i);
    if (alone)
        report();
    return sum + *(int *)arg;
}
static void part_clone(void)
{
    int four = 4, status;
    for (int i = 0; i < 3; i++) { /* shared memory, like vfork, and not */
        alone = i == 0;
        char *stack =
            mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pid_t child = clone(cloned, stack + (1 << 18),
                            (i == 0 ? 0 : CLONE_VM | CLONE_VFORK) | SIGCHLD, &four);
        waitpid(child, &status, 0);
        fprintf(stderr, "clone %d\n", WEXITSTATUS(status));
        leaf(i);
    }
}

/* ---- ends ---- */
APART static void ends(int depth, const char *how)
{
    COUNT();
    if (depth > 0) {
        ends(depth - 1, how);
        leaf(depth);
        return;
    }
    report();
    if (strcmp(how, "_exit") == 0)
        _exit(41);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(42);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGTERM);
    if (strcmp(how, "segv") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(how, "trap") == 0)
        __builtin_trap();
    if (strcmp(how, "thread_exit") == 0)
        pthread_exit(NULL);
    if (strcmp(how, "exec") == 0)
        execl("/bin/echo", "echo", "It is executed", NULL);
    exit(43);
}

int main(int argc, char **argv)
{
    const char *part = argv[1];
    if (strcmp(part, "jumps") == 0)
        part_jumps();
    else if (strcmp(part, "altstack") == 0)
        part_altstack();
    else if (strcmp(part, "coroutines") == 0)
        part_coroutines();
    else if (strcmp(part, "wandering") == 0)
        part_wandering();
    else if (strcmp(part, "fork") == 0)
        part_fork();
    else if (strcmp(part, "vfork") == 0)
        part_vfork();
    else if (strcmp(part, "clone") == 0)
        part_clone();
    else
        ends(5, part);
    report();
    return 4;
}
