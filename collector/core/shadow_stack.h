/*
 * The shadow stack: a thread's open calls, and which of them are gone.
 *
 * Each entry holds the address of the hook's frame at the function's entry. Stacks grow down, so a
 * function that enters above the innermost open call proves that this call is gone (longjmp, or an
 * exception that ran no exit hook). An exit must come from the frame of its entry: at or below its
 * address; or below its caller's, if the compiler made the exit hook a tail call (the hook then
 * returns to the function's own return address). Inlined functions share their caller's frame, so
 * equal addresses prove nothing. But if a longjmp or a catch has landed in that frame, a function
 * that enters there again while it seems open was left by the jump.
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

/* A signal handler's log and a forked child continue it. */
struct shadow_stack {
    struct shadow_call *calls; /* the outermost is [0]; sentinels lie below */
    uint64_t landing_stack;    /* where the last longjmp or catch landed, 0 = its frame is gone */
    uint32_t depth_logged;     /* calls deeper than this are not logged */
    uint32_t depth_max;        /* room in calls[] */
    uint32_t hidden;           /* calls open that are not in the log: --depth, or no room */
    uint32_t hidden_inherited; /* the outermost of them, open at fork: the parent counts them */
    uint32_t blind;            /* calls open for which there is no room */
    uint32_t throw_depth;      /* calls open when an exception was thrown; 0 = none under way */
    uint32_t late;             /* recording began inside open calls, whose exits do not match */
    uint32_t pinned;           /* an interrupted hook may hold an address in calls[] */
    struct stack_bounds bounds;
    void *memory;              /* the thread's private memory: see thread_memory.c */
    struct shadow_head *grown; /* holds calls[] once it has outgrown that */
};

/* How many of the innermost calls does a function that enters at `stack` prove gone? */
uint32_t shadow_calls_gone(struct thread_log *log, uint64_t function, uint64_t site,
                           uint64_t stack);
/* Which open call does this exit end? Its index, or -1. */
int64_t shadow_exit_target(const struct thread_log *log, uint64_t function, uint64_t site,
                           uint64_t stack, bool tail);

/* Ends the innermost `calls` calls, or some of them: the caller checks again. The log is busy
 * before and not after. Returns as log_leave(). */
bool shadow_unwind(struct thread_log *log, uint32_t calls);

/* A jump from `own_stack`, or a catch, lands in a frame whose hooks would have the address `stack`:
 * ends the calls that it leaves. */
void shadow_unwind_to(uint64_t stack, uint64_t own_stack);
/* Ends all open calls but the outermost `calls`. */
void shadow_unwind_above(uint32_t calls);
/* An exception is under way. */
void shadow_throw(void);

#endif
