/*
 * Processes while memory_pair goes through the run: a forked child inherits what its parent has;
 * when a process ends its memory is gone, unless nothing follows in any process.
 *
 * Forks and ends are listed beforehand by their ticks, and passed as the events come to them. Only
 * children with events (or with such descendants) inherit, for that is a copy of the parent's map.
 */
#include "loader/memory/memory_pairing.h"

static void note_not_freed(struct memory *memory, const struct memory_block *block)
{
    struct alloc_stack *stack = &memory->stacks[block->stack];
    if (stack->first_live == 0 || block->id < stack->first_live)
        stack->first_live = block->id;
    if (block->id > stack->last_live)
        stack->last_live = block->id;
}

int pair_forget_block(struct pairing *pairing, uint32_t index)
{
    const struct memory_block *block = &pairing->blocks[index];
    struct memory_link link = memory_link_of(block);
    note_not_freed(pairing->memory, block);
    live_remove(pairing, block, false);
    if (chain_end(pairing, &link) < 0)
        return -1;
    return rows_final(pairing, index, NULL);
}

static int inherit(struct pairing *pairing, struct pair_process *child, uint64_t address,
                   struct inherited_block block)
{
    if (array_reserve(&child->inherited, &child->inherited_capacity, child->inherited_count + 1,
                      pairing->error) < 0)
        return -1;
    child->inherited[child->inherited_count] = block;
    return memory_map_put(&child->inherited_at, address, child->inherited_count++, pairing->error);
}

static int on_fork(struct pairing *pairing, uint32_t child_id)
{
    const struct memory *memory = pairing->memory;
    struct pair_process *child = &pairing->processes[child_id];
    struct pair_process *parent = &pairing->processes[memory->processes[child_id].parent];
    pairing->forking[pairing->forking_count++] = child_id;
    for (size_t i = 0; parent->live.count > 0 && i <= parent->live.mask; i++) {
        const struct memory_map_slot *slot = &parent->live.slots[i];
        if (slot->value == 0)
            continue;
        const struct memory_block *block = &pairing->blocks[slot->value - 1];
        if (inherit(pairing, child, slot->address,
                    (struct inherited_block){block->id, block->size, false}) < 0)
            return -1;
    }
    for (size_t i = 0; parent->inherited_at.count > 0 && i <= parent->inherited_at.mask; i++) {
        const struct memory_map_slot *slot = &parent->inherited_at.slots[i];
        if (slot->value != 0 &&
            memory_map_find(&child->inherited_at, slot->address) == MEMORY_MAP_NONE &&
            inherit(pairing, child, slot->address, parent->inherited[slot->value - 1]) < 0)
            return -1;
    }
    return 0;
}

int pair_inherit_late(struct pairing *pairing, uint32_t process, const struct memory_block *block,
                      uint64_t tick)
{
    const struct memory_process_facts *facts = pairing->memory->processes;
    for (size_t i = pairing->forking_count; i-- > 0;) {
        uint32_t child = pairing->forking[i];
        if (facts[child].start_tick < tick)
            pairing->forking[i] = pairing->forking[--pairing->forking_count];
        else if (facts[child].parent == process &&
                 inherit(pairing, &pairing->processes[child], block->address,
                         (struct inherited_block){block->id, block->size, false}) < 0)
            return -1;
    }
    return 0;
}

void pair_process_release(struct pair_process *process)
{
    memory_map_release(&process->live);
    memory_map_release(&process->inherited_at);
    free(process->inherited);
    process->inherited = NULL;
    process->inherited_count = process->inherited_capacity = 0;
}

static int on_process_end(struct pairing *pairing, uint32_t id)
{
    struct pair_process *process = &pairing->processes[id];
    for (size_t i = 0; process->live.count > 0 && i <= process->live.mask; i++)
        if (process->live.slots[i].value != 0 &&
            pair_forget_block(pairing, (uint32_t)(process->live.slots[i].value - 1)) < 0)
            return -1;
    pair_process_release(process);
    return 0;
}

