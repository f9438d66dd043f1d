/*
 * The operators new and delete, interposed.
 *
 * An operator new usually gets its memory from malloc, which we interpose, too: we must not record
 * one block twice, nor as malloc's. But not every allocation inside an operator new is its result:
 * a new-handler runs when malloc fails, allocates what it likes, throws or jumps out; a program's
 * own operator may keep records, put a header before the block, or cut blocks from a pool. So only
 * the returned block counts. We hold back an allocation that may become the result until the
 * operator returns, and record it then: as new if the operator returned it, else as what it was. An
 * allocation by functions with hooks that the operator called (a handler, a signal handler) cannot
 * wait, because it would appear in the wrong call: we record it at once. (If the operator itself
 * has hooks, its own allocations may appear in a call further out; address, size and kind are
 * right.)
 *
 * Operators call one another (new[] calls new) and a handler may use new itself, so each operator
 * at work has a frame in thread-local memory. An operator left by longjmp or an exception never
 * returns: we drop its frame when we see the jump or the catch, or when the frame proves to be
 * gone.
 *
 * We record a delete before it happens, and not the free() of its block inside it.
 */
#include "collector/memory/operators.h"

#include "collector/memory/alloc.h"
#include "collector/memory/freed_twice.h"
#include "collector/faults/faults.h"
#include "collector/core/stack.h"
#include "collector/core/thread_log.h"
#include "collector/core/true_return.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 8u /* operators deeper inside one another share the last frame */

struct operator_frame {
    uint64_t stack;        /* of our function's frame: identifies the call. 0 = unused or being set
                            * up: a signal handler then holds nothing back in it */
    uint64_t real, own;    /* the real operator; ours, which its hooks may name */
    uint64_t caller_stack; /* the innermost open call at its start: */
    uint64_t caller_tick;
    uint32_t open; /* calls open at its start */
    unsigned kind; /* of the allocation held back, if any: */
    void *block;
    size_t block_bytes, wanted_bytes;
    uint64_t site;
    const void *recorded; /* the last allocation inside recorded at once */
};

THREAD_LOCAL uint32_t operators_open;
THREAD_LOCAL const void *operators_deleting;
static THREAD_LOCAL struct operator_frame frames[FRAMES_MAX];

/* Takes the block that a frame holds back, once: a signal handler may be taking it, too. */
static void *frame_take(struct operator_frame *frame)
{
    return frame->block != NULL ? __atomic_exchange_n(&frame->block, NULL, __ATOMIC_RELAXED) : NULL;
}

/* Drops the innermost frame. Its held-back block becomes an allocation of the next frame out. */
static void frame_drop(uint64_t stack)
{
    struct operator_frame *frame = &frames[operators_open - 1];
    unsigned kind = frame->kind;
    size_t size_bytes = frame->block_bytes;
    uint64_t site = frame->site;
    void *block = frame_take(frame);
    frame->stack = 0;
    BARRIER();
    operators_open--;
    if (block != NULL)
        alloc_made(block, kind, size_bytes, site, stack);
}

/* Reads an open call. The log is busy meanwhile: signal handlers' hooks leave its stack alone. */
static struct shadow_call call_at(struct thread_log *log, uint32_t depth, uint64_t stack)
{
    uint64_t busy = log->busy;
    if (busy == 0)
        log->busy = stack;
    BARRIER();
    struct shadow_call call = log->shadow.calls[depth];
    BARRIER();
    if (busy == 0)
        log->busy = 0;
    return call;
}

/* Is the operator still at work, judged from a function that it may have called? */
static bool frame_alive(const struct operator_frame *frame, uint64_t stack)
{
    struct thread_log *log = current_log;
    if (log == NULL || frame->stack == 0)
        return true;
    if (calls_open(log) < frame->open)
        return false;
    if (frame->open != 0) {
        struct shadow_call caller = call_at(log, frame->open - 1, stack);
        if (caller.stack != frame->caller_stack || caller.tick != frame->caller_tick)
            return false;
    }
    return stack < frame->stack || !stack_is_one(&log->shadow.bounds, stack, frame->stack);
}

