/* The processes of the run: see memory_processes.h. */
#include "loader/memory/memory_processes.h"

#include <stdlib.h>

#include "base/array.h"

struct memory_process *memory_processes_reach(struct memory_processes *processes, uint32_t id,
                                              struct error *error)
{
    if (array_reach(&processes->items, &processes->capacity, id, error) < 0)
        return NULL;
    struct memory_process *process = &processes->items[id];
    if (!process->known)
        process->end_tick = UINT64_MAX;
    process->known = true;
    return process;
}

void memory_process_forget(struct memory_process *process)
{
    memory_map_release(&process->live);
    memory_inherited_release(&process->inherited);
}

void memory_processes_trim(struct memory_processes *processes)
{
    for (size_t i = 0; i < processes->capacity; i++)
        memory_process_forget(&processes->items[i]);
    free(processes->events);
    free(processes->forking);
    processes->events = NULL;
    processes->forking = NULL;
    processes->events_count = processes->next_event = processes->forking_count = 0;
}

void memory_processes_release(struct memory_processes *processes)
{
    memory_processes_trim(processes);
    free(processes->items);
    *processes = (struct memory_processes){0};
}

/* ---- what is known beforehand ---- */

/* Marks a process with events and its ancestors by fork; ends for any log, hostile ones
 * included. */
static void mark_events(struct memory_processes *processes, uint32_t id)
{
    size_t count = processes->capacity;
    for (size_t step = 0; step < count && id < count && !processes->items[id].has_events; step++) {
        processes->items[id].has_events = true;
        id = processes->items[id].parent;
    }
}

int memory_processes_take_threads(struct memory_processes *processes,
                                  struct memory_thread *const *threads, size_t count,
                                  struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct memory_thread *thread = threads[i];
        struct memory_process *process = memory_processes_reach(processes, thread->process, error);
        if (process == NULL)
            return -1;
        if (thread->gap.any && !memory_process_has_gap(process, thread->gap.tick))
            process->gap = thread->gap;
        if (thread->spool.any &&
            (process->start_tick == 0 || thread->spool.first_tick < process->start_tick))
            process->start_tick = thread->spool.first_tick;
    }
    for (size_t i = 0; i < count; i++)
        if (threads[i]->spool.any)
            mark_events(processes, threads[i]->process);
    return 0;
}

static int compare_events(const void *left, const void *right)
{
    const struct memory_process_event *a = left, *b = right;
    if (a->tick != b->tick)
        return a->tick < b->tick ? -1 : 1;
    if (a->end != b->end)
        return a->end ? 1 : -1;
    return a->process < b->process ? -1 : a->process > b->process;
}

/* The child inherits what lives before the fork, and what other threads allocate until its start:
 * the fork came within these few microseconds. It keeps what they free then; nobody asks. */
static uint64_t fork_tick(const struct memory_process *process)
{
    bool known = process->fork_tick != 0 && process->fork_tick < process->start_tick;
    return known ? process->fork_tick : process->start_tick;
}

int memory_processes_plan(struct memory_processes *processes, struct error *error)
{
    size_t count = processes->capacity;
    processes->events = calloc(2 * count + 1, sizeof *processes->events);
    processes->forking = calloc(count + 1, sizeof *processes->forking);
    if (processes->events == NULL || processes->forking == NULL)
        return error_set(error, "out of memory");
    for (uint32_t id = 1; id < count; id++) {
        const struct memory_process *process = &processes->items[id];
        if (process->parent != 0 && process->parent < count && process->parent != id &&
            process->has_events)
            processes->events[processes->events_count++] =
                (struct memory_process_event){fork_tick(process), id, false};
        if (process->known && process->end_tick != UINT64_MAX && process->end_tick != 0)
            processes->events[processes->events_count++] =
                (struct memory_process_event){process->end_tick, id, true};
    }
    qsort(processes->events, processes->events_count, sizeof *processes->events, compare_events);
    return 0;
}

/* ---- forks ---- */

int memory_processes_fork(struct memory_processes *processes, uint32_t child_id,
                          const struct memory_blocks *blocks, struct error *error)
{
    struct memory_process *child = &processes->items[child_id];
    const struct memory_process *parent = &processes->items[child->parent];
    processes->forking[processes->forking_count++] = child_id;
    const struct memory_map_slot *slot;
    for (size_t at = 0; (slot = memory_map_next(&parent->live, &at)) != NULL;) {
        const struct memory_block *block = &blocks->items[slot->value - 1];
        if (memory_inherited_add(&child->inherited, slot->address,
                                 (struct memory_inherited_block){block->id, block->size, false},
                                 error) < 0)
            return -1;
    }
    return memory_inherited_copy(&child->inherited, &parent->inherited, error);
}

int memory_processes_inherit_late(struct memory_processes *processes, uint32_t process,
                                  const struct memory_block *block, uint64_t tick,
                                  struct error *error)
{
    for (size_t i = processes->forking_count; i-- > 0;) {
        uint32_t id = processes->forking[i];
        struct memory_process *child = &processes->items[id];
        if (child->start_tick < tick)
            processes->forking[i] = processes->forking[--processes->forking_count];
        else if (child->parent == process &&
                 memory_inherited_add(
                     &child->inherited, block->address,
                     (struct memory_inherited_block){block->id, block->size, false}, error) < 0)
            return -1;
    }
    return 0;
}