static int compare_process_events(const void *left, const void *right)
{
    const struct process_event *a = left, *b = right;
    if (a->tick != b->tick)
        return a->tick < b->tick ? -1 : 1;
    if (a->end != b->end)
        return a->end ? 1 : -1;
    return a->process < b->process ? -1 : a->process > b->process;
}

/* The child inherits what lives before the fork, and what other threads allocate until its start: a
 * few microseconds, in which the fork came. What they free then it has still, or nobody asks. */
static uint64_t fork_tick(const struct memory_process_facts *facts)
{
    bool known = facts->fork_tick != 0 && facts->fork_tick < facts->start_tick;
    return known ? facts->fork_tick : facts->start_tick;
}

int pair_plan_processes(struct pairing *pairing)
{
    struct memory *memory = pairing->memory;
    size_t count = memory->processes_capacity;
    pairing->processes = calloc(count + 1, sizeof *pairing->processes);
    pairing->process_events = calloc(2 * count + 1, sizeof *pairing->process_events);
    pairing->forking = calloc(count + 1, sizeof *pairing->forking);
    if (pairing->processes == NULL || pairing->process_events == NULL || pairing->forking == NULL)
        return error_set(pairing->error, "out of memory");
    for (size_t i = 0; i < memory->threads_count; i++) {
        const struct memory_thread *thread = memory->threads[i];
        struct memory_process_facts *facts = &memory->processes[thread->process];
        if (!thread->any)
            continue;
        if (facts->start_tick == 0 || thread->first_tick < facts->start_tick)
            facts->start_tick = thread->first_tick;
        /* Marks the process and those it was forked from; no longer way than there are processes,
         * whatever the log says. */
        uint32_t at = thread->process;
        for (size_t step = 0; step < count && at < count && !pairing->processes[at].has_events;
             step++) {
            pairing->processes[at].has_events = true;
            at = memory->processes[at].parent;
        }
    }
    for (uint32_t id = 1; id < count; id++) {
        const struct memory_process_facts *facts = &memory->processes[id];
        struct process_event *events = pairing->process_events;
        if (facts->parent != 0 && facts->parent < count && facts->parent != id &&
            pairing->processes[id].has_events)
            events[pairing->process_events_count++] =
                (struct process_event){fork_tick(facts), id, false};
        if (facts->told && facts->end_tick != UINT64_MAX && facts->end_tick != 0)
            events[pairing->process_events_count++] =
                (struct process_event){facts->end_tick, id, true};
    }
    qsort(pairing->process_events, pairing->process_events_count, sizeof *pairing->process_events,
          compare_process_events);
    return 0;
}

int pair_pass_processes(struct pairing *pairing, uint64_t tick)
{
    const struct memory_options *options = &pairing->memory->options;
    while (pairing->process_event < pairing->process_events_count) {
        const struct process_event *event = &pairing->process_events[pairing->process_event];
        if (event->end ? event->tick >= tick : event->tick > tick)
            return 0;
        pairing->process_event++;
        if (!event->end) {
            if (on_fork(pairing, event->process) < 0)
                return -1;
        } else if (pairing->processes[event->process].has_events) {
            uint64_t ns = options->ns_at(options->clock, event->process, event->tick);
            if (live_advance(pairing, ns) < 0 || on_process_end(pairing, event->process) < 0)
                return -1;
        }
    }
    return 0;
}

int pair_end_processes(struct pairing *pairing)
{
    const struct memory *memory = pairing->memory;
    for (size_t id = 0; id < memory->processes_capacity; id++) {
        const struct memory_map *live = &pairing->processes[id].live;
        for (size_t i = 0; live->count > 0 && i <= live->mask; i++) {
            if (live->slots[i].value == 0)
                continue;
            const struct memory_block *block = &pairing->blocks[live->slots[i].value - 1];
            struct memory_link link = memory_link_of(block);
            note_not_freed(pairing->memory, block);
            if (chain_end(pairing, &link) < 0)
                return -1;
        }
    }
    return 0;
}
