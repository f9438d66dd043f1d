/*
 * What hooks cost where they are called. A hook of a real program finds colder memory than one in
 * the loop of hook_cost.c. So one in some 512 is a *sample*: it reads the clock at its end, too, and
 * adds the time since its event's tick to the chunk's word `cost` (FISQL_COST_ in formats/log.h).
 * Samples come in bursts of a few hooks, one after another, of which the first does not count: the
 * sample's own code is cold for it, and cost as much as the hook.
 *
 * How a hook is chosen. Fast paths compare the chunk's units with thread.units_max. That is set to
 * where the next burst is due, or to the chunk's limit if that comes first; so choosing costs the
 * other calls nothing. The steps vary, lest they keep pace with a loop of the program.
 *
 * What is measured. The hook that trips has read its dictionary entry and its place of the shadow
 * stack before it notices, as every hook does, and its tick is older than that. So the sample counts
 * the cold lines. It counts its own way through the slow path, too, and the reading of the clock, and
 * nothing of it overlaps with the program's own instructions. Not seen are the call of the hook and
 * what it does before its tick, and what the hooks' memory displaces of the program's. How samples
 * relate to the cost of a hook is for the loader to say (loader/calls/hook_costs.h).
 *
 * A sample in which the thread was put aside tells nothing: one of over SAMPLE_NS_MAX is dropped.
 */
#ifndef FISQL_COLLECTOR_CORE_HOOK_SAMPLE_H
#define FISQL_COLLECTOR_CORE_HOOK_SAMPLE_H

#include "collector/core/chunk.h"
#include "collector/process/process.h"

/* Is the log's present limit that of a sample? */
static inline bool hook_sample_due(const struct thread_log *log)
{
    if (log == NULL)
        return false;
    uint32_t units = fisql_word_units(log->live.word), max = log->thread.units_max;
    return max != 0 && units > max && units <= units_max_of(log);
}

/* Adds what a hook took, and sets the next sample. */
void hook_sample_add(struct thread_log *log, uint64_t ticks, bool enter);
#ifdef FISQL_VALUES
/* Adds what the result took of a call whose exit was the last sample. */
void hook_sample_more(struct thread_log *log, uint64_t ticks);
#endif

#endif
