/*
 * The second stage of memory.h: goes through all threads' events by time and finds each free's
 * block.
 *
 * A heap merges the threads' events by their ticks. At equal ticks frees come first: the collector
 * logs a free before it happens, an allocation after. Forks and ends of processes come between
 * them, by their ticks, too (memory_processes.h).
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"
#include "loader/memory/memory_parts.h"
#include "loader/memory/memory_rows.h"

/* How far a thread's events have come. */
struct pair_thread {
    const struct memory_thread *thread;
    struct memory_reader reader; /* its event is the next one */
    uint64_t tick;               /* the next event's, never less than before */
    bool begun;
    uint64_t allocs;
    struct memory_link freed; /* by the realloc whose allocation comes next */
    uint32_t *place_stacks;   /* by place: its stack + 1 */
    struct memory_together (*together)[MEMORY_DOERS]; /* by place: what its calls allocated */
    struct memory_totals *paths;
};

struct pairing {
    struct memory *memory;
    struct error *error;
    struct pair_thread *threads; /* as memory->threads */
    struct memory_blocks blocks;
    struct memory_rows rows;
    struct memory_chains chains;
    struct memory_live live;
};

/* ---- reading ---- */

/* Moves to the thread's next event. Returns 1; 0 = there is none; -1. */
static int next_event(struct pairing *pairing, struct pair_thread *thread)
{
    int status = memory_reader_next(&thread->reader, pairing->error);
    if (status > 0 && thread->reader.event.tick > thread->tick)
        thread->tick = thread->reader.event.tick;
    return status;
}

/* Reads a thread's first event. Makes its tables only now: many threads are short. */
static int begin_thread(struct pairing *pairing, struct pair_thread *thread)
{
    const struct memory_places *places = &thread->thread->places;
    thread->begun = true;
    thread->place_stacks =
        calloc((size_t)places->place_keys.count + 1, sizeof *thread->place_stacks);
    thread->paths = calloc((size_t)memory_paths_count(places) + 1, sizeof *thread->paths);
    thread->together = calloc((size_t)places->place_keys.count + 1, sizeof *thread->together);
    if (thread->together == NULL || thread->place_stacks == NULL || thread->paths == NULL)
        return error_set(pairing->error, "out of memory");
    return next_event(pairing, thread);
}

static void release_thread(struct pair_thread *thread)
{
    memory_reader_release(&thread->reader);
    free(thread->place_stacks);
    free(thread->paths);
    free(thread->together);
    thread->together = NULL;
    thread->place_stacks = NULL;
    thread->paths = NULL;
}

/* Adds the most that one of the thread's calls allocated to the places of all threads. */
static void add_together(struct pairing *pairing, const struct pair_thread *thread)
{
    for (uint32_t place = 0; place < thread->thread->places.place_keys.count; place++) {
        if (thread->place_stacks[place] == 0)
            continue;
        struct alloc_stack *stack = &pairing->memory->stacks.items[thread->place_stacks[place] - 1];
        for (int i = 0; i < MEMORY_DOERS; i++)
            if (thread->together[place][i].most > stack->together[i].most)
                stack->together[i] = thread->together[place][i];
    }
}

static int end_thread(struct pairing *pairing, struct pair_thread *thread)
{
    add_together(pairing, thread);
    int status = memory_sums_add_paths(&pairing->memory->sums, &thread->thread->places,
                                       thread->paths, pairing->error);
    release_thread(thread);
    if (status < 0)
        return -1;
    return memory_chains_end(&pairing->chains, &thread->freed, pairing->error);
}

/* ---- what an event adds to ---- */

static const struct memory_place *place_of(const struct pair_thread *thread)
{
    return &thread->thread->places.places[thread->reader.event.place];
}

static struct memory_process *process_of(const struct pairing *pairing,
                                         const struct pair_thread *thread)
{
    return &pairing->memory->processes.items[thread->thread->process];
}

/* The stack of an event's place. */
static int find_stack(struct pairing *pairing, struct pair_thread *thread, uint32_t *index)
{
    uint32_t *known = &thread->place_stacks[thread->reader.event.place];
    if (*known == 0) {
        if (memory_stacks_find(&pairing->memory->stacks, place_of(thread), index, pairing->error) <
            0)
            return -1;
        *known = *index + 1;
    }
    *index = *known - 1;
    return 0;
}

/* Adds to the totals of the event's place: its frame's, its function's own, its path's and all. */
static int add_totals(struct pairing *pairing, struct pair_thread *thread,
                      const struct memory_totals *more)
{
    struct memory_sums *sums = &pairing->memory->sums;
    const struct memory_place *place = place_of(thread);
    if (memory_sums_reach(sums, place->frame, place->function, pairing->error) < 0)
        return -1;
    memory_totals_add(&sums->all, more);
    memory_totals_add(&sums->frames[place->frame], more);
    memory_totals_add(&sums->functions[place->function].own, more);
    if (place->path > 0)
        memory_totals_add(&thread->paths[place->path - 1], more);
    return 0;
}

