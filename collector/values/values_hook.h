/* The hooks' fast path with recipes: see values.h. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_HOOK_H
#define FISQL_COLLECTOR_VALUES_VALUES_HOOK_H

#include "collector/values/values.h"

#ifdef FISQL_VALUES
#include "collector/values/values_capture.h"
#include "collector/values/values_exit.h"
#include "collector/values/values_lookup.h"

#include <errno.h>

/* Completes an event of `bytes` bytes of values, which lie behind its first unit. */
static inline uint32_t values_event(uint16_t *units, uint32_t bytes, uint32_t code,
                                    uint32_t code_short)
{
    unsigned char *values = (unsigned char *)(units + 1);
    if (bytes == 1) {
        units[0] = (uint16_t)((code_short + values[0]) << 1 | 1u);
        return 1;
    }
    units[0] = (uint16_t)((code + bytes) << 1 | 1u);
    values[bytes] = 0;
    return 1 + (bytes + 1) / 2;
}

/* Puts errno, if it is not 0, behind a result that reports a failure (-1, NULL). */
static inline void values_failure(struct value_writer *writer, const unsigned char *result)
{
    if (LIKELY(*result != FISQL_VALUE_INTEGER_BASE - 1 && *result != FISQL_VALUE_NULL))
        return;
    int error = errno;
    if (error != 0 && value_room(writer) >= VALUE_SCALAR_BYTES)
        value_put_signed(writer, error);
}

/* The registers of the hook with this recipe word. */
static inline const struct values_frame *values_frame_by(uint64_t word, uint64_t stack)
{
    return UNLIKELY((word & RECIPE_PATCHED) != 0) ? &values_patched->frame : values_frame(stack);
}

/* Puts an argument that is not a number in a word. Returns its end. */
unsigned char *values_argument(struct thread_log *log, struct value_writer writer,
                               const struct recipe *recipe, uint32_t index, uint64_t stack);

/* Writes the arguments of an entered call as an event. Returns its units, 0 if nothing is known of
 * them. The log is busy. */
static inline uint32_t values_arguments(struct thread_log *log, uint16_t *units, uint64_t word,
                                        uint64_t function, uint64_t stack)
{
    const struct values_frame *frame = values_frame_by(word, stack);
    const struct recipe *recipe = recipe_of(word, frame->hook_return, function);
    if (UNLIKELY(recipe == NULL || recipe->exit))
        return 0;
    uint32_t count = recipe->count;
    unsigned char *into = (unsigned char *)(units + 1);
    struct value_writer writer = {.at = into, .limit = into + FISQL_VALUES_BYTES_MAX + 1 - count};
    for (uint32_t i = 0; i < count; i++) {
        if (UNLIKELY(!capture_number(&writer, frame->general, &recipe->numbers[i])))
            writer.at = values_argument(log, writer, recipe, i, stack);
        writer.limit++; /* one byte was reserved for each argument to come */
    }
    return values_event(units, (uint32_t)(writer.at - into), FISQL_CODE_ARGUMENTS,
                        FISQL_CODE_ARGUMENTS_SHORT);
}

/* Writes the values at the exit of a call that ends, which it has kept words for. Returns their
 * units, 0 if it has not. registers: the hook has kept them. The log is busy. */
uint32_t values_at_exit(struct thread_log *log, uint16_t *units, uint64_t stack, bool registers);

/* The recipe word for the exit of a call whose hook keeps no registers. */
static inline uint64_t values_plain(void)
{
    return UNLIKELY(kept_own != NULL) ? RECIPE_PLAIN : 0;
}

/* Writes the result of a call that ends, if it is there already. Returns its units. *awaits: it
 * comes later (values_await()). The log is busy. */
static inline uint32_t values_result_there(struct thread_log *log, uint16_t *units, uint64_t word,
                                           uint64_t function, uint64_t stack, bool *awaits)
{
    const struct values_frame *frame = values_frame_by(word, stack);
    const struct recipe *recipe = recipe_of(word, frame->hook_return, function);
    if (recipe == NULL)
        return 0;
    *awaits = recipe->at_hook == RECIPE_COMES;
    if (recipe->at_hook != RECIPE_THERE)
        return 0;
    unsigned char *into = (unsigned char *)(units + 1);
    struct value_writer writer = {.at = into, .limit = into + FISQL_VALUES_BYTES_MAX};
    if (UNLIKELY(!capture_number(&writer, frame->general, &recipe->numbers[0])))
        writer.at = values_argument(log, writer, recipe, 0, stack);
    values_failure(&writer, into);
    return values_event(units, (uint32_t)(writer.at - into), FISQL_CODE_RESULT,
                        FISQL_CODE_RESULT_SHORT);
}

/* Writes what a call that ends leaves: values at its exit, and its result as above. */
static inline uint32_t values_result(struct thread_log *log, uint16_t *units, uint64_t word,
                                     uint64_t function, uint64_t stack, bool *awaits)
{
    uint32_t left = 0;
    if (UNLIKELY(kept_own != NULL))
        left = values_at_exit(log, units, stack, (word & RECIPE_PLAIN) == 0);
    if (UNLIKELY((word & RECIPE_PLAIN) != 0))
        return left;
    return left + values_result_there(log, units + left, word, function, stack, awaits);
}

#else
/* No hook has a recipe: nobody calls these. */
static inline uint64_t values_plain(void)
{
    return 0;
}
static inline uint32_t values_arguments(struct thread_log *log, uint16_t *units, uint64_t recipe,
                                        uint64_t function, uint64_t stack)
{
    (void)log, (void)units, (void)recipe, (void)function, (void)stack;
    return 0;
}
static inline uint32_t values_result(struct thread_log *log, uint16_t *units, uint64_t recipe,
                                     uint64_t function, uint64_t stack, bool *awaits)
{
    (void)log, (void)units, (void)recipe, (void)function, (void)stack, (void)awaits;
    return 0;
}
static inline void values_await(struct thread_log *log, uint64_t recipe, uint64_t function,
                                uint64_t site, uint64_t stack, uint64_t after)
{
    (void)log, (void)recipe, (void)function, (void)site, (void)stack, (void)after;
}
#endif

#endif