/* Drops the frames of operators that are gone. */
static void frames_check(uint64_t stack)
{
    while (operators_open != 0 && !frame_alive(&frames[operators_open - 1], stack))
        frame_drop(stack);
}

/* Has the operator called functions with hooks that are still open? It may have hooks itself. */
static bool called_on(const struct operator_frame *frame, uint64_t stack)
{
    struct thread_log *log = current_log;
    if (log == NULL || calls_open(log) <= frame->open)
        return false;
    uint64_t function = call_at(log, frame->open, stack).function;
    return function != frame->real && function != frame->own;
}

bool operators_hold(void *block, unsigned kind, size_t size_bytes, uint64_t site, uint64_t stack)
{
    frames_check(stack);
    if (operators_open == 0 || frames[operators_open - 1].stack == 0)
        return false;
    struct operator_frame *frame = &frames[operators_open - 1];
    if (size_bytes < frame->wanted_bytes || called_on(frame, stack)) {
        frame->recorded = block;
        return false;
    }
    if (block == frame->recorded)
        return true;
    void *before = frame_take(frame);
    if (before != NULL && before != block)
        record_alloc(frame->kind, (uint64_t)(uintptr_t)before, frame->block_bytes, frame->site);
    frame->kind = kind;
    frame->block_bytes = size_bytes;
    frame->site = site;
    BARRIER();
    frame->block = block;
    return true;
}

void operators_freed(const void *block)
{
    for (uint32_t i = operators_open; i-- > 0;) {
        struct operator_frame *frame = &frames[i];
        if (frame->recorded == block)
            frame->recorded = NULL;
        if (frame->block != block)
            continue;
        frame->block = NULL;
        record_alloc(frame->kind, (uint64_t)(uintptr_t)block, frame->block_bytes, frame->site);
    }
}

void operators_recorded(const void *block)
{
    frames[operators_open - 1].recorded = block;
}

void operators_unwound(uint64_t stack)
{
    while (operators_open != 0 && frames[operators_open - 1].stack != 0 &&
           frames[operators_open - 1].stack <= stack &&
           (current_log == NULL ||
            stack_is_one(&current_log->shadow.bounds, frames[operators_open - 1].stack, stack)))
        frame_drop(stack);
}

/* ---- new ---- */

/* Returns whether the operator has a frame now. */
static bool new_begin(uint64_t real, uint64_t own, size_t size_bytes, uint64_t stack)
{
    if (!alloc_recording())
        return false;
    if (operators_open != 0)
        frames_check(stack);
    if (operators_open == FRAMES_MAX)
        return false;
    struct thread_log *log = current_log;
    uint32_t open = log != NULL ? calls_open(log) : 0;
    struct shadow_call caller = {0};
    if (open != 0)
        caller = call_at(log, open - 1, stack);
    struct operator_frame *frame = &frames[operators_open++];
    BARRIER();
    frame->real = real;
    frame->own = own;
    frame->open = open;
    frame->caller_stack = caller.stack;
    frame->caller_tick = caller.tick;
    frame->wanted_bytes = size_bytes;
    frame->block = NULL;
    frame->recorded = NULL;
    BARRIER();
    frame->stack = stack;
    return true;
}

static void new_end(void *block, unsigned kind, size_t size_bytes, uint64_t site, uint64_t stack)
{
    uint32_t at = operators_open;
    while (at != 0 && frames[at - 1].stack != stack)
        at--;
    if (at == 0)
        return; /* we thought it gone, and recorded its block as malloc's */
    struct operator_frame *frame = &frames[at - 1];
    while (operators_open > at)
        frame_drop(stack);
    if (block == frame->recorded)
        block = NULL;
    if (block != NULL && block == frame->block) {
        size_bytes = frame->block_bytes;
        frame->block = NULL;
    }
    frame_drop(stack);
    alloc_made(block, kind, size_bytes, site, stack);
}

