/*
 * The first stage of memory.h: what one thread can tell of its allocations alone. Sums for calls
 * are held by depth and handed to the caller when a call ends, so an event costs the same at any
 * depth.
 */
#include "loader/memory_parts.h"

#include <stdlib.h>
#include <string.h>

#include "loader/array.h"

static int reach(void **items, size_t *capacity, size_t index, size_t item_bytes,
                 struct error *error)
{
    size_t before = *capacity;
    if (index < before)
        return 0;
    if (array_reserve_bytes(items, capacity, index + 1, item_bytes, error) != 0)
        return -1;
    memset((char *)*items + before * item_bytes, 0, (*capacity - before) * item_bytes);
    return 0;
}

const char *memory_kind_name(uint32_t kind)
{
#define CASE(constant, number, name, family)                                                       \
    case number:                                                                                   \
        return name;
    switch (kind) {
        FISQL_ALLOC_KINDS(CASE)
    default:
        return "unknown";
    }
#undef CASE
}

const char *memory_kind_family(uint32_t kind)
{
#define CASE(constant, number, name, family)                                                       \
    case number:                                                                                   \
        return family;
    switch (kind) {
        FISQL_ALLOC_KINDS(CASE)
    default:
        return "unknown";
    }
#undef CASE
}

int memory_open(const struct memory_options *options, struct memory **out, struct error *error)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return error_set(error, "out of memory");
    (*out)->options = *options;
    pthread_mutex_init(&(*out)->lock, NULL);
    return 0;
}

static void thread_release(struct memory_thread *thread)
{
    free(thread->events);
    free(thread->sums);
    free(thread->touched);
    free(thread->locals);
    free(thread->functions);
    intern_release(&thread->live);
    free(thread);
}

void memory_close(struct memory *memory)
{
    if (memory == NULL)
        return;
    for (size_t i = 0; i < memory->threads_count; i++)
        thread_release(memory->threads[i]);
    free(memory->threads);
    free(memory->processes);
    free(memory->blocks);
    free(memory->frames);
    free(memory->functions);
    free(memory->stacks);
    free(memory->errors);
    free(memory->timeline);
    intern_release(&memory->stack_keys);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

int memory_process(struct memory *memory, uint32_t process_id, uint32_t parent_id,
                   uint64_t start_tick, uint64_t end_tick, struct error *error)
{
    void *items = memory->processes;
    int result =
        reach(&items, &memory->processes_capacity, process_id, sizeof *memory->processes, error);
    memory->processes = items;
    if (result == 0)
        memory->processes[process_id] = (struct memory_process_facts){
            .parent = parent_id, .start_tick = start_tick, .end_tick = end_tick};
    return result;
}

int memory_thread_begin(struct memory *memory, uint32_t thread_id, uint32_t process_id,
                        struct memory_thread **out, struct error *error)
{
    struct memory_thread *thread = calloc(1, sizeof *thread);
    *out = thread;
    if (thread == NULL)
        return error_set(error, "out of memory");
    thread->memory = memory;
    thread->id = thread_id;
    thread->process = process_id;
    pthread_mutex_lock(&memory->lock);
    int result = array_reserve(&memory->threads, &memory->threads_capacity,
                               memory->threads_count + 1, error);
    if (result == 0)
        memory->threads[memory->threads_count++] = thread;
    pthread_mutex_unlock(&memory->lock);
    if (result != 0)
        thread_release(thread);
    return result;
}

static const struct memory_open_call *call_at(const struct memory_stack *stack, uint32_t depth)
{
    return (const void *)((const char *)stack->calls + (size_t)(depth - 1) * stack->stride_bytes);
}

/* The sum of the innermost open call. */
static int find_sum(struct memory_thread *thread, uint32_t depth, struct memory_sum **out,
                    struct error *error)
{
    void *items = thread->sums;
    int result = reach(&items, &thread->sums_capacity, depth, sizeof *thread->sums, error);
    thread->sums = items;
    *out = result == 0 ? &thread->sums[depth] : NULL;
    if (result != 0 || depth == 0 || thread->watch.depth == depth)
        return result;
    if (array_reserve(&thread->touched, &thread->touched_capacity, thread->touched_count + 1,
                      error))
        return -1;
    thread->touched[thread->touched_count++] = depth;
    thread->watch.depth = depth;
    thread->sums[depth] = (struct memory_sum){0};
    return 0;
}

static int add_event(struct memory_thread *thread, const struct memory_event *event,
                     struct error *error)
{
    if (array_reserve(&thread->events, &thread->events_capacity, thread->events_count + 1, error))
        return -1;
    thread->events[thread->events_count++] = *event;
    return 0;
}

static void put_context(struct memory_event *event, const struct memory_stack *stack)
{
    if (stack->depth == 0)
        return;
    const struct memory_open_call *call = call_at(stack, stack->depth);
    event->call = call->call_id;
    event->frame = call->frame_id;
    event->function = call->function_id;
}

static int allocated(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                     uint64_t address, uint64_t size, bool is_realloc,
                     const struct memory_stack *stack, struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .size = size,
                                 .site = site_id,
                                 .type = MEMORY_ALLOC,
                                 .kind = (uint8_t)kind,
                                 .realloc = is_realloc};
    struct memory_sum *sum;
    uint32_t index;
    put_context(&event, stack);
    if (find_sum(thread, stack->depth, &sum, error) != 0 ||
        intern_add(&thread->live, address, 0, &index, error) != 0)
        return -1;
    void *items = thread->locals;
    int result = reach(&items, &thread->locals_capacity, index, sizeof *thread->locals, error);
    thread->locals = items;
    if (result != 0)
        return -1;
    thread->locals[index] = (struct local_block){size, event.call, thread->allocs++, true};
    sum->allocs++;
    sum->alloc_bytes += size;
    sum->net += (int64_t)size;
    return add_event(thread, &event, error);
}

