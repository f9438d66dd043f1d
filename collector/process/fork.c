/*
 * Forks. The child records as its own process: it gets a key, facts, and logs that continue its
 * parent's.
 *
 * fork() reports itself (pthread_atfork). We interpose the other ways: _Fork(), clone() without
 * CLONE_VM, and syscall() with their numbers. Between before_fork() and the child's first step all
 * signals are blocked, so that no handler of the program comes between.
 *
 * A child made in none of these ways (a system call instruction in the program's own code) is
 * recognized by a page that the kernel empties in it (MADV_WIPEONFORK, Linux 4.14): its first hook
 * finds the page empty. Nothing is known then of its parent's open calls; the child begins with an
 * empty stack.
 *
 * fork() calls the child's handlers in the order in which they were registered, and an allocator's
 * may come before ours (jemalloc's do). Their first hook finds the page empty, too, and makes the
 * child begin there: it must not write into its parent's log.
 *
 * vfork() and clone() with CLONE_VM and CLONE_VFORK run on the parent's memory while the parent
 * waits: such a child's calls count as its parent's. clone() with CLONE_VM but without CLONE_SETTLS
 * runs beside its parent on the same thread-local variables, ours included: from there on neither
 * of the two can be recorded, and the log says so.
 */
#include "collector/process/fork.h"

#include "collector/core/control.h"
#include "collector/core/feature.h"
#include "collector/process/exec.h"
#include "collector/core/library.h"
#include "collector/core/lock.h"
#include "collector/core/log_file.h"
#include "collector/core/mapped.h"
#include "collector/core/modules.h"
#include "collector/process/process.h"
#include "collector/process/process_end.h"
#include "collector/process/process_facts.h"
#include "collector/process/seccomp.h"
#include "collector/core/system_call.h"
#include "collector/process/thread_fork.h"
#include "collector/core/thread_log.h"
#include "collector/core/wrap.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

THREAD_LOCAL uint32_t fork_under_way;
static THREAD_LOCAL struct quiet fork_quiet;
static THREAD_LOCAL uint64_t fork_tick;
static THREAD_LOCAL bool fork_begun; /* in the child: a hook came before our handler */

static void before_fork(void)
{
    if (!process_recording() || fork_under_way++ != 0)
        return; /* or fork() called _Fork() */
    quiet_begin(&fork_quiet);
    fork_begun = false;
    thread_log_forking();
    fork_tick = clock_read(process.clock);
}

/* In the parent, even if the fork failed. */
static void after_fork(void)
{
    if (fork_under_way == 0 || --fork_under_way != 0)
        return;
    fork_quiet.error = errno;
    thread_log_went_on();
    quiet_end(&fork_quiet);
}

static void child_begin(uint64_t tick)
{
    process_forked(tick);
    log_file_forked();
    modules_forked();
    control_forked();
    mapped_forked();
    FEATURES_CALL(forked)();
}

static void mark_ours(void)
{
    fork_mark_paused();
    fork_mark_filtered();
}

/* Makes the child of this thread's fork begin, with signals blocked. */
static void continue_in_child(void)
{
    collector_inside++;
    if (silent()) {
        silent_child();
    } else {
        child_begin(fork_tick);
        thread_log_forked();
    }
    mark_ours();
    collector_inside--;
}

static void forked_child(void)
{
    if (fork_under_way == 0 || --fork_under_way != 0)
        return;
    if (!fork_begun)
        continue_in_child();
    quiet_end(&fork_quiet);
}

void fork_notice(void)
{
    static uint32_t lock;
    struct quiet quiet;
    if (!process_recording() || collector_inside != 0)
        return;
    if (fork_under_way != 0) {
        quiet_begin(&quiet);
        continue_in_child();
        fork_begun = true;
        quiet_end(&quiet);
        return;
    }
    quiet_begin(&quiet);
    collector_inside++;
    lock_acquire(&lock);
    if (__atomic_load_n(&fork_mark.mine, __ATOMIC_ACQUIRE) == 0) {
        if (silent()) {
            silent_child();
        } else {
            child_begin(0);
            thread_logs_forget();
        }
        mark_ours();
    }
    lock_release(&lock);
    collector_inside--;
    quiet_end(&quiet);
}