static int count_alloc(struct pairing *pairing, struct pair_thread *thread,
                       const struct memory_block *block)
{
    struct memory *memory = pairing->memory;
    struct alloc_stack *stack = &memory->stacks.items[block->stack];
    memory_stack_count_alloc(stack, block);
    for (int i = 0; i < MEMORY_DOERS; i++)
        memory_together_count(&thread->together[thread->reader.event.place][i],
                              thread->reader.event.doers.by_level[i]);
    struct memory_totals more = {.allocs = 1, .alloc_bytes = block->size};
    return add_totals(pairing, thread, &more) < 0
               ? -1
               : memory_counts_alloc(&memory->counts, stack, block, pairing->error);
}

static int count_free(struct pairing *pairing, struct pair_thread *thread,
                      const struct memory_block *block, const struct memory_block_free *freed)
{
    struct memory *memory = pairing->memory;
    struct alloc_stack *stack = &memory->stacks.items[block->stack];
    memory_stack_count_free(stack, block, freed);
    struct memory_totals more = {.frees = 1, .free_bytes = block->size};
    return add_totals(pairing, thread, &more) < 0
               ? -1
               : memory_counts_free(&memory->counts, stack, block, freed, pairing->error);
}

/* ---- blocks ---- */

/* The block lives no longer, but no free of it is known. */
static int forget_block(struct pairing *pairing, uint32_t index)
{
    const struct memory_block *block = &pairing->blocks.items[index];
    struct memory_link link = memory_link_of(block);
    memory_stack_note_live(&pairing->memory->stacks.items[block->stack], block);
    memory_live_remove(&pairing->live, block, false);
    if (memory_chains_end(&pairing->chains, &link, pairing->error) < 0)
        return -1;
    return memory_rows_final(&pairing->rows, index, NULL, pairing->error);
}

/* The thread's event frees a block. */
static int free_block(struct pairing *pairing, uint32_t thread_index, uint32_t index, uint64_t ns)
{
    struct pair_thread *thread = &pairing->threads[thread_index];
    const struct memory_event *event = &thread->reader.event;
    const struct memory_block *block = &pairing->blocks.items[index];
    const struct memory_place *place = place_of(thread);
    bool same_thread = block->thread == thread_index;
    bool own = same_thread && event->number == block->number;
    struct memory_block_free freed = {
        .freed = true,
        .ns = ns > block->alloc_ns ? ns : block->alloc_ns,
        .call = event->call,
        .doers = event->doers,
        .frame = place->frame,
        .site = place->site,
        .kind = place->kind,
        .thread = thread_index,
        .same_thread = same_thread,
        .allocs_between = same_thread ? thread->allocs - block->number - 1 : 0,
        .owner_call = own ? event->owner_call : 0,
        .owner_frame = own ? event->owner_frame : 0,
    };
    if (count_free(pairing, thread, block, &freed) < 0)
        return -1;
    memory_live_remove(&pairing->live, block, true);
    struct memory_link link = memory_link_of(block);
    if (event->realloc)
        thread->freed = link;
    else if (memory_chains_end(&pairing->chains, &link, pairing->error) < 0)
        return -1;
    return memory_rows_final(&pairing->rows, index, &freed, pairing->error);
}

/* An allocation at the address of a live block: that block's free is missing. */
static int clash(struct pairing *pairing, const struct pair_thread *thread, uint32_t old,
                 uint64_t ns)
{
    struct memory_errors *errors = &pairing->memory->errors;
    struct memory_clash clash = {.ns = ns,
                                 .call = thread->reader.event.call,
                                 .old_alloc = pairing->blocks.items[old].id,
                                 .alloc = pairing->rows.next,
                                 .thread = thread->thread->id};
    if (memory_process_has_gap(process_of(pairing, thread), thread->tick))
        errors->missing_frees++;
    else if (memory_errors_add_clash(errors, &clash, pairing->error) < 0)
        return -1;
    return forget_block(pairing, old);
}

/* ---- events ---- */

