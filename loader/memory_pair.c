/*
 * The second stage of memory.h: all threads' events in the order of time, each free finding the
 * block that it ends.
 */
#include "loader/memory_parts.h"

#include <stdlib.h>
#include <string.h>

#include "loader/array.h"
#include "loader/sqlite_record.h"

#define TIMELINE_STEPS 1000u

struct pairing {
    struct memory *memory;
    struct intern places; /* (process, address) */
    uint32_t *newest;     /* by place: the last block there */
    size_t newest_capacity;
    struct live {
        uint64_t blocks, bytes;
    } * functions, *threads; /* by id */
    size_t functions_capacity, threads_capacity;
    uint64_t live_bytes, live_blocks, step_max;
    uint32_t step;
    struct timeline_row *step_rows; /* by thread id, of the present step; [0] = all */
    size_t step_rows_capacity;
    uint32_t *last_freed; /* by thread: the block that a realloc has just freed */
    size_t last_freed_capacity;
    struct error *error;
};

/* Where a thread's events have come to. */
struct source {
    struct memory_thread *thread;
    size_t at;
};

static bool earlier(const struct source *a, const struct source *b)
{
    const struct memory_event *x = &a->thread->events[a->at], *y = &b->thread->events[b->at];
    if (x->tick != y->tick)
        return x->tick < y->tick;
    if (x->type != y->type)
        return x->type == MEMORY_FREE;
    return a->thread->id < b->thread->id;
}

