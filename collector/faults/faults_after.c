/* Calls that fail after their body has run: see faults_after.h. */
#include "collector/faults/faults_after.h"

#include "collector/core/base.h"

#include <stddef.h>

#define WAITING_MAX 64u

static THREAD_LOCAL struct waiting {
    uint64_t frame, key, function;
    const struct fisql_fault_rule *rule;
} waiting[WAITING_MAX];
static THREAD_LOCAL uint32_t waiting_count;

bool fault_after_room(void)
{
    return waiting_count < WAITING_MAX;
}

/* A signal handler may come in between: it puts and takes its own, and leaves ours. */
void fault_after_put(uint64_t frame, uint64_t key, uint64_t function,
                     const struct fisql_fault_rule *rule)
{
    if (waiting_count == WAITING_MAX)
        return;
    waiting[waiting_count] = (struct waiting){frame, key, function, rule};
    BARRIER();
    waiting_count++;
}

static void drop(uint32_t index)
{
    for (uint32_t i = index; i + 1 < waiting_count; i++)
        waiting[i] = waiting[i + 1];
    BARRIER();
    waiting_count--;
}

const struct fisql_fault_rule *fault_after_take(uint64_t frame, uint64_t key)
{
    for (uint32_t i = waiting_count; i-- > 0;)
        if (waiting[i].frame == frame && waiting[i].key == key) {
            const struct fisql_fault_rule *rule = waiting[i].rule;
            drop(i);
            return rule;
        }
    return NULL;
}

void fault_after_forget(uint64_t frame, uint64_t function)
{
    for (uint32_t i = waiting_count; i-- > 0;)
        if (waiting[i].frame == frame && waiting[i].function == function)
            drop(i);
}
