/*
 * Arguments and results of calls (`fisql record --values`), as the hooks see them. Only
 * libfisql-values.so has them: it is compiled with FISQL_VALUES, elsewhere nothing is left of this.
 *
 * The hooks that it exports are a few instructions (values_x86_64.S, values_aarch64.S). They keep
 * the registers right below the hook's frame address (values_frame.h) and go on in hooks.c. So
 * every way through the hooks that writes an enter can ask for the arguments: they follow the enter
 * in the log, and the same store commits both. The object files are compiled with
 * -mgeneral-regs-only: vector registers are as the hook found them until values_keep() stores them.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_H
#define FISQL_COLLECTOR_VALUES_VALUES_H

#include "collector/core/feature.h"
#include "collector/core/thread_log.h"

#include <stdbool.h>

#ifdef FISQL_VALUES
#include "collector/values/values_frame.h"

/* The exported hooks call these instead of the hooks of hooks.c. `stack` is the frame address,
 * `recipe` the word of the hook call (values_recipes.h), 0 = not known. The plain ones are for hook
 * calls without a recipe: no register is kept. */
void values_enter(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);
void values_exit(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe);
void values_enter_plain(uint64_t function, uint64_t site, uint64_t stack);
void values_exit_plain(uint64_t function, uint64_t site, uint64_t stack, uint64_t hook_return);

/* Frame address of the hook that takes the slow path, if it has kept registers. */
extern HIDDEN THREAD_LOCAL uint64_t values_kept;

/* For the slow path. Writes the arguments of an entered call as an event of at most
 * VALUES_UNITS_MAX units. Returns its units, 0 if nothing is known of them. The log is busy. */
uint32_t values_arguments_kept(struct thread_log *log, uint16_t *units, uint64_t function,
                               uint64_t stack);
/* Writes the values at the exit of a call that ends, and the result if it is there already; else sets
 * *awaits. */
uint32_t values_result_kept(struct thread_log *log, uint16_t *units, uint64_t function,
                            uint64_t stack, bool *awaits);
/* A call has just ended; `after` is the log's word then. Arranges that its result follows. recipe:
 * the hook call's. */
void values_await(struct thread_log *log, uint64_t recipe, uint64_t function, uint64_t site,
                  uint64_t stack, uint64_t after);
void values_await_kept(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                       uint64_t after);

/* Are the callbacks of the call that has just ended to come with its result, when it returns? Not
 * if nothing arranged that the result follows. */
struct watch_leaving;
bool values_watch(const struct watch_leaving *leaving);

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

/* For the slow path: are values of the call wanted? */
static inline bool values_wanted(void)
{
    return values_kept != 0;
}

/* Counts the call of the hook with this frame address, which has no recipe, if its recipe is still
 * to come. */
void values_missed(uint64_t stack);

#else

static inline bool values_wanted(void)
{
    return false;
}

static inline uint32_t values_arguments_kept(struct thread_log *log, uint16_t *units,
                                             uint64_t function, uint64_t stack)
{
    (void)log, (void)units, (void)function, (void)stack;
    return 0;
}
static inline uint32_t values_result_kept(struct thread_log *log, uint16_t *units,
                                          uint64_t function, uint64_t stack, bool *awaits)
{
    (void)log, (void)units, (void)function, (void)stack, (void)awaits;
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
