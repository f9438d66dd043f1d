/*
 * The second stage of memory.h: all threads' events in the order of time, each free finding the
 * block that it ends.
 *
 * The threads' events are merged by their ticks through a heap; at equal ticks frees come first,
 * for a free is logged before it happens and an allocation after. Between them, by their ticks too,
 * come forks and the ends of processes (memory_fork.c).
 */
#include "loader/memory/memory_pairing.h"

#include <string.h>

#include "base/heap.h"

enum {
    TIMELINE_STEPS_MAX = 1000,
    TIMELINE_ROWS_MAX = 1000000, /* fewer steps where there are very many threads */
    SIZES_MAX = 64,
    DISTANCE_MAX = 15,
    ERRORS_MAX = 100000,
    CLASHES_MAX = 1000,
};

/* ---- reading ---- */

/* Moves to the thread's next event; returns 1, 0 when there is none, -1. */
static int next_event(struct pairing *pairing, struct pair_thread *thread)
{
    struct memory_thread *spool = thread->spool;
    while (thread->at == thread->end) {
        if (thread->piece > 0)
            free(spool->pieces[thread->piece - 1].data);
        if (thread->piece > 0)
            spool->pieces[thread->piece - 1].data = NULL;
        if (thread->piece == spool->pieces_count) {
            free(thread->buffer);
            thread->buffer = NULL;
            return 0;
        }
        const struct memory_piece *piece = &spool->pieces[thread->piece++];
        thread->at = piece->data;
        if (piece->data == NULL) {
            /* Of one piece after the other, each read whole: no array that grows. */
            unsigned char *buffer = realloc(thread->buffer, piece->bytes);
            if (buffer == NULL)
                return error_set(pairing->error, "out of memory");
            thread->at = thread->buffer = buffer;
            if (memory_store_read(pairing->memory, piece, buffer, pairing->error) < 0)
                return -1;
        }
        thread->end = thread->at + piece->bytes;
    }
    memory_event_decode(&thread->at, &thread->code, &thread->event);
    if (thread->event.tick > thread->tick)
        thread->tick = thread->event.tick;
    return 1;
}

/* Reads a thread's first event; its tables are made only now, for many threads are short. */
static int begin_thread(struct pairing *pairing, struct pair_thread *thread)
{
    const struct memory_thread *spool = thread->spool;
    thread->begun = true;
    thread->place_stacks = calloc((size_t)spool->places.count + 1, sizeof *thread->place_stacks);
    thread->paths = calloc((size_t)spool->paths.count + 1, sizeof *thread->paths);
    if (thread->place_stacks == NULL || thread->paths == NULL)
        return error_set(pairing->error, "out of memory");
    return next_event(pairing, thread);
}

/* Adds what happened under each path to the functions that are open on it. */
static int end_thread(struct pairing *pairing, struct pair_thread *thread)
{
    struct memory *memory = pairing->memory;
    const struct intern *paths = &thread->spool->paths;
    for (uint32_t i = paths->count; i-- > 0;) {
        const struct memory_totals *sum = &thread->paths[i];
        uint64_t parent = paths->keys[i].a, function = paths->keys[i].b;
        if (array_reach(&memory->functions, &memory->functions_capacity, function, pairing->error) <
            0)
            return -1;
        struct memory_totals *sums[] = {&memory->functions[function].inclusive,
                                        parent > 0 ? &thread->paths[parent - 1] : NULL};
        for (int k = 0; k < 2 && sums[k] != NULL; k++) {
            sums[k]->allocs += sum->allocs;
            sums[k]->alloc_bytes += sum->alloc_bytes;
            sums[k]->frees += sum->frees;
            sums[k]->free_bytes += sum->free_bytes;
        }
    }
    free(thread->place_stacks);
    free(thread->paths);
    thread->place_stacks = NULL;
    thread->paths = NULL;
    return chain_end(pairing, &thread->freed);
}

/* ---- what an event adds to ---- */

