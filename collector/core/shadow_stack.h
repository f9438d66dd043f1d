/*
 * The shadow stack: the calls that are open in a thread, and which of them are gone.
 *
 * How it is checked. Each entry holds the address of the hook's frame when the function was
 * entered. Stacks grow down, so a function that enters above the innermost open call proves that
 * this call is gone (longjmp, an exception that ran no exit hook), and an exit must come from the
 * frame it entered in: at or below its address, or, where the compiler made the exit hook a tail
 * call (the hook then returns to the function's own return address), below its caller's. Inlined
 * functions share their caller's frame, so equal addresses prove nothing; but where a longjmp or a
 * catch has landed in that frame, a function that is entered there again while it seems open there
 * was left by the jump.
 */
#ifndef FISQL_COLLECTOR_CORE_SHADOW_STACK_H
#define FISQL_COLLECTOR_CORE_SHADOW_STACK_H

#include "collector/core/stack.h"

struct shadow_head;
struct thread_log;

/* Entries below the outermost call, so that hooks need no test for it. */
#define SHADOW_SENTINELS 2u
#define SHADOW_DEPTH_MAX 0x7ffff0u

struct shadow_call {
    uint64_t function;
    uint64_t site;
    uint64_t stack; /* address of the hook's frame at entry */
    uint64_t tick;
};

/* It goes on in the log of a signal handler's hooks, and in a forked child. */
struct shadow_stack {
    struct shadow_call *calls; /* the outermost is [0]; sentinels lie below */
    uint64_t landing_stack;    /* where the last longjmp or catch landed, 0 = its frame is gone */
    uint32_t depth_logged;     /* calls deeper than this are not logged */
    uint32_t depth_max;        /* room in calls[] */
    uint32_t hidden;           /* calls open that are not in the log: --depth, or no room */
    uint32_t hidden_inherited; /* the outermost of them were open at fork: the parent counts them */
    uint32_t blind;            /* calls open for which there is no room */
    uint32_t throw_depth;      /* calls open when an exception was thrown; 0 = none under way */
    uint32_t late;             /* recording began inside open calls: unmatched exits are theirs */
    uint32_t pinned;           /* an interrupted hook may hold an address in calls[] */
    struct stack_bounds bounds;
    void *memory;              /* the thread's private memory: see thread_memory.c */
    struct shadow_head *grown; /* where calls[] lies when it has outgrown that */
};

/* How many of the innermost calls are proven gone by a function that enters at `stack`? */
uint32_t shadow_calls_gone(struct thread_log *log, uint64_t function, uint64_t site,
                           uint64_t stack);
/* Which open call does this exit end? Its index, or -1. */
int64_t shadow_exit_target(const struct thread_log *log, uint64_t function, uint64_t site,
                           uint64_t stack, bool tail);

/* Ends the innermost `calls` calls at once, or some of them: the caller looks again. The log is
 * busy before and not after. Returns as log_leave(). */
bool shadow_unwind(struct thread_log *log, uint32_t calls);

/* A jump from `own_stack`, or a catch, lands in a frame whose hooks would stand at `stack`: ends
 * what it leaves. */
void shadow_unwind_to(uint64_t stack, uint64_t own_stack);
/* Ends the calls that are open beyond the outermost `calls`. */
void shadow_unwind_above(uint32_t calls);
/* An exception is under way. */
void shadow_throw(void);

#endif
