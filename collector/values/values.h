/*
 * Arguments and results of calls (`fisql record --values`): what the hooks know of it. All of it is
 * in libfisql-values.so alone, which is compiled with FISQL_VALUES; elsewhere nothing is left of it.
 *
 * There the hooks that are exported are a few instructions (values_x86_64.S, values_aarch64.S) that
 * keep the registers right below the hook's frame address (values_frame.h), and go on
 * in hooks.c. So every way through the hooks that comes to write an enter can ask for the arguments,
 * which then stand in the log behind it, committed by the same store. The object files are compiled
 * with -mgeneral-regs-only: the vector registers are as the hook found them until values_keep()
 * stores them.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_H
#define FISQL_COLLECTOR_VALUES_VALUES_H

#include "collector/core/feature.h"
#include "collector/core/thread_log.h"

#include <stdbool.h>

#ifdef FISQL_VALUES
#include "collector/values/values_frame.h"

/* Called in place of the hooks, by those that keep the registers; `stack` is the frame address, recipe
 * the word of the hook call (values_recipes.h), 0 = not known. The plain ones where there is none: no
 * register is kept then. */
void values_enter(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);
void values_exit(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);
void values_enter_plain(uint64_t function, uint64_t site, uint64_t stack);
void values_exit_plain(uint64_t function, uint64_t site, uint64_t stack, uint64_t hook_return);

/* Frame address of the hook that takes the slow path, where it has kept registers. */
extern HIDDEN THREAD_LOCAL uint64_t values_kept;

/* For the slow path. Writes the arguments of a call that is entered as an event, at most
 * VALUES_UNITS_MAX units. Returns its units, 0 where nothing is known of them. The log is busy. */
uint32_t values_arguments_kept(struct thread_log *log, uint16_t *units, uint64_t function,
                               uint64_t stack);
/* Likewise the result of a call that is left, where it is there already. */
uint32_t values_result_kept(struct thread_log *log, uint16_t *units, uint64_t function,
                            uint64_t stack);
/* An exit has just ended a call in a log whose word was then `after`: sees to it that the call's
 * result comes behind that. recipe: the hook call's. */
void values_await(struct thread_log *log, uint64_t recipe, uint64_t function, uint64_t site,
                  uint64_t stack, uint64_t after);
void values_await_kept(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                       uint64_t after);

/* The units of the event with which the log's last call was entered, arguments included. */
static inline uint32_t values_enter_units(const struct thread_log *log)
{
    return log->values.enter_units;
}
static inline void values_entered(struct thread_log *log, uint32_t units)
{
    log->values.enter_units = units;
}

extern HIDDEN const struct feature values_feature;

/* A call was entered whose hook, of this frame address, has no recipe: counts it if that is yet to come. */
void values_missed(uint64_t stack);

#else

static inline uint32_t values_arguments_kept(struct thread_log *log, uint16_t *units,
                                             uint64_t function, uint64_t stack)
{
    (void)log, (void)units, (void)function, (void)stack;
    return 0;
}
static inline uint32_t values_result_kept(struct thread_log *log, uint16_t *units,
                                          uint64_t function, uint64_t stack)
{
    (void)log, (void)units, (void)function, (void)stack;
    return 0;
}
static inline void values_await_kept(struct thread_log *log, uint64_t function, uint64_t site,
                                     uint64_t stack, uint64_t after)
{
    (void)log, (void)function, (void)site, (void)stack, (void)after;
}
static inline uint32_t values_enter_units(const struct thread_log *log)
{
    (void)log;
    return 2;
}
static inline void values_entered(struct thread_log *log, uint32_t units)
{
    (void)log, (void)units;
}

#endif

#endif