/* libstdc++ calls it when memory is exhausted; absent in C programs. */
extern void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));

#ifdef FISQL_STATIC
void *ALLOC_NAME(malloc)(size_t size);
void *ALLOC_NAME(memalign)(size_t alignment, size_t size);
void ALLOC_NAME(free)(void *block);
#endif

static void *new_without_library(size_t size, size_t alignment, bool nothrow)
{
    void *block = alignment != 0 ? ALLOC_NAME(memalign)(alignment, size)
                                 : ALLOC_NAME(malloc)(size != 0 ? size : 1);
    if (block == NULL && !nothrow) {
        if (throw_bad_alloc != NULL)
            throw_bad_alloc();
        abort();
    }
    return block;
}

/* We look the real operator up at its first use, because C programs have none. */
#ifdef FISQL_STATIC
#define SYMBOL(symbol) "__wrap_" symbol
#define REAL_OPERATOR(type, function, symbol, parameters)                                          \
    extern type function##_real parameters __asm__("__real_" symbol) __attribute__((weak));
#define FIND_OPERATOR(next, function, symbol) next = function##_real
#else
#define SYMBOL(symbol) symbol
#define REAL_OPERATOR(type, function, symbol, parameters)
#define FIND_OPERATOR(next, function, symbol) quiet_find(&next, symbol)
#endif

#define OWN_STACK FRAME_ADDRESS()
#define OWN_SITE CALL_SITE()

/* Each operator: linker name, parameters (at most three words, passed on), kind. */
#define NEW(function, symbol, kind, parameters, arguments, alignment, nothrow)                     \
    REAL_OPERATOR(void *, function, symbol, parameters)                                            \
    EXPORT void *function parameters __asm__(SYMBOL(symbol));                                      \
    EXPORT void *function parameters                                                               \
    {                                                                                              \
        static void *(*next)parameters;                                                            \
        if (UNLIKELY(next == NULL))                                                                \
            FIND_OPERATOR(next, function, symbol);                                                 \
        if (operators_open == 0 &&                                                                 \
            fault_alloc(kind, size, alignment, OWN_SITE, OWN_STACK, !(nothrow)))                   \
            return NULL;                                                                           \
        bool framed =                                                                              \
            new_begin((uint64_t)(uintptr_t)next, (uint64_t)(uintptr_t)function, size, OWN_STACK);  \
        void *block =                                                                              \
            next != NULL ? next arguments : new_without_library(size, alignment, nothrow);         \
        if (LIKELY(framed))                                                                        \
            new_end(block, kind, size, OWN_SITE, OWN_STACK);                                       \
        else                                                                                       \
            alloc_made(block, kind, size, OWN_SITE, OWN_STACK);                                    \
        return block;                                                                              \
    }

NEW(new_plain, "_Znwm", FISQL_KIND_NEW, (size_t size), (size), 0, false)
NEW(new_array, "_Znam", FISQL_KIND_NEW_ARRAY, (size_t size), (size), 0, false)
NEW(new_nothrow, "_ZnwmRKSt9nothrow_t", FISQL_KIND_NEW, (size_t size, const void *tag), (size, tag),
    0, true)
NEW(new_array_nothrow, "_ZnamRKSt9nothrow_t", FISQL_KIND_NEW_ARRAY, (size_t size, const void *tag),
    (size, tag), 0, true)
NEW(new_aligned, "_ZnwmSt11align_val_t", FISQL_KIND_NEW_ALIGNED, (size_t size, size_t alignment),
    (size, alignment), alignment, false)
NEW(new_array_aligned, "_ZnamSt11align_val_t", FISQL_KIND_NEW_ARRAY_ALIGNED,
    (size_t size, size_t alignment), (size, alignment), alignment, false)
NEW(new_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t", FISQL_KIND_NEW_ALIGNED,
    (size_t size, size_t alignment, const void *tag), (size, alignment, tag), alignment, true)
NEW(new_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t", FISQL_KIND_NEW_ARRAY_ALIGNED,
    (size_t size, size_t alignment, const void *tag), (size, alignment, tag), alignment, true)

