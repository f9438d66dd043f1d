/* Results and their callers' results: see result_flows.h. */
#include "loader/values/result_flows.h"

#include <stdlib.h>

#include "base/array.h"

void result_flows_release(struct result_flows *flows)
{
    intern_release(&flows->keys);
    free(flows->items);
    free(flows->waiting);
    *flows = (struct result_flows){.items = NULL};
}

static int add(struct result_flows *flows, struct intern_key key, const struct result_flow *flow,
               struct error *error)
{
    uint32_t index, before = flows->keys.count;
    if (intern_add(&flows->keys, key.a, key.b, &index, error) != 0 ||
        array_reserve(&flows->items, &flows->items_capacity, (size_t)index + 1, error) != 0)
        return -1;
    if (index == before)
        flows->items[index] = (struct result_flow){.first_call = UINT64_MAX};
    flows->items[index].calls += flow->calls;
    flows->items[index].same += flow->same;
    if (flow->first_call < flows->items[index].first_call)
        flows->items[index].first_call = flow->first_call;
    return 0;
}

int result_flows_settle(struct result_flows *flows, size_t from, uint32_t caller,
                        enum value_class class, uint64_t hash, struct error *error)
{
    for (size_t i = from; i < flows->waiting_count; i++) {
        const struct waiting_results *of = &flows->waiting[i];
        struct intern_key key = {intern_pack(of->function, of->class), intern_pack(caller, class)};
        bool same = class != VALUE_CLASS_NONE && of->last == hash;
        struct result_flow flow = {of->calls, same, of->first_call};
        if (add(flows, key, &flow, error) != 0)
            return -1;
    }
    if (from < flows->waiting_count)
        flows->waiting_count = from;
    return 0;
}

int result_flows_wait(struct result_flows *flows, size_t from, uint32_t caller,
                      const struct waiting_results *result, struct error *error)
{
    for (size_t i = flows->waiting_count; i > from; i--) {
        struct waiting_results *of = &flows->waiting[i - 1];
        if (of->function == result->function && of->class == result->class) {
            of->calls += result->calls;
            of->last = result->last;
            if (result->first_call < of->first_call)
                of->first_call = result->first_call;
            return 0;
        }
    }
    if (flows->waiting_count - from >= WAITING_MAX &&
        result_flows_settle(flows, from, caller, VALUE_CLASS_NONE, 0, error) != 0)
        return -1;
    if (array_reserve(&flows->waiting, &flows->waiting_capacity, flows->waiting_count + 1, error) !=
        0)
        return -1;
    flows->waiting[flows->waiting_count++] = *result;
    return 0;
}

int result_flows_merge(struct result_flows *into, const struct result_flows *from,
                       struct error *error)
{
    for (uint32_t i = 0; i < from->keys.count; i++)
        if (add(into, from->keys.keys[i], &from->items[i], error) != 0)
            return -1;
    return 0;
}
