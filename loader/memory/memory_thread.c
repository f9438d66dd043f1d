/* The events of one thread: see memory_thread.h. */
#include "loader/memory/memory_thread.h"

#include <stdlib.h>

#include "base/array.h"

/* ---- what leaks ---- */

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

/* ---- the thread ---- */

/* The deepest call that was open at the allocation, too. */
static void find_owner(struct memory_event *event, uint64_t alloc_call,
                       const struct memory_stack *stack)
{
    uint32_t low = 0, high = stack->depth;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (memory_call_at(stack, middle + 1)->call_id <= alloc_call)
            low = middle + 1;
        else
            high = middle;
    }
    const struct memory_open_call *owner = low > 0 ? memory_call_at(stack, low) : NULL;
    if (owner != NULL && alloc_call != 0 && owner->call_id != 0) {
        event->owner_call = owner->call_id;
        event->owner_frame = owner->frame_id;
    }
}

/* The innermost open call; 0 = none. */
static uint64_t innermost(const struct memory_stack *stack)
{
    return stack->depth > 0 ? memory_call_at(stack, stack->depth)->call_id : 0;
}

/* The depth of the outermost open call of the function whose call is at `depth`. What is found is
 * kept: a recursion that frees at each of its depths costs no walk each time. */
static uint32_t outermost_depth(struct memory_thread *thread, const struct memory_stack *stack,
                                uint32_t depth)
{
    const struct memory_open_call *call = memory_call_at(stack, depth);
    struct memory_root *known = &thread->roots[call->function_id % MEMORY_ROOTS];
    if (call->outermost)
        return depth;
    if (known->depth > 0 && known->depth < depth && known->function == call->function_id &&
        memory_call_at(stack, known->depth)->call_id == known->call)
        return known->depth;
    for (uint32_t at = depth - 1; at > 0; at--) {
        const struct memory_open_call *around = memory_call_at(stack, at);
        if (around->function_id == call->function_id && around->outermost) {
            *known = (struct memory_root){call->function_id, at, around->call_id};
            return at;
        }
    }
    return depth;
}

static struct memory_doers doers_of(struct memory_thread *thread, const struct memory_stack *stack)
{
    struct memory_doers doers = {{0}};
    uint32_t depth = stack->depth;
    for (int i = 0; i < MEMORY_DOERS && depth > 0; i++) {
        depth = outermost_depth(thread, stack, depth);
        doers.by_level[i] = memory_call_at(stack, depth)->call_id;
        depth--;
    }
    return doers;
}

static int allocated(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                     uint64_t address, uint64_t size, bool is_realloc,
                     const struct memory_stack *stack, struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .size = size,
                                 .call = innermost(stack),
                                 .doers = doers_of(thread, stack),
                                 .type = MEMORY_ALLOC,
                                 .realloc = is_realloc};
    if (memory_places_find(&thread->places, stack, kind, site_id, &event.place, error) < 0 ||
        memory_own_alloc(&thread->own, address, size, event.call, error) < 0 ||
        memory_leaks_add(&thread->leaks, stack->depth, (int64_t)size, error) < 0)
        return -1;
    return memory_spool_add(&thread->spool, thread->store, &event, error);
}

static int freed(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                 uint64_t address, bool is_realloc, const struct memory_stack *stack,
                 struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .call = innermost(stack),
                                 .doers = doers_of(thread, stack),
                                 .number = UINT64_MAX,
                                 .type = MEMORY_FREE,
                                 .realloc = is_realloc};
    struct memory_own_block block;
    if (memory_places_find(&thread->places, stack, kind, site_id, &event.place, error) < 0)
        return -1;
    int own = memory_own_free(&thread->own, address, &block, error);
    if (own > 0) {
        event.number = block.number;
        find_owner(&event, block.call, stack);
    }
    if (own < 0 ||
        (own > 0 && block.size > 0 &&
         memory_leaks_add(&thread->leaks, stack->depth, -(int64_t)block.size, error) < 0))
        return -1;
    return memory_spool_add(&thread->spool, thread->store, &event, error);
}

int memory_alloc(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                 uint64_t address, uint64_t size, const struct memory_stack *stack,
                 struct error *error)
{
    return allocated(thread, tick, kind, site_id, address, size, false, stack, error);
}

int memory_free(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                uint64_t address, const struct memory_stack *stack, struct error *error)
{
    return freed(thread, tick, kind, site_id, address, false, stack, error);
}

int memory_realloc(struct memory_thread *thread, uint64_t tick, uint64_t end_tick, uint32_t site_id,
                   uint64_t old, uint64_t address, uint64_t size, const struct memory_stack *stack,
                   struct error *error)
{
    if (freed(thread, tick, FISQL_KIND_REALLOC, site_id, old, true, stack, error) < 0)
        return -1;
    return allocated(thread, end_tick, FISQL_KIND_REALLOC, site_id, address, size, true, stack,
                     error);
}

void memory_gap(struct memory_thread *thread, uint64_t tick)
{
    /* memory_pair puts the threads' gaps together. */
    if (!thread->gap.any || tick < thread->gap.tick)
        thread->gap = (struct memory_gap){true, tick};
}

int memory_call_exit_watched(struct memory_thread *thread, const struct memory_open_call *call,
                             bool finished, struct error *error)
{
    return memory_leaks_exit(&thread->leaks, call, finished, error);
}

/* Frees what only this stage needs. */
static void trim(struct memory_thread *thread)
{
    memory_own_release(&thread->own);
    memory_places_trim(&thread->places);
    memory_leaks_trim(&thread->leaks);
}

int memory_thread_end(struct memory_thread *thread, struct error *error)
{
    int status = memory_spool_end(&thread->spool, thread->store, error);
    trim(thread);
    return status;
}

void memory_thread_release(struct memory_thread *thread)
{
    trim(thread);
    memory_places_release(&thread->places);
    memory_leaks_release(&thread->leaks);
    memory_spool_release(&thread->spool);
}
