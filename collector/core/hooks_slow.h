/* The hooks' slow path. `stack` is the hook's frame address. */
#ifndef FISQL_COLLECTOR_CORE_HOOKS_SLOW_H
#define FISQL_COLLECTOR_CORE_HOOKS_SLOW_H

#include "collector/core/count.h"
#include "collector/core/dictionary.h"
#include "collector/values/values.h"

void hook_enter_slow(uint64_t function, uint64_t site, uint64_t stack);
/* The call began at since_tick, or at the last event if that is later; 0 = now. */
void hook_enter_since(uint64_t function, uint64_t site, uint64_t stack, uint64_t since_tick);
/* tail: the compiler made the exit hook a tail call of the ending function. */
void hook_exit_slow(uint64_t function, uint64_t site, uint64_t stack, bool tail);

/* Is the innermost call, ending at `tick`, a leaf (its enter is last) below --min-duration? */
static inline bool hook_short_leaf(struct thread_log *log, uint64_t word, uint64_t tick)
{
    const struct shadow_call *call = &log->shadow.calls[(int64_t)fisql_word_depth(word) - 1];
    uint32_t units = fisql_word_units(word), enter_units = values_enter_units(log);
    if (tick - call->tick >= log->thread.min_ticks || units < log->min_units + enter_units ||
        units == log->other_units || log->live.last_tick[fisql_word_toggle(word)] != call->tick)
        return false;
    uint32_t code = log_units(log, units - enter_units)[0];
    uint32_t slot = (code >> 1) - FISQL_CODE_ENTER;
    return (code & 1) != 0 && slot < DICTIONARY_ENTRIES &&
           pair_is(log, slot, call->function, call->site);
}
/* Counts that call. Returns as count_call(). */
bool hook_exit_short(struct thread_log *log, uint64_t tick);

#endif
