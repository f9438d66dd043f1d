/* What hooks cost where they are called: see hook_sample.h. */
#include "collector/hook_sample.h"

#define SAMPLE_NS_MAX 2000u
#define BURST_HOOKS 5u

static void add(struct thread_log *log, uint64_t ticks, bool enter)
{
    struct fisql_cost cost = fisql_cost_unpack(log->chunk->cost);
    uint32_t *count = enter ? &cost.enters : &cost.exits;
    uint64_t *sum = enter ? &cost.enter_ticks : &cost.exit_ticks;
    ticks = (ticks + 2) & ~(uint64_t)3; /* what the word keeps */
    if (ticks >= SAMPLE_NS_MAX * process.ticks_per_us / 1000 || *count >= FISQL_COST_COUNT_MAX ||
        *sum + ticks > FISQL_COST_TICKS_MAX * 4u)
        return;
    ++*count;
    *sum += ticks;
    log->chunk->cost = fisql_cost_pack(&cost);
}

void hook_sample_add(struct thread_log *log, uint64_t ticks, bool enter)
{
    if (log->thread.sample_burst > 0)
        add(log, ticks, enter);
    if (log->thread.units_max == 0)
        return;
    if (++log->thread.sample_burst < BURST_HOOKS) {
        log_limit_set(log, fisql_word_units(log->live.word) - 1);
        return;
    }
    log->thread.sample_burst = 0;
    log_limit_next(log);
}