static void sift(struct source *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (earlier(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        struct source moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static int grow(void **items, size_t *capacity, size_t index, size_t item_bytes,
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

#define GROW(array, capacity, index, error)                                                        \
    __extension__({                                                                                \
        void *grow_items = (array);                                                                \
        int grow_result = grow(&grow_items, &(capacity), (index), sizeof *(array), (error));       \
        (array) = grow_items;                                                                      \
        grow_result;                                                                               \
    })

/* ---- timeline ---- */

static int end_step(struct pairing *pairing)
{
    struct memory *memory = pairing->memory;
    for (uint32_t thread = 0; thread < pairing->step_rows_capacity; thread++) {
        struct timeline_row *row = &pairing->step_rows[thread];
        if (row->allocs == 0 && row->frees == 0)
            continue;
        if (array_reserve(&memory->timeline, &memory->timeline_capacity, memory->timeline_count + 1,
                          pairing->error) != 0)
            return -1;
        row->step = pairing->step;
        row->thread = thread;
        row->live_bytes = thread == 0 ? pairing->live_bytes : pairing->threads[thread].bytes;
        row->live_blocks = thread == 0 ? pairing->live_blocks : pairing->threads[thread].blocks;
        row->max_live_bytes = thread == 0 ? pairing->step_max : row->live_bytes;
        memory->timeline[memory->timeline_count++] = *row;
        *row = (struct timeline_row){0};
    }
    pairing->step_max = pairing->live_bytes;
    return 0;
}

static int to_step(struct pairing *pairing, uint64_t ns)
{
    uint64_t step = ns / pairing->memory->step_ns;
    if (step >= TIMELINE_STEPS)
        step = TIMELINE_STEPS - 1;
    if (step <= pairing->step)
        return 0;
    if (end_step(pairing) != 0)
        return -1;
    pairing->step = (uint32_t)step;
    return 0;
}

static int count_step(struct pairing *pairing, uint32_t thread, bool alloc, uint64_t size)
{
    if (GROW(pairing->step_rows, pairing->step_rows_capacity, thread, pairing->error) != 0)
        return -1;
    struct timeline_row *rows[] = {&pairing->step_rows[0], &pairing->step_rows[thread]};
    for (int i = 0; i < 2; i++) {
        if (alloc) {
            rows[i]->allocs++;
            rows[i]->alloc_bytes += size;
        } else {
            rows[i]->frees++;
            rows[i]->free_bytes += size;
        }
    }
    return 0;
}

/* ---- live memory ---- */

static int go_live(struct pairing *pairing, struct memory_block *block)
{
    struct memory *memory = pairing->memory;
    struct alloc_stack *stack = &memory->stacks[block->stack];
    if (GROW(pairing->functions, pairing->functions_capacity, block->function, pairing->error) !=
            0 ||
        GROW(pairing->threads, pairing->threads_capacity, block->thread, pairing->error) != 0)
        return -1;
    if (++stack->live_blocks > stack->live_blocks_max)
        stack->live_blocks_max = stack->live_blocks;
    if ((stack->live_bytes += block->size) > stack->live_bytes_max)
        stack->live_bytes_max = stack->live_bytes;
    struct live *live = &pairing->functions[block->function];
    live->blocks++;
    live->bytes += block->size;
    struct memory_function *function = memory_function_totals(memory, block->function);
    if (function == NULL)
        return error_set(pairing->error, "out of memory");
    if (live->blocks > function->live_blocks_max)
        function->live_blocks_max = live->blocks;
    if (live->bytes > function->live_bytes_max)
        function->live_bytes_max = live->bytes;
    pairing->threads[block->thread].blocks++;
    pairing->threads[block->thread].bytes += block->size;
    pairing->live_blocks++;
    pairing->live_bytes += block->size;
    if (pairing->live_bytes > pairing->step_max)
        pairing->step_max = pairing->live_bytes;
    if (pairing->live_bytes > memory->peak_bytes) {
        memory->peak_bytes = pairing->live_bytes;
        memory->peak_blocks = pairing->live_blocks;
        memory->peak_ns = block->alloc_ns;
    }
    return 0;
}

static void stop_living(struct pairing *pairing, const struct memory_block *block)
{
    struct alloc_stack *stack = &pairing->memory->stacks[block->stack];
    stack->live_blocks--;
    stack->live_bytes -= block->size;
    pairing->functions[block->function].blocks--;
    pairing->functions[block->function].bytes -= block->size;
    pairing->threads[block->thread].blocks--;
    pairing->threads[block->thread].bytes -= block->size;
    pairing->live_blocks--;
    pairing->live_bytes -= block->size;
}

/* ---- events ---- */

static int find_stack(struct memory *memory, const struct memory_event *event, uint32_t *index,
                      struct error *error)
{
    uint32_t before = memory->stack_keys.count;
    if (intern_add(&memory->stack_keys, event->frame, (uint64_t)event->site << 8 | event->kind,
                   index, error) != 0 ||
        GROW(memory->stacks, memory->stacks_capacity, *index, error) != 0)
        return -1;
    if (*index == before)
        memory->stacks[*index] = (struct alloc_stack){.frame = event->frame,
                                                      .site = event->site,
                                                      .kind = event->kind,
                                                      .min_size = UINT64_MAX,
                                                      .first_live = NO_BLOCK,
                                                      .last_live = NO_BLOCK};
    return 0;
}

static int on_alloc(struct pairing *pairing, const struct memory_thread *thread,
                    const struct memory_event *event, uint64_t ns)
{
    struct memory *memory = pairing->memory;
    uint32_t place, number = (uint32_t)memory->blocks_count, before = pairing->places.count;
    if (memory->blocks_count >= NO_BLOCK - 1)
        return error_set(pairing->error, "more than %u allocations", NO_BLOCK - 1);
    struct memory_block block = {.address = event->address,
                                 .size = event->size,
                                 .alloc_ns = ns,
                                 .call = event->call,
                                 .frame = event->frame,
                                 .function = event->function,
                                 .site = event->site,
                                 .thread = thread->id,
                                 .process = thread->process,
                                 .realloc_of = NO_BLOCK,
                                 .allocs_between = UINT32_MAX,
                                 .kind = event->kind};
    if (find_stack(memory, event, &block.stack, pairing->error) != 0 ||
        intern_add(&pairing->places, thread->process, event->address, &place, pairing->error) !=
            0 ||
        GROW(pairing->newest, pairing->newest_capacity, place, pairing->error) != 0 ||
        GROW(pairing->last_freed, pairing->last_freed_capacity, thread->id, pairing->error) != 0 ||
        array_reserve(&memory->blocks, &memory->blocks_capacity, memory->blocks_count + 1,
                      pairing->error) != 0)
        return -1;
    if (place < before) {
        struct memory_block *old = &memory->blocks[pairing->newest[place]];
        if (!old->freed && !old->lost) {
            old->lost = true;
            stop_living(pairing, old);
        }
    }
    if (event->realloc && pairing->last_freed[thread->id] != 0)
        block.realloc_of = pairing->last_freed[thread->id] - 1;
    pairing->last_freed[thread->id] = 0;
    pairing->newest[place] = number;
    memory->blocks[memory->blocks_count++] = block;
    struct alloc_stack *stack = &memory->stacks[block.stack];
    if (stack->blocks++ == 0) {
        stack->first_ns = ns;
        stack->first_alloc = number;
    }
    stack->bytes += block.size;
    stack->last_ns = ns;
    stack->last_alloc = number;
    if (block.size < stack->min_size)
        stack->min_size = block.size;
    if (block.size > stack->max_size)
        stack->max_size = block.size;
    memory->totals.allocs++;
    memory->totals.alloc_bytes += block.size;
    struct memory_totals *frame = memory_frame_totals(memory, event->frame);
    struct memory_function *function = memory_function_totals(memory, event->function);
    if (frame == NULL || function == NULL)
        return error_set(pairing->error, "out of memory");
    frame->allocs++;
    frame->alloc_bytes += block.size;
    function->own.allocs++;
    function->own.alloc_bytes += block.size;
    if (count_step(pairing, thread->id, true, block.size) != 0)
        return -1;
    return go_live(pairing, &memory->blocks[number]);
}

/* A free of what is no live block. */
static int bad_free(struct pairing *pairing, const struct memory_thread *thread,
                    const struct memory_event *event, uint64_t ns, uint32_t newest)
{
    struct memory *memory = pairing->memory;
    const struct memory_process_facts *process =
        thread->process < memory->processes_capacity ? &memory->processes[thread->process] : NULL;
    bool excused = process != NULL && ((process->gap && event->tick >= process->gap_tick) ||
                                       (newest == NO_BLOCK && process->parent != 0));
    if (excused) {
        memory->unknown_frees++;
        return 0;
    }
    struct free_error error = {.error = newest != NO_BLOCK ? "double" : "unknown",
                               .address = event->address,
                               .ns = ns,
                               .call = event->call,
                               .thread = thread->id,
                               .frame = event->frame,
                               .site = event->site,
                               .block = newest,
                               .kind = event->kind};
    for (size_t i = memory->blocks_count; newest == NO_BLOCK && i-- > 0;) {
        const struct memory_block *block = &memory->blocks[i];
        if (!block->freed && block->process == thread->process && event->address > block->address &&
            event->address - block->address < block->size) {
            error.error = "inside";
            error.block = (uint32_t)i;
            break;
        }
    }
    if (array_reserve(&memory->errors, &memory->errors_capacity, memory->errors_count + 1,
                      pairing->error) != 0)
        return -1;
    memory->errors[memory->errors_count++] = error;
    return 0;
}

static int on_free(struct pairing *pairing, const struct memory_thread *thread,
                   const struct memory_event *event, uint64_t ns)
{
    struct memory *memory = pairing->memory;
    uint32_t place = intern_find(&pairing->places, thread->process, event->address);
    uint32_t number = place != INTERN_NONE ? pairing->newest[place] : NO_BLOCK;
    if (GROW(pairing->last_freed, pairing->last_freed_capacity, thread->id, pairing->error) != 0)
        return -1;
    pairing->last_freed[thread->id] = 0;
    if (number == NO_BLOCK || memory->blocks[number].freed || memory->blocks[number].lost)
        return bad_free(pairing, thread, event, ns, number);
    struct memory_block *block = &memory->blocks[number];
    struct alloc_stack *stack = &memory->stacks[block->stack];
    block->freed = true;
    block->free_ns = ns > block->alloc_ns ? ns : block->alloc_ns;
    block->free_call = event->call;
    block->free_frame = event->frame;
    block->free_site = event->site;
    block->free_thread = thread->id;
    block->free_kind = event->kind;
    if (block->thread == thread->id) {
        block->owner_call = event->owner_call;
        block->owner_frame = event->owner_frame;
        block->allocs_between = event->allocs_between;
    }
    if (event->realloc)
        pairing->last_freed[thread->id] = number + 1;
    uint64_t lifetime = block->free_ns - block->alloc_ns;
    stack->freed_blocks++;
    stack->freed_bytes += block->size;
    stack->lifetime_ns += lifetime;
    if (lifetime > stack->lifetime_max_ns)
        stack->lifetime_max_ns = lifetime;
    stack->cross_thread_frees += block->thread != thread->id;
    memory->totals.frees++;
    memory->totals.free_bytes += block->size;
    struct memory_totals *frame = memory_frame_totals(memory, event->frame);
    struct memory_function *function = memory_function_totals(memory, event->function);
    if (frame == NULL || function == NULL)
        return error_set(pairing->error, "out of memory");
    frame->frees++;
    frame->free_bytes += block->size;
    function->own.frees++;
    function->own.free_bytes += block->size;
    for (uint32_t i = 0; event->size == UINT64_MAX && i < event->functions_count; i++) {
        function = memory_function_totals(memory, thread->functions[event->functions_first + i]);
        if (function == NULL)
            return error_set(pairing->error, "out of memory");
        function->inclusive.frees++;
        function->inclusive.free_bytes += block->size;
    }
    stop_living(pairing, block);
    return count_step(pairing, thread->id, false, block->size);
}

static int pair_all(struct pairing *pairing)
{
    struct memory *memory = pairing->memory;
    struct source *heap = calloc(memory->threads_count + 1, sizeof *heap);
    size_t count = 0;
    int result = 0;
    if (heap == NULL)
        return error_set(pairing->error, "out of memory");
    for (size_t i = 0; i < memory->threads_count; i++)
        if (memory->threads[i]->events_count > 0)
            heap[count++] = (struct source){memory->threads[i], 0};
    for (size_t i = count / 2; i-- > 0;)
        sift(heap, count, i);
    while (count > 0 && result == 0) {
        struct memory_thread *thread = heap[0].thread;
        const struct memory_event *event = &thread->events[heap[0].at];
        uint64_t ns = memory->options.ns_at(memory->options.clock, thread->process, event->tick);
        result = to_step(pairing, ns);
        if (result == 0)
            result = event->type == MEMORY_ALLOC ? on_alloc(pairing, thread, event, ns)
                                                 : on_free(pairing, thread, event, ns);
        if (++heap[0].at == thread->events_count)
            heap[0] = heap[--count];
        sift(heap, count, 0);
    }
    free(heap);
    return result == 0 ? end_step(pairing) : result;
}

/* ---- rows ---- */

static void text_column(struct record *record, const char *text)
{
    record_text(record, text, (uint32_t)strlen(text));
}

static int write_blocks(struct memory *memory, struct btree_file *file, struct error *error)
{
    struct btree_part *part;
    struct record record;
    if (memory->blocks_count == 0)
        return 0;
    if (btree_part_begin(file, &part, error) != 0)
        return -1;
    for (size_t i = 0; i < memory->blocks_count; i++) {
        const struct memory_block *block = &memory->blocks[i];
        record_begin(&record, 18);
        record_null(&record);
        record_id_or_null(&record, block->call);
        record_id_or_null(&record, block->frame);
        record_int(&record, block->thread);
        record_id_or_null(&record, block->site);
        text_column(&record, memory_kind_name(block->kind));
        record_int(&record, (int64_t)block->address);
        record_int(&record, (int64_t)block->size);
        record_int(&record, (int64_t)block->alloc_ns);
        if (block->freed) {
            record_int(&record, (int64_t)block->free_ns);
            record_id_or_null(&record, block->free_call);
            record_id_or_null(&record, block->free_frame);
            record_int(&record, block->free_thread);
            record_id_or_null(&record, block->free_site);
            text_column(&record, memory_kind_name(block->free_kind));
        } else {
            for (int column = 0; column < 6; column++)
                record_null(&record);
        }
        record_id_or_null(&record, block->realloc_of == NO_BLOCK ? 0 : block->realloc_of + 1u);
        if (block->freed && block->allocs_between != UINT32_MAX)
            record_int(&record, block->allocs_between);
        else
            record_null(&record);
        record_id_or_null(&record, block->owner_call);
        if (btree_append(part, (int64_t)i + 1, record_data(&record), record_bytes(&record), 0, NULL,
                         error) != 0)
            return -1;
    }
    if (btree_part_end(part, error) != 0)
        return -1;
    return btree_finish(file, "allocs", &part, 1, error);
}

/* What was live at the peak, and what never was freed. */
static void look_back(struct memory *memory)
{
    for (size_t i = 0; i < memory->blocks_count; i++) {
        const struct memory_block *block = &memory->blocks[i];
        struct alloc_stack *stack = &memory->stacks[block->stack];
        if (block->alloc_ns <= memory->peak_ns &&
            (!block->freed || block->free_ns > memory->peak_ns)) {
            stack->peak_blocks++;
            stack->peak_bytes += block->size;
        }
        if (!block->freed) {
            if (stack->first_live == NO_BLOCK)
                stack->first_live = (uint32_t)i;
            stack->last_live = (uint32_t)i;
        }
    }
}

int memory_pair(struct memory *memory, struct btree_file *file, uint64_t end_ns,
                struct error *error)
{
    struct pairing pairing = {.memory = memory, .error = error};
    memory->end_ns = end_ns;
    memory->step_ns = end_ns / TIMELINE_STEPS + 1;
    int result = pair_all(&pairing);
    intern_release(&pairing.places);
    free(pairing.newest);
    free(pairing.functions);
    free(pairing.threads);
    free(pairing.step_rows);
    free(pairing.last_freed);
    if (result != 0)
        return -1;
    look_back(memory);
    return write_blocks(memory, file, error);
}

struct memory_totals memory_of_frame(const struct memory *memory, uint32_t frame_id)
{
    return frame_id < memory->frames_capacity ? memory->frames[frame_id]
                                              : (struct memory_totals){0};
}

struct memory_function memory_of_function(const struct memory *memory, uint32_t function_id)
{
    return function_id < memory->functions_capacity ? memory->functions[function_id]
                                                    : (struct memory_function){0};
}

uint64_t memory_rows(const struct memory *memory)
{
    return memory->blocks_count;
}
