/* See hook_sample.h. */
#include "collector/core/hook_sample.h"

#include "collector/core/control.h"

#ifdef FISQL_VALUES
#define SAMPLE_NS_MAX 20000u /* they read memory, perhaps by several system calls */
#else
#define SAMPLE_NS_MAX 2000u
#endif
#define BURST_HOOKS 5u

static void add(struct thread_log *log, uint64_t ticks, bool enter)
{
    struct fisql_cost cost = fisql_cost_unpack(log->chunk->cost);
    uint32_t *count = enter ? &cost.enters : &cost.exits;
    uint64_t *sum = enter ? &cost.enter_ticks : &cost.exit_ticks;
    ticks = (ticks + 2) & ~(uint64_t)3; /* the word's precision */
    if (ticks >= SAMPLE_NS_MAX * process.ticks_per_us / 1000 || *count >= FISQL_COST_COUNT_MAX ||
        *sum + ticks > FISQL_COST_TICKS_MAX * 4u)
        return;
    ++*count;
    *sum += ticks;
    log->chunk->cost = fisql_cost_pack(&cost);
#ifdef FISQL_VALUES
    log->values.sampled_word = enter ? 0 : log->live.word;
#endif
}

#ifdef FISQL_VALUES
void hook_sample_more(struct thread_log *log, uint64_t ticks)
{
    struct fisql_cost cost = fisql_cost_unpack(log->chunk->cost);
    cost.exit_ticks += ticks;
    log->chunk->cost = fisql_cost_pack(&cost);
}
#endif

void hook_sample_add(struct thread_log *log, uint64_t ticks, bool enter)
{
    if (log->thread.sample_burst > 0)
        add(log, ticks, enter);
    if (log->live.units_max == 0)
        return;
    if (UNLIKELY(control_asked())) {
        log_limit_set(log, 0); /* the next hook does it: log_maintain() */
        return;
    }
    if (++log->thread.sample_burst < BURST_HOOKS) {
        log_limit_set(log, fisql_word_units(log->live.word) - 1);
        return;
    }
    log->thread.sample_burst = 0;
    log_limit_next(log);
}