/* The deepest call of the stack that was already open at the allocation's call. */
static void find_owner(struct memory_event *event, uint64_t alloc_call,
                       const struct memory_stack *stack)
{
    uint32_t low = 0, high = stack->depth;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (call_at(stack, middle + 1)->call_id <= alloc_call)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && alloc_call != 0) {
        event->owner_call = call_at(stack, low)->call_id;
        event->owner_frame = call_at(stack, low)->frame_id;
    }
}

/* The size is another thread's to know: remembers which functions are open. */
static int remember_functions(struct memory_thread *thread, struct memory_event *event,
                              const struct memory_stack *stack, struct error *error)
{
    event->functions_first = (uint32_t)thread->functions_count;
    for (uint32_t depth = 1; depth <= stack->depth; depth++) {
        const struct memory_open_call *call = call_at(stack, depth);
        if (!call->outermost)
            continue;
        if (array_reserve(&thread->functions, &thread->functions_capacity,
                          thread->functions_count + 1, error) != 0)
            return -1;
        thread->functions[thread->functions_count++] = call->function_id;
    }
    event->functions_count = (uint32_t)thread->functions_count - event->functions_first;
    return 0;
}

static int freed(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                 uint64_t address, bool is_realloc, const struct memory_stack *stack,
                 struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .size = UINT64_MAX,
                                 .site = site_id,
                                 .allocs_between = UINT32_MAX,
                                 .type = MEMORY_FREE,
                                 .kind = (uint8_t)kind,
                                 .realloc = is_realloc};
    struct memory_sum *sum;
    put_context(&event, stack);
    if (find_sum(thread, stack->depth, &sum, error) != 0)
        return -1;
    uint32_t index = intern_find(&thread->live, address, 0);
    if (index != INTERN_NONE && thread->locals[index].live) {
        struct local_block *block = &thread->locals[index];
        block->live = false;
        event.size = block->size;
        event.allocs_between = thread->allocs - block->number - 1;
        find_owner(&event, block->call, stack);
        sum->frees++;
        sum->free_bytes += block->size;
        sum->net -= (int64_t)block->size;
    } else if (remember_functions(thread, &event, stack, error) != 0) {
        return -1;
    }
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
    if (freed(thread, tick, FISQL_KIND_REALLOC, site_id, old, true, stack, error) != 0)
        return -1;
    return allocated(thread, end_tick, FISQL_KIND_REALLOC, site_id, address, size, true, stack,
                     error);
}