/* The stack of an event's place. */
static int find_stack(struct pairing *pairing, struct pair_thread *thread, uint32_t place,
                      uint32_t *index)
{
    struct memory *memory = pairing->memory;
    const struct intern_key *key = &thread->spool->places.keys[place];
    uint32_t site = (uint32_t)key->a, kind = (uint32_t)key->b;
    if (thread->place_stacks[place] > 0) {
        *index = thread->place_stacks[place] - 1;
        return 0;
    }
    uint32_t before = memory->stack_keys.count;
    if (intern_add(&memory->stack_keys, key->a >> 32, (uint64_t)site << 8 | kind, index,
                   pairing->error) < 0 ||
        array_reach(&memory->stacks, &memory->stacks_capacity, *index, pairing->error) < 0)
        return -1;
    thread->place_stacks[place] = *index + 1;
    if (*index == before)
        memory->stacks[*index] =
            (struct alloc_stack){.frame = (uint32_t)(key->a >> 32),
                                 .site = site,
                                 .kind = kind,
                                 .function = thread->spool->place_functions[place],
                                 .min_size = UINT64_MAX};
    return 0;
}

/* The totals that an event at a place counts for: its frame's, its function's own, its path's and
 * all. Returns how many there are, or -1. */
static int find_totals(struct pairing *pairing, struct pair_thread *thread, uint32_t place,
                       struct memory_totals *totals[4])
{
    struct memory *memory = pairing->memory;
    const struct intern_key *key = &thread->spool->places.keys[place];
    uint32_t frame = (uint32_t)(key->a >> 32), path = (uint32_t)(key->b >> 32);
    uint32_t function = thread->spool->place_functions[place];
    if (array_reach(&memory->frames, &memory->frames_capacity, frame, pairing->error) < 0 ||
        array_reach(&memory->functions, &memory->functions_capacity, function, pairing->error) < 0)
        return -1;
    totals[0] = &memory->totals;
    totals[1] = &memory->frames[frame];
    totals[2] = &memory->functions[function].own;
    totals[3] = path > 0 ? &thread->paths[path - 1] : NULL;
    return path > 0 ? 4 : 3;
}

static int count_amount(struct pairing *pairing, struct memory_counter *counter, uint64_t a,
                        uint64_t b, const struct memory_block *block)
{
    uint32_t index;
    if (intern_add(&counter->keys, a, b, &index, pairing->error) < 0 ||
        array_reach(&counter->amounts, &counter->capacity, index, pairing->error) < 0)
        return -1;
    struct memory_amount *amount = &counter->amounts[index];
    if (amount->blocks++ == 0)
        amount->example = block->id;
    amount->bytes += block->size;
    return 0;
}

static int count_size(struct pairing *pairing, const struct memory_block *block)
{
    struct memory *memory = pairing->memory;
    struct alloc_stack *stack = &memory->stacks[block->stack];
    uint64_t size = block->size;
    if (intern_find(&memory->sizes.keys, block->stack, size) == INTERN_NONE) {
        if (stack->sizes >= SIZES_MAX)
            size = UINT64_MAX;
        else
            stack->sizes++;
    }
    return count_amount(pairing, &memory->sizes, block->stack, size, block);
}

static int count_flow(struct pairing *pairing, const struct memory_block *block,
                      const struct memory_block_free *freed)
{
    struct memory *memory = pairing->memory;
    uint32_t place, threads, index;
    if (intern_add(&memory->flow_places, intern_pack(block->stack, freed->frame), freed->site,
                   &place, pairing->error) < 0 ||
        intern_add(&memory->flow_threads, block->thread, freed->thread, &threads, pairing->error) <
            0 ||
        intern_add(&memory->flow_keys, place, threads, &index, pairing->error) < 0 ||
        array_reach(&memory->flows, &memory->flows_capacity, index, pairing->error) < 0)
        return -1;
    struct memory_flow *flow = &memory->flows[index];
    uint64_t residence = freed->ns - block->alloc_ns;
    if (flow->blocks++ == 0)
        flow->example = block->id;
    flow->bytes += block->size;
    flow->residence_ns += residence;
    if (residence > flow->residence_max_ns)
        flow->residence_max_ns = residence;
    const char *family = memory_kind_family(memory->stacks[block->stack].kind);
    if (strcmp(family, memory_kind_family(freed->kind)) != 0 && flow->mismatched++ == 0)
        flow->mismatch = block->id;
    return 0;
}