static int on_alloc(struct pairing *pairing, uint32_t thread_index, uint64_t ns)
{
    struct memory *memory = pairing->memory;
    struct pair_thread *thread = &pairing->threads[thread_index];
    const struct memory_event *event = &thread->reader.event;
    struct memory_process *process = process_of(pairing, thread);
    uint32_t index, stack;
    uint64_t old = memory_map_find(&process->live, event->address);
    if (old != MEMORY_MAP_NONE && clash(pairing, thread, (uint32_t)old, ns) < 0)
        return -1;
    memory_inherited_remove(&process->inherited, event->address);
    if (memory_rows_add(&pairing->rows, &index, pairing->error) < 0 ||
        find_stack(pairing, thread, &stack) < 0 ||
        memory_map_put(&process->live, event->address, index, pairing->error) < 0)
        return -1;
    struct memory_block *block = &pairing->blocks.items[index];
    block->address = event->address;
    block->size = event->size;
    block->alloc_ns = ns;
    block->call = event->call;
    block->number = thread->allocs++;
    block->stack = stack;
    block->thread = thread_index;
    if (event->realloc && thread->freed.valid &&
        memory_chains_continue(&pairing->chains, block, &thread->freed, pairing->error) < 0)
        return -1;
    thread->freed = memory_no_link;
    if (count_alloc(pairing, thread, block) < 0)
        return -1;
    if (memory->processes.forking_count > 0 &&
        memory_processes_inherit_late(&memory->processes, thread->thread->process, block,
                                      thread->tick, pairing->error) < 0)
        return -1;
    return memory_live_add(&pairing->live, block, pairing->error);
}

/* A free of no live block. memory_errors_classify explains it, unless the process inherited the
 * block and freed it before. */
static int bad_free(struct pairing *pairing, const struct pair_thread *thread, uint64_t ns,
                    const struct memory_inherited_block *inherited)
{
    struct memory_errors *errors = &pairing->memory->errors;
    const struct memory_place *place = place_of(thread);
    if (memory_process_has_gap(process_of(pairing, thread), thread->tick)) {
        errors->unknown_frees++;
        return 0;
    }
    return memory_errors_add_free(
        errors,
        &(struct memory_wrong_free){.error = inherited != NULL ? "double" : NULL,
                                    .address = thread->reader.event.address,
                                    .ns = ns,
                                    .call = thread->reader.event.call,
                                    .before = pairing->rows.next,
                                    .alloc = inherited != NULL ? inherited->id : 0,
                                    .thread = thread->thread->id,
                                    .process = thread->thread->process,
                                    .frame = place->frame,
                                    .site = place->site,
                                    .kind = place->kind},
        pairing->error);
}

static int on_free(struct pairing *pairing, uint32_t thread_index, uint64_t ns)
{
    struct pair_thread *thread = &pairing->threads[thread_index];
    struct memory_process *process = process_of(pairing, thread);
    uint64_t address = thread->reader.event.address;
    if (memory_chains_end(&pairing->chains, &thread->freed, pairing->error) < 0)
        return -1;
    thread->freed = memory_no_link;
    uint64_t index = memory_map_find(&process->live, address);
    if (index != MEMORY_MAP_NONE) {
        memory_map_remove(&process->live, address);
        return free_block(pairing, thread_index, (uint32_t)index, ns);
    }
    struct memory_inherited_block *block = memory_inherited_find(&process->inherited, address);
    if (block == NULL || block->freed)
        return bad_free(pairing, thread, ns, block);
    block->freed = true;
    if (thread->reader.event.realloc)
        thread->freed = (struct memory_link){.valid = true,
                                             .id = block->id,
                                             .address = address,
                                             .size = block->size,
                                             .chain = MEMORY_NO_INDEX};
    return 0;
}

/* ---- processes ---- */

static int on_process_end(struct pairing *pairing, uint32_t id)
{
    struct memory_process *process = &pairing->memory->processes.items[id];
    const struct memory_map_slot *slot;
    for (size_t at = 0; (slot = memory_map_next(&process->live, &at)) != NULL;)
        if (forget_block(pairing, (uint32_t)(slot->value - 1)) < 0)
            return -1;
    memory_process_forget(process);
    return 0;
}

/* Processes the forks up to an event's tick, and the ends before it. */
static int pass_processes(struct pairing *pairing, uint64_t tick)
{
    const struct memory_options *options = &pairing->memory->options;
    struct memory_processes *processes = &pairing->memory->processes;
    const struct memory_process_event *event;
    while ((event = memory_processes_next(processes, tick)) != NULL) {
        if (!event->end) {
            if (memory_processes_fork(processes, event->process, &pairing->blocks, pairing->error) <
                0)
                return -1;
        } else if (processes->items[event->process].has_events) {
            uint64_t ns = options->ns_at(options->clock, event->process, event->tick);
            if (memory_live_advance(&pairing->live, ns, pairing->error) < 0 ||
                on_process_end(pairing, event->process) < 0)
                return -1;
        }
    }
    return 0;
}

