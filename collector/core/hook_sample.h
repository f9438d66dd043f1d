/*
 * What hooks cost in the program. A real program's hook finds colder memory than one in
 * hook_cost.c's loop. So one hook in some 512 is a *sample*: it reads the clock at its end, too,
 * and adds the time since its event's tick to the chunk's word `cost` (FISQL_COST_ in
 * formats/log.h). Samples come in bursts of a few consecutive hooks, of which the first does not
 * count: it finds the sample's own code cold, which costs as much as the hook.
 *
 * How we choose. Fast paths compare the chunk's units with live.units_max. We set that to the
 * next burst's start, or to the chunk's limit if that comes first; so choosing costs the other
 * calls nothing. The steps vary, so that they do not keep pace with a loop of the program.
 *
 * What we measure. Like every hook, a sample has read its dictionary entry and its place on the
 * shadow stack before it notices, after its tick. So it counts the cold lines. It also counts its
 * own slow path and the reading of the clock, and nothing in it overlaps the program's own
 * instructions. It misses the call of the hook, the hook's instructions before its tick, and what
 * the hooks' memory displaces of the program's. The loader decides how samples relate to a hook's
 * cost (loader/calls/hook_costs.h).
 *
 * A sample in which the thread was preempted says nothing: we drop those over SAMPLE_NS_MAX.
 */
#ifndef FISQL_COLLECTOR_CORE_HOOK_SAMPLE_H
#define FISQL_COLLECTOR_CORE_HOOK_SAMPLE_H

#include "collector/core/chunk.h"
#include "collector/process/process.h"

/* Is the log's current limit a sample's? */
static inline bool hook_sample_due(const struct thread_log *log)
{
    if (log == NULL)
        return false;
    uint32_t units = fisql_word_units(log->live.word), max = log->live.units_max;
    return max != 0 && units > max && units <= units_max_of(log);
}

/* Adds a hook's ticks and sets the next sample. */
void hook_sample_add(struct thread_log *log, uint64_t ticks, bool enter);
#ifdef FISQL_VALUES
/* Adds the ticks of the result of the call whose exit was the last sample. */
void hook_sample_more(struct thread_log *log, uint64_t ticks);
#endif

#endif