/* Adds a free to what is told of its block's stack, and of frames and functions. */
static int count_free(struct pairing *pairing, const struct memory_block *block,
                      const struct memory_block_free *freed)
{
    struct memory *memory = pairing->memory;
    struct alloc_stack *stack = &memory->stacks[block->stack];
    struct pair_thread *thread = &pairing->threads[freed->thread];
    uint64_t lifetime = freed->ns - block->alloc_ns;
    stack->freed_blocks++;
    stack->freed_bytes += block->size;
    stack->lifetime_ns += lifetime;
    if (lifetime > stack->lifetime_max_ns)
        stack->lifetime_max_ns = lifetime;
    stack->cross_thread_frees += !freed->same_thread;
    struct memory_totals *totals[4];
    int count = find_totals(pairing, thread, thread->event.place, totals);
    for (int i = 0; i < count; i++) {
        totals[i]->frees++;
        totals[i]->free_bytes += block->size;
    }
    if (count < 0 || count_flow(pairing, block, freed) < 0)
        return -1;
    if (freed->same_thread && freed->allocs_between <= DISTANCE_MAX &&
        count_amount(pairing, &memory->distances, block->stack, freed->allocs_between, block) < 0)
        return -1;
    if (freed->owner_frame == 0)
        return 0;
    return count_amount(pairing, &memory->owners, block->stack, freed->owner_frame, block);
}

/* ---- events ---- */

static int free_block(struct pairing *pairing, uint32_t thread_index, uint32_t index, uint64_t ns)
{
    struct pair_thread *thread = &pairing->threads[thread_index];
    const struct memory_event *event = &thread->event;
    const struct memory_block *block = &pairing->blocks[index];
    const struct intern_key *place = &thread->spool->places.keys[event->place];
    bool same_thread = block->thread == thread_index;
    bool own = same_thread && event->number == block->number;
    struct memory_block_free freed = {
        .freed = true,
        .ns = ns > block->alloc_ns ? ns : block->alloc_ns,
        .call = event->call,
        .frame = (uint32_t)(place->a >> 32),
        .site = (uint32_t)place->a,
        .kind = (uint8_t)place->b,
        .thread = thread_index,
        .same_thread = same_thread,
        .allocs_between = same_thread ? thread->allocs - block->number - 1 : 0,
        .owner_call = own ? event->owner_call : 0,
        .owner_frame = own ? event->owner_frame : 0,
    };
    if (count_free(pairing, block, &freed) < 0)
        return -1;
    live_remove(pairing, block, true);
    struct memory_link link = memory_link_of(block);
    if (event->realloc)
        thread->freed = link;
    else if (chain_end(pairing, &link) < 0)
        return -1;
    return rows_final(pairing, index, &freed);
}

/* An allocation at the address of a live block: that block's free is missing. */
static int clash(struct pairing *pairing, const struct pair_thread *thread, uint32_t old,
                 uint64_t id, uint64_t ns)
{
    struct memory *memory = pairing->memory;
    const struct memory_process_facts *process = &memory->processes[thread->spool->process];
    if (process->gap && thread->tick >= process->gap_tick) {
        memory->missing_frees++;
    } else if (memory->clashes_count == CLASHES_MAX) {
        memory->clashes_left_out++;
    } else {
        if (array_reserve(&memory->clashes, &memory->clashes_capacity, memory->clashes_count + 1,
                          pairing->error) < 0)
            return -1;
        memory->clashes[memory->clashes_count++] =
            (struct memory_clash){.ns = ns,
                                  .call = thread->event.call,
                                  .old_alloc = pairing->blocks[old].id,
                                  .alloc = id,
                                  .thread = thread->spool->id};
    }
    return pair_forget_block(pairing, old);
}

