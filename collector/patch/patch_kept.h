/*
 * Arguments, results and faults of patched functions: what the slow path gives to collector/values
 * and collector/faults, which then work as with compiled hooks. The entry's registers are as the
 * caller left them; those of the return hold the result.
 *
 * Functions that recipes or rules name have call sites of their own, by which their hooks always
 * take the slow path (patch_is_kept()). Nothing is left of this in libfisql.so.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_KEPT_H
#define FISQL_COLLECTOR_PATCH_PATCH_KEPT_H

#include "collector/core/feature.h"
#include "collector/faults/faults.h"
#include "collector/patch/patch_hook.h"
#include "collector/values/values.h"
#include "formats/live.h"

#include <stdbool.h>

/* The general registers as patch_x86_64.S saves them. */
struct patch_kept {
    uint64_t r11, r10, r9, r8, rdx, rcx, rbp, rax, rsi, rdi;
};

/* What the slow path has saved. */
struct patch_registers {
    unsigned char *state; /* of XSAVE or FXSAVE */
    struct patch_kept *kept;
};

#ifdef PATCH_KEEPS

/* The registers for values while a hook is at work. */
struct patch_values {
    struct values_patched patched, *before;
    uint64_t stack_before;
};

/* Are the function's registers wanted? It is about to be patched. */
bool patch_values_wanted(uint64_t function);
/* What to ask of fisql record besides the plan: recipes, unless they are there. */
uint32_t patch_values_asked(const char *path);
/* Takes the recipes that came with the plan. Signals are blocked. */
void patch_values_take(const struct fisql_late_module *entry, const struct feature_module *module);
/* Waits until the recipes that were asked for are there: those of libraries whose calls are recorded. */
void patch_values_wait(void);
/* Shows the registers to the recording of the call at this slot, until the end. Returns the recipe's
 * word; 0 = nothing is wanted. */
uint64_t patch_values_begin(struct patch_values *values, uint64_t function, uint64_t slot,
                            bool returns, const struct patch_registers *registers);
void patch_values_end(const struct patch_values *values);

#else

struct patch_values {
    char nothing;
};
static inline bool patch_values_wanted(uint64_t function)
{
    (void)function;
    return false;
}
static inline uint32_t patch_values_asked(const char *path)
{
    (void)path;
    return 0;
}
static inline void patch_values_take(const struct fisql_late_module *entry,
                                     const struct feature_module *module)
{
    (void)entry, (void)module;
}
static inline void patch_values_wait(void)
{
}
static inline uint64_t patch_values_begin(struct patch_values *values, uint64_t function,
                                          uint64_t slot, bool returns,
                                          const struct patch_registers *registers)
{
    (void)values, (void)function, (void)slot, (void)returns, (void)registers;
    return 0;
}
static inline void patch_values_end(const struct patch_values *values)
{
    (void)values;
}

#endif

#if defined(PATCH_KEEPS) && defined(FISQL_FAULTS)
/* Lets rules decide about a call that was just entered. Returns where its stub jumps to, 0 = it goes
 * on. */
uint64_t patch_values_strike(const struct fault_patched *call,
                             const struct patch_registers *registers);
/* The same for a call that is about to return to `back`. Returns where its return leads to instead,
 * 0 = there. */
uint64_t patch_values_leave(const struct fault_patched *call, uint64_t back,
                            const struct patch_registers *registers);
#else
static inline uint64_t patch_values_leave(const struct fault_patched *call, uint64_t back,
                                          const struct patch_registers *registers)
{
    (void)call, (void)back, (void)registers;
    return 0;
}
static inline uint64_t patch_values_strike(const struct fault_patched *call,
                                           const struct patch_registers *registers)
{
    (void)call, (void)registers;
    return 0;
}
#endif

#endif
