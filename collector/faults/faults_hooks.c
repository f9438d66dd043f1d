/* Hook calls that rules name: see faults_hooks.h. */
#include "collector/faults/faults_hooks.h"

#include "collector/faults/faults.h"

#include <stddef.h>

struct fault_hook *fault_hooks;

void fault_hook_put(const struct fisql_fault_hook *hook, uint64_t bias)
{
    uint64_t address = hook->address + bias;
    for (uint32_t step = 0; step < FAULT_HOOK_PLACES; step++) {
        struct fault_hook *place = &fault_hooks[(address + step) % FAULT_HOOK_PLACES];
        if (place->address != 0 && place->address != address)
            continue;
        place->bias = bias;
        place->what = hook;
        __atomic_store_n(&place->address, address, __ATOMIC_RELEASE);
        break;
    }
}

const struct fault_hook *fault_hook_at(uint64_t address)
{
    for (uint32_t step = 0; step < FAULT_HOOK_PLACES; step++) {
        const struct fault_hook *place = &fault_hooks[(address + step) % FAULT_HOOK_PLACES];
        uint64_t found = __atomic_load_n(&place->address, __ATOMIC_ACQUIRE);
        if (found == address)
            return place;
        if (found == 0)
            break;
    }
    return NULL;
}

bool faults_name(uint64_t address)
{
    return fault_hooks != NULL && fault_hook_at(address) != NULL;
}