static int on_alloc(struct pairing *pairing, uint32_t thread_index, uint64_t ns)
{
    struct memory *memory = pairing->memory;
    struct pair_thread *thread = &pairing->threads[thread_index];
    const struct memory_event *event = &thread->event;
    struct pair_process *process = &pairing->processes[thread->spool->process];
    uint32_t index, stack_index;
    uint64_t old = memory_map_find(&process->live, event->address);
    if (old != MEMORY_MAP_NONE && clash(pairing, thread, (uint32_t)old, pairing->next_row, ns) < 0)
        return -1;
    memory_map_remove(&process->inherited_at, event->address);
    if (rows_add(pairing, &index) < 0 ||
        find_stack(pairing, thread, event->place, &stack_index) < 0 ||
        memory_map_put(&process->live, event->address, index, pairing->error) < 0)
        return -1;
    struct memory_block *block = &pairing->blocks[index];
    block->address = event->address;
    block->size = event->size;
    block->alloc_ns = ns;
    block->call = event->call;
    block->number = thread->allocs++;
    block->stack = stack_index;
    block->thread = thread_index;
    if (event->realloc && thread->freed.valid && chain_continue(pairing, index, &thread->freed) < 0)
        return -1;
    thread->freed = (struct memory_link){.chain = NO_INDEX};

    struct alloc_stack *stack = &memory->stacks[stack_index];
    if (stack->blocks++ == 0) {
        stack->first_ns = ns;
        stack->first_alloc = block->id;
    }
    stack->bytes += block->size;
    stack->last_ns = ns;
    stack->last_alloc = block->id;
    if (block->size < stack->min_size)
        stack->min_size = block->size;
    if (block->size > stack->max_size)
        stack->max_size = block->size;
    struct memory_totals *totals[4];
    int count = find_totals(pairing, thread, event->place, totals);
    for (int i = 0; i < count; i++) {
        totals[i]->allocs++;
        totals[i]->alloc_bytes += block->size;
    }
    if (count < 0 || count_size(pairing, block) < 0)
        return -1;
    if (pairing->forking_count > 0 &&
        pair_inherit_late(pairing, thread->spool->process, block, thread->tick) < 0)
        return -1;
    return live_add(pairing, block);
}

/* A free of what is no live block. What is wrong with it is found out by memory_errors_classify. */
static int bad_free(struct pairing *pairing, const struct pair_thread *thread, uint64_t ns,
                    uint64_t inherited_id)
{
    struct memory *memory = pairing->memory;
    const struct memory_process_facts *process = &memory->processes[thread->spool->process];
    const struct intern_key *place = &thread->spool->places.keys[thread->event.place];
    if (process->gap && thread->tick >= process->gap_tick) {
        memory->unknown_frees++;
        return 0;
    }
    if (memory->errors_count == ERRORS_MAX) {
        memory->errors_left_out++;
        return 0;
    }
    if (array_reserve(&memory->errors, &memory->errors_capacity, memory->errors_count + 1,
                      pairing->error) < 0)
        return -1;
    memory->errors[memory->errors_count++] =
        (struct free_error){.error = inherited_id != 0 ? "double" : NULL,
                            .address = thread->event.address,
                            .ns = ns,
                            .call = thread->event.call,
                            .before = pairing->next_row,
                            .alloc = inherited_id,
                            .thread = thread->spool->id,
                            .process = thread->spool->process,
                            .frame = (uint32_t)(place->a >> 32),
                            .site = (uint32_t)place->a,
                            .kind = (uint8_t)place->b};
    return 0;
}

static int on_free(struct pairing *pairing, uint32_t thread_index, uint64_t ns)
{
    struct pair_thread *thread = &pairing->threads[thread_index];
    struct pair_process *process = &pairing->processes[thread->spool->process];
    uint64_t address = thread->event.address;
    if (chain_end(pairing, &thread->freed) < 0)
        return -1;
    thread->freed = (struct memory_link){.chain = NO_INDEX};
    uint64_t index = memory_map_find(&process->live, address);
    if (index != MEMORY_MAP_NONE) {
        memory_map_remove(&process->live, address);
        return free_block(pairing, thread_index, (uint32_t)index, ns);
    }
    uint64_t inherited = memory_map_find(&process->inherited_at, address);
    if (inherited == MEMORY_MAP_NONE)
        return bad_free(pairing, thread, ns, 0);
    struct inherited_block *block = &process->inherited[inherited];
    if (block->freed)
        return bad_free(pairing, thread, ns, block->id);
    block->freed = true;
    if (thread->event.realloc)
        thread->freed = (struct memory_link){.valid = true,
                                             .id = block->id,
                                             .address = address,
                                             .size = block->size,
                                             .chain = NO_INDEX};
    return 0;
}

/* ---- the merge ---- */

struct head {
    uint64_t tick;
    uint32_t type, thread;
};