/* ---- delete ---- */

/* What a delete needs at its end. */
struct deleting {
    const void *outer; /* the block of the delete around it */
    bool first;        /* no other form of delete called this one */
    bool told;         /* a double free was reported */
};

/* Records a delete, but not again if this form calls another. */
static struct deleting delete_begin(const void *block, unsigned kind, uint64_t site, uint64_t stack)
{
    struct deleting deleting = {operators_deleting, operators_deleting != block, false};
    if (!deleting.first)
        return deleting;
    if (alloc_recording()) {
        if (UNLIKELY(operators_open != 0))
            operators_freed(block);
        record_free(kind, (uint64_t)(uintptr_t)block, site);
        deleting.told =
            UNLIKELY(freed_twice_was_freed(block)) && freed_twice_tell(block, site, stack);
    }
    operators_deleting = block;
    return deleting;
}

static void delete_end(const struct deleting *deleting)
{
    if (deleting->first)
        operators_deleting = deleting->outer;
    if (UNLIKELY(deleting->told))
        freed_twice_over();
}

#define DELETE(function, symbol, kind, parameters, arguments)                                      \
    REAL_OPERATOR(void, function, symbol, parameters)                                              \
    EXPORT void function parameters __asm__(SYMBOL(symbol));                                       \
    EXPORT void function parameters                                                                \
    {                                                                                              \
        static void(*next) parameters;                                                             \
        if (block == NULL)                                                                         \
            return;                                                                                \
        if (UNLIKELY(next == NULL))                                                                \
            FIND_OPERATOR(next, function, symbol);                                                 \
        struct deleting deleting = delete_begin(block, kind, OWN_SITE, OWN_STACK);                 \
        if (next != NULL)                                                                          \
            next arguments;                                                                        \
        else                                                                                       \
            ALLOC_NAME(free)(block);                                                               \
        delete_end(&deleting);                                                                     \
    }

DELETE(delete_plain, "_ZdlPv", FISQL_KIND_DELETE, (void *block), (block))
DELETE(delete_array, "_ZdaPv", FISQL_KIND_DELETE_ARRAY, (void *block), (block))
DELETE(delete_sized, "_ZdlPvm", FISQL_KIND_DELETE_SIZED, (void *block, size_t size), (block, size))
DELETE(delete_array_sized, "_ZdaPvm", FISQL_KIND_DELETE_ARRAY_SIZED, (void *block, size_t size),
       (block, size))
DELETE(delete_nothrow, "_ZdlPvRKSt9nothrow_t", FISQL_KIND_DELETE, (void *block, const void *tag),
       (block, tag))
DELETE(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t", FISQL_KIND_DELETE_ARRAY,
       (void *block, const void *tag), (block, tag))
DELETE(delete_aligned, "_ZdlPvSt11align_val_t", FISQL_KIND_DELETE_ALIGNED,
       (void *block, size_t alignment), (block, alignment))
DELETE(delete_array_aligned, "_ZdaPvSt11align_val_t", FISQL_KIND_DELETE_ARRAY_ALIGNED,
       (void *block, size_t alignment), (block, alignment))
DELETE(delete_sized_aligned, "_ZdlPvmSt11align_val_t", FISQL_KIND_DELETE_ALIGNED,
       (void *block, size_t size, size_t alignment), (block, size, alignment))
DELETE(delete_array_sized_aligned, "_ZdaPvmSt11align_val_t", FISQL_KIND_DELETE_ARRAY_ALIGNED,
       (void *block, size_t size, size_t alignment), (block, size, alignment))
DELETE(delete_aligned_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t", FISQL_KIND_DELETE_ALIGNED,
       (void *block, size_t alignment, const void *tag), (block, alignment, tag))
DELETE(delete_array_aligned_nothrow, "_ZdaPvSt11align_val_tRKSt9nothrow_t",
       FISQL_KIND_DELETE_ARRAY_ALIGNED, (void *block, size_t alignment, const void *tag),
       (block, alignment, tag))
