/*
 * The first stage of memory.h: the events of one thread.
 *
 * An event is encoded as a byte of flags and LEB128 numbers, most of them differences from the
 * event before: place, tick, call, address, then the size of an allocation, or for a free of a
 * block that the thread itself allocated the number of that block and the owner's call and frame.
 * That is some 12 bytes. A place is frame, site, kind and path; a path is the functions whose
 * outermost activations are open, for the sums that include callees.
 *
 * The net bytes of open calls, for leaks, are held for the calls in which something happened since
 * they were entered: an event adds to the innermost call's, and a call's exit hands its net to its
 * caller. So events cost the same at any depth, and calls without events cost nothing.
 */
#include "loader/memory/memory_parts.h"

#include <string.h>

enum {
    PIECE_BYTES = 64 * 1024,
    FLAG_FREE = 1,
    FLAG_REALLOC = 2,
    FLAG_OWN = 4,
};

static const struct memory_open_call *call_at(const struct memory_stack *stack, uint32_t depth)
{
    return (const void *)((const char *)stack->calls + (size_t)(depth - 1) * stack->stride_bytes);
}

/* ---- codes ---- */

static unsigned char *put_number(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

static uint64_t get_number(const unsigned char **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = *(*at)++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Differences are taken modulo 2^64 and folded, so that small ones of either sign are short. */
static unsigned char *put_change(unsigned char *at, uint64_t value, uint64_t *before)
{
    int64_t change = (int64_t)(value - *before);
    *before = value;
    return put_number(at, (uint64_t)change << 1 ^ (change < 0 ? UINT64_MAX : 0));
}

static uint64_t get_change(const unsigned char **at, uint64_t *before)
{
    uint64_t folded = get_number(at);
    *before += folded >> 1 ^ -(folded & 1);
    return *before;
}

static unsigned char *encode(unsigned char *at, struct memory_code *code,
                             const struct memory_event *event)
{
    bool is_free = event->type == MEMORY_FREE;
    bool own = is_free && event->number != UINT64_MAX;
    *at++ = (unsigned char)(is_free * FLAG_FREE + event->realloc * FLAG_REALLOC + own * FLAG_OWN);
    at = put_number(at, event->place);
    at = put_change(at, event->tick, &code->tick);
    at = put_change(at, event->call, &code->call);
    at = put_change(at, event->address, &code->address);
    if (!is_free)
        return put_number(at, event->size);
    if (!own)
        return at;
    at = put_number(at, event->number);
    at = put_number(at, event->owner_call);
    return put_number(at, event->owner_frame);
}

void memory_event_decode(const unsigned char **at, struct memory_code *code,
                         struct memory_event *event)
{
    unsigned flags = *(*at)++;
    *event = (struct memory_event){.type = flags & FLAG_FREE ? MEMORY_FREE : MEMORY_ALLOC,
                                   .realloc = (flags & FLAG_REALLOC) != 0,
                                   .number = UINT64_MAX};
    event->place = (uint32_t)get_number(at);
    event->tick = get_change(at, &code->tick);
    event->call = get_change(at, &code->call);
    event->address = get_change(at, &code->address);
    if (event->type == MEMORY_ALLOC)
        event->size = get_number(at);
    if (flags & FLAG_OWN) {
        event->number = get_number(at);
        event->owner_call = get_number(at);
        event->owner_frame = (uint32_t)get_number(at);
    }
}

static int seal(struct memory_thread *thread, struct error *error)
{
    if (thread->buffer_used == 0)
        return 0;
    uint32_t bytes = (uint32_t)thread->buffer_used;
    thread->buffer_used = 0;
    return memory_store_put(thread->memory, thread, thread->buffer, bytes, error);
}

static int add_event(struct memory_thread *thread, const struct memory_event *event,
                     struct error *error)
{
    void *buffer = thread->buffer;
    if (thread->buffer_used + MEMORY_CODE_MAX > PIECE_BYTES && seal(thread, error) < 0)
        return -1;
    if (array_reserve_bytes(&buffer, &thread->buffer_capacity,
                            thread->buffer_used + MEMORY_CODE_MAX, 1, error) < 0)
        return -1;
    thread->buffer = buffer;
    if (!thread->any) {
        thread->any = true;
        thread->first_tick = event->tick;
        thread->first_type = event->type;
    }
    unsigned char *end = encode(thread->buffer + thread->buffer_used, &thread->code, event);
    thread->buffer_used = (size_t)(end - thread->buffer);
    return 0;
}

/* ---- places ---- */

/* The path of the innermost open call, 0 = none. Levels that are known from the event before are
 * not looked up again. */
static int find_path(struct memory_thread *thread, const struct memory_stack *stack, uint32_t *path,
                     struct error *error)
{
    size_t known = thread->levels_count < stack->depth ? thread->levels_count : stack->depth;
    while (known > 0 &&
           (thread->levels[known - 1].call == 0 ||
            thread->levels[known - 1].call != call_at(stack, (uint32_t)known)->call_id))
        known--;
    if (array_reserve(&thread->levels, &thread->levels_capacity, stack->depth, error) < 0)
        return -1;
    uint32_t at = known > 0 ? thread->levels[known - 1].path : 0;
    for (; known < stack->depth; known++) {
        const struct memory_open_call *call = call_at(stack, (uint32_t)known + 1);
        uint32_t index;
        if (call->outermost) {
            if (intern_add(&thread->paths, at, call->function_id, &index, error) < 0)
                return -1;
            at = index + 1;
        }
        thread->levels[known] = (struct memory_level){call->call_id, at};
    }
    thread->levels_count = stack->depth;
    *path = at;
    return 0;
}

/* Fills place and call of an event. */
static int put_place(struct memory_thread *thread, struct memory_event *event, uint32_t kind,
                     uint32_t site_id, const struct memory_stack *stack, struct error *error)
{
    uint32_t path = 0, frame = 0, function = 0;
    if (find_path(thread, stack, &path, error) < 0)
        return -1;
    if (stack->depth > 0) {
        const struct memory_open_call *call = call_at(stack, stack->depth);
        event->call = call->call_id;
        frame = call->frame_id;
        function = call->function_id;
    }
    if (intern_add(&thread->places, intern_pack(frame, site_id),
                   intern_pack(path, kind % FISQL_KINDS_MAX), &event->place, error) < 0 ||
        array_reach(&thread->place_functions, &thread->place_functions_capacity, event->place,
                    error) < 0)
        return -1;
    thread->place_functions[event->place] = function;
    return 0;
}

/* ---- leaks ---- */

/* Adds to the net bytes of the open call at `depth`, which is not less than that of any net. */
static int add_net(struct memory_thread *thread, uint32_t depth, int64_t bytes, struct error *error)
{
    if (depth == 0)
        return 0;
    if (thread->watch.depth != depth) {
        if (array_reserve(&thread->nets, &thread->nets_capacity, thread->nets_count + 1, error) < 0)
            return -1;
        thread->nets[thread->nets_count++] = (struct memory_net){.depth = depth};
        thread->watch.depth = depth;
    }
    struct memory_net *net = &thread->nets[thread->nets_count - 1];
    net->bytes = (int64_t)((uint64_t)net->bytes + (uint64_t)bytes);
    return 0;
}

static int add_leak(struct memory_thread *thread, const struct memory_open_call *call,
                    uint64_t bytes, struct error *error)
{
    uint32_t index;
    if (intern_add(&thread->leak_keys, call->function_id, 0, &index, error) < 0 ||
        array_reach(&thread->leaks, &thread->leaks_capacity, index, error) < 0)
        return -1;
    struct memory_leak *leak = &thread->leaks[index];
    leak->calls++;
    leak->bytes += bytes;
    if (bytes > leak->worst_bytes ||
        (bytes == leak->worst_bytes && call->call_id < leak->worst_call)) {
        leak->worst_bytes = bytes;
        leak->worst_call = call->call_id;
    }
    return 0;
}

int memory_call_exit_watched(struct memory_thread *thread, const struct memory_open_call *call,
                             bool finished, struct error *error)
{
    if (thread->nets_count == 0)
        return 0;
    struct memory_net net = thread->nets[--thread->nets_count];
    thread->watch.depth = thread->nets_count > 0 ? thread->nets[thread->nets_count - 1].depth : 0;
    if (finished && net.bytes > 0 && add_leak(thread, call, (uint64_t)net.bytes, error) < 0)
        return -1;
    return net.bytes != 0 ? add_net(thread, net.depth - 1, net.bytes, error) : 0;
}

/* ---- the thread's own blocks ---- */

static int own_alloc(struct memory_thread *thread, const struct memory_event *event,
                     struct error *error)
{
    uint64_t index = memory_map_find(&thread->own, event->address);
    if (index == MEMORY_MAP_NONE) {
        index = thread->own_unused_count > 0 ? thread->own_unused[--thread->own_unused_count]
                                             : thread->own_blocks_count++;
        if (array_reach(&thread->own_blocks, &thread->own_blocks_capacity, index, error) < 0 ||
            memory_map_put(&thread->own, event->address, index, error) < 0)
            return -1;
    }
    thread->own_blocks[index] =
        (struct memory_own_block){event->size, event->call, thread->allocs++};
    return 0;
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
    if (low > 0 && alloc_call != 0 && call_at(stack, low)->call_id != 0) {
        event->owner_call = call_at(stack, low)->call_id;
        event->owner_frame = call_at(stack, low)->frame_id;
    }
}

/* Fills what a free of an own block has; *size is 0 for another's. */
static int own_free(struct memory_thread *thread, struct memory_event *event,
                    const struct memory_stack *stack, uint64_t *size, struct error *error)
{
    uint64_t index = memory_map_find(&thread->own, event->address);
    *size = 0;
    if (index == MEMORY_MAP_NONE)
        return 0;
    if (array_reserve(&thread->own_unused, &thread->own_unused_capacity,
                      thread->own_unused_count + 1, error) < 0)
        return -1;
    thread->own_unused[thread->own_unused_count++] = (uint32_t)index;
    memory_map_remove(&thread->own, event->address);
    const struct memory_own_block *block = &thread->own_blocks[index];
    event->number = block->number;
    find_owner(event, block->call, stack);
    *size = block->size;
    return 0;
}

/* ---- events ---- */

static int allocated(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                     uint64_t address, uint64_t size, bool is_realloc,
                     const struct memory_stack *stack, struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .size = size,
                                 .type = MEMORY_ALLOC,
                                 .realloc = is_realloc};
    if (put_place(thread, &event, kind, site_id, stack, error) < 0 ||
        own_alloc(thread, &event, error) < 0 ||
        add_net(thread, stack->depth, (int64_t)size, error) < 0)
        return -1;
    return add_event(thread, &event, error);
}

static int freed(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                 uint64_t address, bool is_realloc, const struct memory_stack *stack,
                 struct error *error)
{
    struct memory_event event = {.tick = tick,
                                 .address = address,
                                 .number = UINT64_MAX,
                                 .type = MEMORY_FREE,
                                 .realloc = is_realloc};
    uint64_t size;
    if (put_place(thread, &event, kind, site_id, stack, error) < 0 ||
        own_free(thread, &event, stack, &size, error) < 0 ||
        (size > 0 && add_net(thread, stack->depth, -(int64_t)size, error) < 0))
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

static void add_leaks(struct memory_thread *thread, struct memory_function *functions)
{
    for (uint32_t i = 0; i < thread->leak_keys.count; i++) {
        const struct memory_leak *leak = &thread->leaks[i];
        struct memory_function *function = &functions[thread->leak_keys.keys[i].a];
        function->leaking_calls += leak->calls;
        function->leaked_bytes += leak->bytes;
        if (leak->worst_bytes > function->worst_leak_bytes ||
            (leak->worst_bytes == function->worst_leak_bytes &&
             leak->worst_call < function->worst_leak_call_id)) {
            function->worst_leak_bytes = leak->worst_bytes;
            function->worst_leak_call_id = leak->worst_call;
        }
    }
}

int memory_thread_end(struct memory_thread *thread, struct error *error)
{
    struct memory *memory = thread->memory;
    int status = seal(thread, error);
    pthread_mutex_lock(&memory->lock);
    for (uint32_t i = 0; status == 0 && i < thread->leak_keys.count; i++)
        status = array_reach(&memory->functions, &memory->functions_capacity,
                             thread->leak_keys.keys[i].a, error);
    if (status == 0)
        add_leaks(thread, memory->functions);
    pthread_mutex_unlock(&memory->lock);
    memory_thread_trim(thread);
    return status;
}
