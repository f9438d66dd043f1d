/*
 * Functions whose calls the program itself wants to hear of: it has callbacks for them
 * (fisql_on_call(), collector/calls/).
 *
 * A table has the callbacks of each function. The hooks' fast path does not look there: while a
 * process has callbacks, the fork mark keeps all its hooks off that path (FORK_MARK_WATCHED), so
 * that those of other processes pay nothing.
 *
 * When a call of such a function was recorded, begin or end, its hook calls the callbacks. While
 * they run, collector_inside is set: what they call and allocate is not recorded, and no callback
 * interrupts another one in the same thread.
 */
#ifndef FISQL_COLLECTOR_CORE_WATCH_H
#define FISQL_COLLECTOR_CORE_WATCH_H

#include "collector/core/quiet.h"
#include "collector/process/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WATCH_CALLBACKS_MAX 64u

/* A call that has just begun or ended. */
struct watched {
    uint64_t callbacks; /* a bit for each */
    uint64_t function, site;
    uint32_t depth;        /* calls open around it */
    uint32_t tid;          /* of its thread */
    bool ends;             /* it has ended: */
    bool unwound;          /* by an exception */
    unsigned char *values; /* its arguments, or its result, as in the log; the callee may change */
    uint32_t values_bytes; /* ... them and one byte more; 0 = none are known */
};

/* A place of the table. A function stays there, perhaps without callbacks. */
struct watch_place {
    uint64_t function;  /* atomic; 0 = the place is free */
    uint64_t callbacks; /* atomic */
};
struct watch_table {
    uint64_t places; /* a power of two, at most half of them taken */
    uint64_t taken;
    struct watch_place at[];
};
extern HIDDEN struct watch_table *watch_table; /* atomic; NULL = no function was ever watched */

static inline uint64_t watch_place_of(const struct watch_table *table, uint64_t function)
{
    return (function * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->places - 1);
}

/* The callbacks of a function. */
static inline __attribute__((always_inline)) uint64_t watch_callbacks(uint64_t function)
{
    const struct watch_table *table = __atomic_load_n(&watch_table, __ATOMIC_ACQUIRE);
    if (table == NULL)
        return 0;
    for (uint64_t i = watch_place_of(table, function);; i = (i + 1) & (table->places - 1)) {
        uint64_t found = __atomic_load_n(&table->at[i].function, __ATOMIC_ACQUIRE);
        if (found == function)
            return __atomic_load_n(&table->at[i].callbacks, __ATOMIC_RELAXED);
        if (found == 0)
            return 0;
    }
}

/* Has the process callbacks? Then hooks do what follows here. */
static inline bool watch_on(void)
{
    return UNLIKELY(__atomic_load_n(&process.watched, __ATOMIC_RELAXED) != 0);
}

/* ---- for hooks ---- */

/* A hook has recorded the begin of a call. recipe: the hook call's, 0 = none. Keeps errno. */
void watch_entered(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);

/* A call whose end is about to be recorded. */
struct watch_leaving {
    uint64_t callbacks; /* 0 = nothing to do */
    uint64_t function, site;
    uint32_t depth;
    bool unwound;
};
void watch_leaves(struct watch_leaving *leaving, uint64_t function, uint64_t site, uint64_t stack,
                  bool tail);
/* The hook has recorded what it could. Keeps errno. */
void watch_left(const struct watch_leaving *leaving, uint64_t stack, uint64_t recipe);

/* Calls the callbacks for the end of a call whose hook left that for later (values_watch()): values
 * are its result, as in struct watched. Keeps errno, but no vector register. */
void watch_left_later(const struct watch_leaving *leaving, unsigned char *values,
                      uint32_t values_bytes);

/* The frame of the callbacks at work in this thread; 0 = none are. */
extern HIDDEN THREAD_LOCAL uint64_t watch_frame;
/* A jump or a catch lands in a frame whose hooks would have the address `stack`. Callbacks must not
 * be left so, but then the thread is at least recorded again. */
void watch_abandoned(void);
static inline void watch_jumps(uint64_t stack)
{
    if (UNLIKELY(watch_frame != 0) && stack >= watch_frame)
        watch_abandoned();
}

/* ---- for collector/calls/; signals are blocked ---- */

/* Adds callbacks to functions. False if there is no memory. */
bool watch_add(const uint64_t *functions, size_t count, uint64_t bias, uint64_t callbacks);
/* Takes these callbacks away from all functions. */
void watch_remove(uint64_t callbacks);
/* The module whose functions lay there is gone. */
void watch_forget(uint64_t start, uint64_t end);
/* Has the process callbacks from now on? */
void watch_set(bool on);
/* In a forked child. */
void watch_forked(void);

#endif