int memory_gap(struct memory_thread *thread, uint64_t tick, struct error *error)
{
    struct memory *memory = thread->memory;
    pthread_mutex_lock(&memory->lock);
    int result = 0;
    if (thread->process >= memory->processes_capacity)
        result = memory_process(memory, thread->process, 0, 0, UINT64_MAX, error);
    if (result == 0) {
        struct memory_process_facts *process = &memory->processes[thread->process];
        if (!process->gap || tick < process->gap_tick)
            process->gap_tick = tick;
        process->gap = true;
    }
    pthread_mutex_unlock(&memory->lock);
    return result;
}

struct memory_totals *memory_frame_totals(struct memory *memory, uint32_t frame)
{
    void *items = memory->frames;
    int result = reach(&items, &memory->frames_capacity, frame, sizeof *memory->frames, NULL);
    memory->frames = items;
    return result == 0 ? &memory->frames[frame] : NULL;
}

struct memory_function *memory_function_totals(struct memory *memory, uint32_t function)
{
    void *items = memory->functions;
    int result =
        reach(&items, &memory->functions_capacity, function, sizeof *memory->functions, NULL);
    memory->functions = items;
    return result == 0 ? &memory->functions[function] : NULL;
}

static void add_inclusive(struct memory_thread *thread, const struct memory_open_call *call,
                          const struct memory_sum *sum, bool finished)
{
    struct memory *memory = thread->memory;
    pthread_mutex_lock(&memory->lock);
    struct memory_function *function = memory_function_totals(memory, call->function_id);
    if (function != NULL && call->outermost) {
        function->inclusive.allocs += sum->allocs;
        function->inclusive.alloc_bytes += sum->alloc_bytes;
        function->inclusive.frees += sum->frees;
        function->inclusive.free_bytes += sum->free_bytes;
    }
    if (function != NULL && finished && sum->net > 0) {
        uint64_t bytes = (uint64_t)sum->net;
        function->leaking_calls++;
        function->leaked_bytes += bytes;
        if (bytes > function->worst_leak_bytes ||
            (bytes == function->worst_leak_bytes && call->call_id < function->worst_leak_call_id)) {
            function->worst_leak_bytes = bytes;
            function->worst_leak_call_id = call->call_id;
        }
    }
    pthread_mutex_unlock(&memory->lock);
}

void memory_call_exit_watched(struct memory_thread *thread, const struct memory_open_call *call,
                              bool finished)
{
    uint32_t depth = thread->watch.depth;
    if (depth == 0)
        return;
    struct memory_sum sum = thread->sums[depth];
    add_inclusive(thread, call, &sum, finished);
    thread->touched_count--;
    thread->watch.depth =
        thread->touched_count > 0 ? thread->touched[thread->touched_count - 1] : 0;
    if (depth == 1)
        return;
    struct memory_sum *parent;
    struct error error;
    if (find_sum(thread, depth - 1, &parent, &error) != 0)
        return;
    parent->allocs += sum.allocs;
    parent->alloc_bytes += sum.alloc_bytes;
    parent->frees += sum.frees;
    parent->free_bytes += sum.free_bytes;
    parent->net += sum.net;
}

int memory_thread_end(struct memory_thread *thread, struct error *error)
{
    (void)error;
    intern_release(&thread->live);
    free(thread->locals);
    free(thread->sums);
    free(thread->touched);
    thread->live = (struct intern){0};
    thread->locals = NULL;
    thread->sums = NULL;
    thread->touched = NULL;
    return 0;
}
