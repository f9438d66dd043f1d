/*
 * Linked into the programs that tests/stress records: gives them handlers for signals that are
 * ignored otherwise, which call instrumented functions. So hooks run inside hooks, at any instant,
 * and it is known how often. The handlers leave alone what the program sees: calls are restarted,
 * errno is kept, and nothing is done without STRESS_FILE. STRESS_NEST says how: shallow  no handler
 * interrupts another (for threads with small stacks) stack    on the alternate stack, where the
 * thread has one
 */
#include "tests/stress/nest.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define MANY 22000 /* calls that fill a chunk */

static struct nest *shared;

static __attribute__((noinline)) int nest_leaf(int n)
{
    __asm__ volatile("" : "+r"(n)); /* not pure: every call takes place */
    return n;
}

static __attribute__((noinline)) int nest(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += nest_leaf(i);
    return sum;
}

static PLAIN void nest_signal(int number)
{
    int error = errno;
    uint64_t turn = __atomic_add_fetch(&shared->nest_begun, 1, __ATOMIC_RELAXED);
    int calls = (turn * 0x9e3779b97f4a7c15u >> 56) == 0 ? MANY : 3;
    (void)number;
    __atomic_fetch_add(&shared->leaf_begun, (uint64_t)calls, __ATOMIC_RELAXED);
    nest(calls);
    __atomic_fetch_add(&shared->leaf_ended, (uint64_t)calls, __ATOMIC_RELAXED);
    __atomic_fetch_add(&shared->nest_ended, 1, __ATOMIC_RELAXED);
    errno = error;
}

static PLAIN void enlist(void)
{
    uint32_t at = __atomic_fetch_add(&shared->pids_used, 1, __ATOMIC_RELAXED);
    if (at < NEST_PIDS_MAX)
        __atomic_store_n(&shared->pids[at], (uint32_t)getpid(), __ATOMIC_RELEASE);
}

static PLAIN __attribute__((constructor)) void nest_begin(void)
{
    const char *path = getenv("STRESS_FILE");
    const char *how = getenv("STRESS_NEST");
    if (path == NULL || how == NULL)
        return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED)
        abort();
    close(file);
    shared = memory;
    struct sigaction action = {.sa_handler = nest_signal, .sa_flags = SA_RESTART};
    if (strcmp(how, "shallow") == 0)
        sigfillset(&action.sa_mask);
    if (strcmp(how, "stack") == 0)
        action.sa_flags |= SA_ONSTACK;
    sigaction(SIGURG, &action, NULL);
    sigaction(SIGWINCH, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
    sigaction(SIGCONT, &action, NULL);
    pthread_atfork(NULL, NULL, enlist);
    enlist();
}
