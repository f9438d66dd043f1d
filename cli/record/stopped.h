/*
 * A process that we have stopped: all of its threads, by PTRACE_SEIZE and PTRACE_INTERRUPT, for as
 * long as its memory is looked at and changed. Nothing of it stays: what the kernel held back
 * meanwhile (signals, system calls that go on) goes on when the threads are let go.
 *
 *     struct stopped stopped = {0};
 *     if (stopped_begin(&stopped, pid, 3000, &error) != 0)
 *         return fail("%s", error.text);
 *     ... stopped.threads[i].registers.rip, stopped_read(), stopped_write() ...
 *     stopped_end(&stopped);
 *
 * A thread that a signal reached on the way to the stop keeps it in `signal`; it gets it when it is
 * let go. A system call that was interrupted goes on then as well (ERESTARTSYS and the like). Some
 * never go on after a stop, but fail with EINTR (signal(7): epoll_wait, semop and others), as under
 * any debugger: of these, the thread is led back to the call, unless a signal waits for it.
 *
 * ptrace knows the tracer as a thread: call all of these from the thread that called
 * stopped_begin(). No function here prints. x86-64 alone: elsewhere stopped_begin() fails.
 */
#ifndef FISQL_CLI_RECORD_STOPPED_H
#define FISQL_CLI_RECORD_STOPPED_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct stopped_thread {
    pid_t tid;
    /* As it stopped. Change them by stopped_set_registers(). orig_rax >= 0 = in a system call of
     * this number; rip then lies behind its instruction */
    struct user_regs_struct registers;
    siginfo_t info; /* of `signal` */
    int signal;     /* that it gets when it goes on; 0 = none */
    bool held;      /* we are its tracer, and it is stopped */
};

/* The address of the instruction that the thread goes on with. */
static inline uint64_t stopped_position(const struct stopped_thread *thread)
{
#if defined(__aarch64__)
    return thread->registers.pc;
#else
    return thread->registers.rip;
#endif
}

/* A part of the process's memory. */
struct stopped_range {
    uint64_t start, end;
};

struct stopped {
    pid_t pid;
    int memory; /* of /proc/PID/mem */
    struct stopped_thread *threads;
    size_t count, capacity;
    struct stopped_range *maps; /* its mappings, by address, when it stopped */
    size_t maps_count, maps_capacity;
};

/* Stops all threads of the process. `stopped` must be zero. Waits at most timeout_ms for those that
 * sleep in the kernel. Returns 0; or -1 with *error set to a sentence, for users, that begins with
 * "PID (NAME): ", and the process as it was. */
int stopped_begin(struct stopped *stopped, pid_t pid, unsigned timeout_ms,
                  struct error *error) MUST_CHECK;
/* Lets all threads go; releases what stopped_begin() took. Does nothing if that failed. */
void stopped_end(struct stopped *stopped);
/* Lets go threads that stopped_end() could not let go, because they had not stopped yet or were being
 * killed: call it from time to time until it returns 0, the number of those left. Until then a process
 * that ends may not end for its parent. */
size_t stopped_late(void);

/* Lets go all threads but this one (an index; it stays stopped), as for code that it is to run and
 * that waits for locks of the others. */
void stopped_keep_one(struct stopped *stopped, size_t thread);
/* Stops again all that stopped_keep_one() let go, and those begun since. Indexes of threads change;
 * returns 0, or -1 with *error set: then the one is still held, and stopped_end() lets it go. */
int stopped_all_again(struct stopped *stopped, unsigned timeout_ms, struct error *error) MUST_CHECK;
/* The index of a thread; stopped->count if it is gone. */
size_t stopped_find(const struct stopped *stopped, pid_t tid);

/* Reads `size` bytes at `address`. False: they are not all there. */
bool stopped_read(const struct stopped *stopped, uint64_t address, void *to, size_t size);
/* Writes, whatever the memory's protection: code, too. False: it is not there. */
bool stopped_write(const struct stopped *stopped, uint64_t address, const void *from, size_t size);
/* Gives the thread registers. False if it is gone. */
bool stopped_set_registers(struct stopped *stopped, size_t thread,
                           const struct user_regs_struct *registers);

/* Lets the thread run, instruction by instruction and alone, until it lies in none of the ranges, at
 * most `steps` instructions. A position at `start` is outside: what begins there has not begun.
 * False: it is still in one, because it sleeps in a system call there, ignores SIGTRAP, or ran out
 * of steps; leave alone what lies under it. */
bool stopped_step_out(struct stopped *stopped, size_t thread, const struct stopped_range *ranges,
                      size_t ranges_count, unsigned steps);
/* Does the address lie behind the start of one of the ranges? They are sorted and do not overlap. */
bool stopped_in(const struct stopped_range *ranges, size_t count, uint64_t address);

/* Where a signal's handler will return to: calls each() for every saved context that is found on the
 * thread's stack, with the position at which the signal interrupted it. What is found may be what is
 * left of a handler that has ended: take it as a position that is possible. */
void stopped_contexts(const struct stopped *stopped, size_t thread,
                      void (*each)(uint64_t position, void *context), void *context);

/* Says why ptrace(PTRACE_SEIZE) refused this process with EPERM, in words for users. */
void stopped_refusal(pid_t pid, char *text, size_t size);
/* The number in a line of /proc/PID/status ("TracerPid", "Seccomp", "Threads", "NSpid"), in base 10;
 * -1 if there is none. */
long stopped_status(pid_t pid, const char *key);

#endif