void fork_setup(void)
{
    /* Without this (an older kernel, larger pages) such children stay unrecognized. */
    if (getauxval(AT_PAGESZ) <= sizeof fork_mark)
        madvise(&fork_mark, sizeof fork_mark, MADV_WIPEONFORK);
    mark_ours();
    library_at_fork(before_fork, after_fork, forked_child);
}

/* ---- other ways to make processes ---- */

REAL(pid_t, _Fork, (void))
REPLACE(pid_t, _Fork, (void))
{
    static pid_t (*next)(void);
    if (next == NULL)
        FIND(_Fork, next);
    if (next == NULL) {
        errno = ENOSYS; /* glibc before 2.34 */
        return -1;
    }
    before_fork();
    pid_t pid = next();
    if (pid == 0)
        forked_child();
    else
        after_fork();
    return pid;
}

struct start {
    int (*function)(void *);
    void *argument;
};

/* The child of clone(), which ends it by its own system call when the function returns. */
static int clone_start(void *context)
{
    struct start start = *(const struct start *)context;
    forked_child();
    int status = start.function(start.argument);
    process_returned(status);
    return status;
}

REAL(int, clone, (int (*)(void *), void *, int, void *, ...))
REPLACE(int, clone, (int (*function)(void *), void *stack, int flags, void *argument, ...))
{
    static int (*next)(int (*)(void *), void *, int, void *, ...);
    va_list rest;
    va_start(rest, argument);
    void *parent_tid = va_arg(rest, void *);
    void *tls = va_arg(rest, void *);
    void *child_tid = va_arg(rest, void *);
    va_end(rest);
    if (next == NULL)
        FIND(clone, next);
    if (next == NULL || function == NULL || stack == NULL || !process_recording()) {
        if (next != NULL)
            return next(function, stack, flags, argument, parent_tid, tls, child_tid);
        errno = ENOSYS;
        return -1;
    }
    if ((flags & CLONE_VM) != 0) {
        struct thread_log *log = current_log;
        uint32_t open = log != NULL ? calls_open(log) : 0;
        if ((flags & (CLONE_SETTLS | CLONE_VFORK)) == 0)
            thread_log_stop("clone() shares the thread's variables");
        int pid = next(function, stack, flags, argument, parent_tid, tls, child_tid);
        int error = errno;
        if ((flags & CLONE_VFORK) != 0 && log != NULL)
            shadow_unwind_above(open); /* the child's open calls at its end or exec */
        errno = error;
        return pid;
    }
    struct start start = {function, argument};
    before_fork();
    int pid = next(clone_start, stack, flags, &start, parent_tid, tls, child_tid);
    after_fork();
    return pid;
}

#if defined(__x86_64__) || defined(__aarch64__)
/* Does the system call make a process that continues here, on its own copy of the stack? */
static bool is_fork(long number, const long argument[6])
{
    uint64_t flags = (uint64_t)argument[0], stack = (uint64_t)argument[1];
#ifdef SYS_fork
    if (number == SYS_fork)
        return true;
#endif
    if (number == SYS_clone3) { /* struct clone_args of linux/sched.h */
        const uint64_t *arguments = (const uint64_t *)(uintptr_t)argument[0];
        if ((size_t)argument[1] < 6 * sizeof *arguments)
            return false;
        flags = arguments[0];
        stack = arguments[5];
    }
    return (number == SYS_clone || number == SYS_clone3) && (flags & CLONE_VM) == 0 && stack == 0;
}

REPLACE(long, syscall, (long number, ...))
{
    long argument[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_execve && exec_called != NULL)
        return exec_called((const char *)argument[0], (char *const *)argument[1],
                           (char *const *)argument[2]);
    FEATURES_CALL(called)(number, argument);
    bool limits =
        (number == SYS_prctl && (argument[0] == PR_SET_SECCOMP || argument[0] == PR_SET_TSC)) ||
        (number == SYS_seccomp && (unsigned long)argument[0] <= SECCOMP_SET_MODE_FILTER);
    bool forks = is_fork(number, argument);
    if (forks)
        before_fork();
    long result = !limits ? system_call(number, argument)
                  : number == SYS_prctl
                      ? seccomp_prctl(argument)
                      : seccomp_call(number, argument,
                                     argument[0] == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT
                                                                            : SECCOMP_MODE_FILTER,
                                     (const void *)(uintptr_t)argument[2]);
    if (forks && result == 0)
        forked_child();
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        result = -1;
    }
    if (forks && result != 0)
        after_fork();
    return result;
}
#endif
