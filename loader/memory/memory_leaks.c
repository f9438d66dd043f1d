/* What leaks in a thread: see memory_leaks.h. */
#include "loader/memory/memory_leaks.h"

#include <stdlib.h>

#include "base/array.h"

int memory_leaks_add(struct memory_leaks *leaks, uint32_t depth, int64_t bytes, struct error *error)
{
    if (depth == 0)
        return 0;
    if (leaks->watch.depth != depth) {
        if (array_reserve(&leaks->nets, &leaks->nets_capacity, leaks->nets_count + 1, error) < 0)
            return -1;
        leaks->nets[leaks->nets_count++] = (struct memory_net){.depth = depth};
        leaks->watch.depth = depth;
    }
    struct memory_net *net = &leaks->nets[leaks->nets_count - 1];
    net->bytes = (int64_t)((uint64_t)net->bytes + (uint64_t)bytes);
    return 0;
}

static int add_leak(struct memory_leaks *leaks, const struct memory_open_call *call, uint64_t bytes,
                    struct error *error)
{
    uint32_t index;
    if (intern_add(&leaks->functions, call->function_id, 0, &index, error) < 0 ||
        array_reach(&leaks->leaks, &leaks->leaks_capacity, index, error) < 0)
        return -1;
    struct memory_leak *leak = &leaks->leaks[index];
    leak->calls++;
    leak->bytes += bytes;
    if (bytes > leak->worst_bytes ||
        (bytes == leak->worst_bytes && call->call_id < leak->worst_call)) {
        leak->worst_bytes = bytes;
        leak->worst_call = call->call_id;
    }
    return 0;
}

int memory_leaks_exit(struct memory_leaks *leaks, const struct memory_open_call *call,
                      bool finished, struct error *error)
{
    if (leaks->nets_count == 0)
        return 0;
    struct memory_net net = leaks->nets[--leaks->nets_count];
    leaks->watch.depth = leaks->nets_count > 0 ? leaks->nets[leaks->nets_count - 1].depth : 0;
    /* There is room where this net was. */
    if (net.bytes != 0)
        memory_leaks_add(leaks, net.depth - 1, net.bytes, NULL);
    return finished && net.bytes > 0 ? add_leak(leaks, call, (uint64_t)net.bytes, error) : 0;
}

int memory_leaks_merge(const struct memory_leaks *leaks, struct memory_sums *sums,
                       struct error *error)
{
    for (uint32_t i = 0; i < leaks->functions.count; i++) {
        const struct memory_leak *leak = &leaks->leaks[i];
        uint32_t id = (uint32_t)leaks->functions.keys[i].a;
        if (memory_sums_reach_function(sums, id, error) < 0)
            return -1;
        struct memory_function *function = &sums->functions[id];
        function->leaking_calls += leak->calls;
        function->leaked_bytes += leak->bytes;
        if (leak->worst_bytes > function->worst_leak_bytes ||
            (leak->worst_bytes == function->worst_leak_bytes &&
             leak->worst_call < function->worst_leak_call_id)) {
            function->worst_leak_bytes = leak->worst_bytes;
            function->worst_leak_call_id = leak->worst_call;
        }
    }
    return 0;
}

void memory_leaks_trim(struct memory_leaks *leaks)
{
    free(leaks->nets);
    leaks->nets = NULL;
    leaks->nets_count = leaks->nets_capacity = 0;
    leaks->watch.depth = 0;
}

void memory_leaks_release(struct memory_leaks *leaks)
{
    memory_leaks_trim(leaks);
    intern_release(&leaks->functions);
    free(leaks->leaks);
    *leaks = (struct memory_leaks){0};
}
