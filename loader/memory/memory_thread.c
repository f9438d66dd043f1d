/*
 * The first stage of memory.h: the events of one thread. What the thread can know alone is put to
 * each event: its place (memory_places.h), which of the thread's own blocks a free ends
 * (memory_own.h), and to whom the block belonged; what leaks is added up (memory_leaks.h). The
 * events are kept in the thread's spool (memory_spool.h).
 */
#include "loader/memory/memory_thread.h"

static int add_event(struct memory_thread *thread, const struct memory_event *event,
                     struct error *error)
{
    return memory_spool_add(&thread->spool, thread->store, event, error);
}

/* The deepest call of the stack that was already open at the allocation's call. */
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

static int allocated(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                     uint64_t address, uint64_t size, bool is_realloc,
                     const struct memory_stack *stack, struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .size = size,
                                 .call = innermost(stack),
                                 .type = MEMORY_ALLOC,
                                 .realloc = is_realloc};
    if (memory_places_find(&thread->places, stack, kind, site_id, &event.place, error) < 0 ||
        memory_own_alloc(&thread->own, address, size, event.call, error) < 0 ||
        memory_leaks_add(&thread->leaks, stack->depth, (int64_t)size, error) < 0)
        return -1;
    return add_event(thread, &event, error);
}

static int freed(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                 uint64_t address, bool is_realloc, const struct memory_stack *stack,
                 struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .call = innermost(stack),
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
    return add_event(thread, &event, error);
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
    /* Each thread notes its own: memory_pair puts them together. */
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