/* The run's end: what lives now was never freed. */
static int end_processes(struct pairing *pairing)
{
    const struct memory_processes *processes = &pairing->memory->processes;
    for (size_t id = 0; id < processes->capacity; id++) {
        const struct memory_map_slot *slot;
        for (size_t at = 0; (slot = memory_map_next(&processes->items[id].live, &at)) != NULL;) {
            const struct memory_block *block = &pairing->blocks.items[slot->value - 1];
            struct memory_link link = memory_link_of(block);
            memory_stack_note_live(&pairing->memory->stacks.items[block->stack], block);
            if (memory_chains_end(&pairing->chains, &link, pairing->error) < 0)
                return -1;
        }
    }
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

/* Processes the event at the heap's head and puts the thread's next one there. Returns 1; 0 = the
 * thread has no more; -1. */
static int step(struct pairing *pairing, struct head *head)
{
    const struct memory_options *options = &pairing->memory->options;
    struct pair_thread *thread = &pairing->threads[head->thread];
    if (!thread->begun && begin_thread(pairing, thread) < 0)
        return -1;
    uint64_t ns = options->ns_at(options->clock, thread->thread->process, thread->tick);
    if (pass_processes(pairing, thread->tick) < 0 ||
        memory_live_advance(&pairing->live, ns, pairing->error) < 0)
        return -1;
    int status = thread->reader.event.type == MEMORY_ALLOC ? on_alloc(pairing, head->thread, ns)
                                                           : on_free(pairing, head->thread, ns);
    if (status < 0)
        return -1;
    status = next_event(pairing, thread);
    if (status == 0)
        return end_thread(pairing, thread);
    head->tick = thread->tick;
    head->type = thread->reader.event.type;
    return status;
}

static int merge(struct pairing *pairing)
{
    const struct memory *memory = pairing->memory;
    struct head *heap = calloc(memory->threads_count + 1, sizeof *heap);
    size_t count = 0;
    int status = heap == NULL ? error_set(pairing->error, "out of memory") : 0;
    for (uint32_t i = 0; status == 0 && i < memory->threads_count; i++) {
        const struct memory_spool *spool = &memory->threads[i]->spool;
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

/* ---- the whole ---- */

/* Brings together what the threads noted. */
static int gather(struct memory *memory, struct error *error)
{
    for (size_t i = 0; i < memory->threads_count; i++)
        if (memory_leaks_merge(&memory->threads[i]->leaks, &memory->sums, error) < 0)
            return -1;
    if (memory_processes_take_threads(&memory->processes, memory->threads, memory->threads_count,
                                      error) < 0)
        return -1;
    return memory_processes_plan(&memory->processes, error);
}

static int begin(struct pairing *pairing, struct btree_file *file)
{
    struct memory *memory = pairing->memory;
    size_t count = memory->threads_count;
    for (size_t i = 0; i < count; i++) {
        struct memory_thread *thread = memory->threads[i];
        pairing->threads[i] =
            (struct pair_thread){.thread = thread,
                                 .reader = {.spool = &thread->spool, .store = &memory->store},
                                 .freed = memory_no_link};
    }
    if (memory_rows_begin(&pairing->rows, &pairing->blocks, &memory->stacks, memory->threads, file,
                          pairing->error) < 0 ||
        memory_chains_begin(&pairing->chains, file, pairing->error) < 0)
        return -1;
    return memory_live_begin(&pairing->live, &memory->stacks, &memory->sums, &memory->timeline,
                             memory->threads, count, pairing->error);
}

static int finish(struct pairing *pairing, struct btree_file *file)
{
    struct memory *memory = pairing->memory;
    memory->rows = pairing->rows.next - 1;
    if (end_processes(pairing) < 0 ||
        memory_live_end(&pairing->live, memory->rows > 0, pairing->error) < 0 ||
        memory_rows_end(&pairing->rows, pairing->error) < 0 ||
        memory_chains_end_rows(&pairing->chains, pairing->error) < 0 ||
        btree_finish(file, "allocs", &pairing->rows.part, 1, pairing->error) < 0)
        return -1;
    return btree_finish(file, "alloc_chains", &pairing->chains.rows, 1, pairing->error);
}

static void release(struct pairing *pairing)
{
    for (size_t i = 0; pairing->threads != NULL && i < pairing->memory->threads_count; i++)
        release_thread(&pairing->threads[i]);
    free(pairing->threads);
    memory_processes_trim(&pairing->memory->processes);
    memory_rows_release(&pairing->rows);
    memory_chains_release(&pairing->chains);
    memory_live_release(&pairing->live);
    memory_blocks_release(&pairing->blocks);
}

int memory_pair(struct memory *memory, struct btree_file *file, uint64_t end_ns,
                struct error *error)
{
    struct pairing pairing = {.memory = memory, .error = error};
    memory->timeline = memory_timeline_of(end_ns, memory->threads_count);
    pairing.threads = calloc(memory->threads_count + 1, sizeof *pairing.threads);
    int status =
        pairing.threads == NULL ? error_set(error, "out of memory") : gather(memory, error);
    if (status == 0 &&
        (begin(&pairing, file) < 0 || merge(&pairing) < 0 || finish(&pairing, file) < 0))
        status = -1;
    release(&pairing);
    return status;
}
