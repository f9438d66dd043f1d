/*
 * Code that a stopped thread of another process runs for us: system calls, and functions of the
 * libraries that are there. The thread's registers, vector registers and signal mask are kept and
 * put back; it runs on a stack of its own, with signals blocked, so that nothing of the program runs
 * in between. Interrupted system calls go on as if nothing had been.
 *
 *     remote_begin() ... remote_system_call(), remote_function() ... remote_end()
 *
 * What is called must not sleep with a time limit (nanosleep, poll): the kernel keeps one such call of
 * the thread's own to be taken up again, and forgets it then.
 *
 * A function returns to a breakpoint. That is a signal which the kernel forces on the thread: where the
 * process ignores SIGTRAP, it would change that, so there the function returns to a system call, and
 * each system call on its way stops it, too, which takes longer.
 */
#ifndef FISQL_CLI_RECORD_REMOTE_H
#define FISQL_CLI_RECORD_REMOTE_H

#include "cli/record/stopped.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REMOTE_STACK_BYTES ((uint64_t)1 << 20)
#define REMOTE_ROOM_BYTES ((uint64_t)64 << 10) /* at the stack's low end, for arguments */
#define REMOTE_STATE_BYTES 16384u

struct remote {
    struct stopped *stopped;
    pid_t tid;
    struct user_regs_struct registers;       /* the thread's own */
    unsigned char state[REMOTE_STATE_BYTES]; /* XSAVE */
    size_t state_bytes;
    uint64_t mask;
    uint64_t gadget; /* address of a system call instruction */
    uint64_t trap;   /* of a breakpoint instruction; 0 = none is used */
    uint64_t stack;  /* REMOTE_STACK_BYTES in the process; 0 = none yet */
    bool begun;
    /* The next function runs while all other threads are stopped. They are let go if it sleeps, as it waits
     * for a lock that one of them holds (stopped_keep_one()) */
    bool alone;
};

/* Takes this thread, an index, which must have no signal on its way (stopped_thread.signal). Maps
 * the stack there. Returns 0, or -1 with *error set and the thread as it was. */
int remote_begin(struct remote *remote, struct stopped *stopped, size_t thread,
                 struct error *error) MUST_CHECK;
/* Unmaps the stack and gives the thread back what it had. It is still stopped, or gone. */
void remote_end(struct remote *remote);

/* The process's memory for arguments, REMOTE_ROOM_BYTES. */
uint64_t remote_room(const struct remote *remote);

/* Makes a system call there. Returns the kernel's result, -errno; -EIO if the thread is gone. */
long remote_system_call(struct remote *remote, long number, const uint64_t argument[6]);

/* Calls a function there with two arguments, of which text, if not NULL, is copied there in front and
 * its address given as the first one. 0; -1 with *error set: it crashed, or took longer than
 * timeout_ms: then `what` is named. */
int remote_function(struct remote *remote, const char *what, uint64_t function,
                    const uint64_t argument[3], unsigned timeout_ms, uint64_t *result,
                    struct error *error) MUST_CHECK;

#endif
