/*
 * The run's processes: what the log says of each; and during memory_pair, what lives in each, the
 * forks and the ends.
 *
 * We list forks and ends beforehand by their ticks; memory_pair passes them between the events.
 * Only children with events, or with such descendants, inherit: that copies the parent's map.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_PROCESSES_H
#define FISQL_LOADER_MEMORY_MEMORY_PROCESSES_H

#include "loader/memory/memory_blocks.h"
#include "loader/memory/memory_thread.h"

struct memory_process {
    bool known; /* else the number was left out */
    uint32_t parent;
    uint64_t fork_tick, start_tick, end_tick; /* see memory.h */
    struct memory_gap gap;
    bool has_events;                   /* or a forked descendant has */
    struct memory_map live;            /* addresses to indexes of memory_blocks */
    struct memory_inherited inherited; /* from its parent at the fork */
};

/* A fork, or the end of a process. */
struct memory_process_event {
    uint64_t tick;
    uint32_t process;
    bool end;
};

struct memory_processes {
    struct memory_process *items; /* by id */
    size_t capacity;
    struct memory_process_event *events; /* in their order */
    size_t events_count, next_event;
    uint32_t *forking; /* children whose fork may still come */
    size_t forking_count;
};

/* Makes the process known; NULL without memory. Borrowed until the next call. */
struct memory_process *memory_processes_reach(struct memory_processes *processes, uint32_t id,
                                              struct error *error);

/* Takes the threads' gaps and first events over. */
int memory_processes_take_threads(struct memory_processes *processes,
                                  struct memory_thread *const *threads, size_t count,
                                  struct error *error);

/* Lists the forks whose children have events, and the ends. */
int memory_processes_plan(struct memory_processes *processes, struct error *error);

/* The next fork up to a tick, or end before it; NULL = none precedes the events of that tick. */
static inline const struct memory_process_event *
memory_processes_next(struct memory_processes *processes, uint64_t tick)
{
    if (processes->next_event == processes->events_count)
        return NULL;
    const struct memory_process_event *event = &processes->events[processes->next_event];
    if (event->end ? event->tick >= tick : event->tick > tick)
        return NULL;
    processes->next_event++;
    return event;
}

/* The child inherits its parent's present blocks. */
int memory_processes_fork(struct memory_processes *processes, uint32_t child,
                          const struct memory_blocks *blocks, struct error *error);

/* A process has a new block: children that it is about to fork may inherit it. */
int memory_processes_inherit_late(struct memory_processes *processes, uint32_t process,
                                  const struct memory_block *block, uint64_t tick,
                                  struct error *error);

/* May the log be incomplete for the process at a tick? */
static inline bool memory_process_has_gap(const struct memory_process *process, uint64_t tick)
{
    return process->gap.any && tick >= process->gap.tick;
}

/* Forgets what lives in the process. */
void memory_process_forget(struct memory_process *process);
/* Frees all but the log's facts. */
void memory_processes_trim(struct memory_processes *processes);
void memory_processes_release(struct memory_processes *processes);

#endif