static bool earlier(const void *left, const void *right)
{
    const struct head *a = left, *b = right;
    if (a->tick != b->tick)
        return a->tick < b->tick;
    if (a->type != b->type)
        return a->type == MEMORY_FREE;
    return a->thread < b->thread;
}

/* Does the event at the head of the heap and puts the thread's next one there. Returns 1, 0 when
 * the thread has no more, -1. */
static int step(struct pairing *pairing, struct head *head)
{
    const struct memory_options *options = &pairing->memory->options;
    struct pair_thread *thread = &pairing->threads[head->thread];
    if (!thread->begun && begin_thread(pairing, thread) < 0)
        return -1;
    uint64_t ns = options->ns_at(options->clock, thread->spool->process, thread->tick);
    if (pair_pass_processes(pairing, thread->tick) < 0 || live_advance(pairing, ns) < 0)
        return -1;
    int status = thread->event.type == MEMORY_ALLOC ? on_alloc(pairing, head->thread, ns)
                                                    : on_free(pairing, head->thread, ns);
    if (status < 0)
        return -1;
    status = next_event(pairing, thread);
    if (status == 0)
        return end_thread(pairing, thread);
    head->tick = thread->tick;
    head->type = thread->event.type;
    return status;
}

static int merge(struct pairing *pairing)
{
    struct memory *memory = pairing->memory;
    struct head *heap = calloc(memory->threads_count + 1, sizeof *heap);
    size_t count = 0;
    int status = heap == NULL ? error_set(pairing->error, "out of memory") : 0;
    for (uint32_t i = 0; status == 0 && i < memory->threads_count; i++) {
        const struct memory_thread *spool = memory->threads[i];
        pairing->threads[i].spool = memory->threads[i];
        pairing->threads[i].freed.chain = NO_INDEX;
        if (spool->any)
            heap[count++] = (struct head){spool->first_tick, spool->first_type, i};
    }
    heap_make(heap, count, earlier);
    while (status >= 0 && count > 0) {
        status = step(pairing, &heap[0]);
        if (status == 0)
            heap[0] = heap[--count];
        if (status >= 0)
            heap_sift(heap, count, 0, earlier);
    }
    free(heap);
    return status < 0 ? -1 : 0;
}

static void release(struct pairing *pairing)
{
    const struct memory *memory = pairing->memory;
    for (size_t i = 0; pairing->threads != NULL && i < memory->threads_count; i++) {
        free(pairing->threads[i].buffer);
        free(pairing->threads[i].place_stacks);
        free(pairing->threads[i].paths);
    }
    for (size_t i = 0; pairing->processes != NULL && i < memory->processes_capacity; i++)
        pair_process_release(&pairing->processes[i]);
    free(pairing->threads);
    free(pairing->processes);
    free(pairing->process_events);
    free(pairing->forking);
    free(pairing->blocks);
    free(pairing->unused_blocks);
    free(pairing->chains);
    free(pairing->unused_chains);
    free(pairing->window);
    free(pairing->late);
    free(pairing->functions);
    free(pairing->changed_threads);
}

int memory_pair(struct memory *memory, struct btree_file *file, uint64_t end_ns,
                struct error *error)
{
    struct pairing pairing = {.memory = memory, .error = error};
    uint64_t steps = TIMELINE_ROWS_MAX / (memory->threads_count + 1) + 1;
    if (steps > TIMELINE_STEPS_MAX)
        steps = TIMELINE_STEPS_MAX;
    memory->end_ns = end_ns;
    memory->step_ns = end_ns / steps + 1;
    pairing.threads = calloc(memory->threads_count + 1, sizeof *pairing.threads);
    pairing.changed_threads = calloc(memory->threads_count + 1, sizeof *pairing.changed_threads);
    int status = 0;
    if (pairing.threads == NULL || pairing.changed_threads == NULL)
        status = error_set(error, "out of memory");
    if (status == 0 && (rows_begin(&pairing, file) < 0 || pair_plan_processes(&pairing) < 0 ||
                        merge(&pairing) < 0 || pair_end_processes(&pairing) < 0 ||
                        live_end(&pairing) < 0 || rows_end(&pairing, file) < 0))
        status = -1;
    release(&pairing);
    return status;
}
