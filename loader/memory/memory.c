/* The whole of memory.h: its processes, threads and totals, and their ends. */
#include "loader/memory/memory_parts.h"

#include <string.h>
#include <unistd.h>

enum { SPOOL_BYTES_DEFAULT = 64 * 1024 * 1024 };

static const struct {
    const char *name, *family;
} kinds[FISQL_KINDS_MAX] = {
#define KIND(constant, number, name, family) [number] = {name, family},
    FISQL_ALLOC_KINDS(KIND)
#undef KIND
};

const char *memory_kind_name(uint32_t kind)
{
    return kind < FISQL_KINDS_MAX && kinds[kind].name != NULL ? kinds[kind].name : "unknown";
}

const char *memory_kind_family(uint32_t kind)
{
    return kind < FISQL_KINDS_MAX && kinds[kind].family != NULL ? kinds[kind].family : "unknown";
}

int memory_open(const struct memory_options *options, struct memory **out, struct error *error)
{
    struct memory *memory = calloc(1, sizeof *memory);
    *out = memory;
    if (memory == NULL || (memory->folder = strdup(options->folder)) == NULL) {
        free(memory);
        *out = NULL;
        return error_set(error, "out of memory");
    }
    memory->options = *options;
    if (memory->options.spool_bytes == 0)
        memory->options.spool_bytes = SPOOL_BYTES_DEFAULT;
    memory->spill = -1;
    pthread_mutex_init(&memory->lock, NULL);
    return 0;
}

void memory_thread_trim(struct memory_thread *thread)
{
    free(thread->nets);
    free(thread->levels);
    free(thread->own_blocks);
    free(thread->own_unused);
    free(thread->leaks);
    free(thread->buffer);
    memory_map_release(&thread->own);
    intern_release(&thread->leak_keys);
    thread->nets = NULL;
    thread->levels = NULL;
    thread->own_blocks = NULL;
    thread->own_unused = NULL;
    thread->leaks = NULL;
    thread->buffer = NULL;
}

static void thread_release(struct memory_thread *thread)
{
    memory_thread_trim(thread);
    for (size_t i = 0; i < thread->pieces_count; i++)
        free(thread->pieces[i].data);
    free(thread->pieces);
    free(thread->place_functions);
    intern_release(&thread->paths);
    intern_release(&thread->places);
    free(thread);
}

static void counter_release(struct memory_counter *counter)
{
    intern_release(&counter->keys);
    free(counter->amounts);
}

void memory_close(struct memory *memory)
{
    if (memory == NULL)
        return;
    for (size_t i = 0; i < memory->threads_count; i++)
        thread_release(memory->threads[i]);
    if (memory->spill >= 0)
        close(memory->spill);
    counter_release(&memory->sizes);
    counter_release(&memory->distances);
    counter_release(&memory->owners);
    intern_release(&memory->stack_keys);
    intern_release(&memory->flow_places);
    intern_release(&memory->flow_threads);
    intern_release(&memory->flow_keys);
    free(memory->threads);
    free(memory->processes);
    free(memory->functions);
    free(memory->frames);
    free(memory->stacks);
    free(memory->flows);
    free(memory->errors);
    free(memory->clashes);
    free(memory->timeline);
    free(memory->folder);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

/* The facts of a process, which may not have been told of; under the lock. */
static struct memory_process_facts *process_facts(struct memory *memory, uint32_t id,
                                                  struct error *error)
{
    if (array_reach(&memory->processes, &memory->processes_capacity, id, error) < 0)
        return NULL;
    struct memory_process_facts *facts = &memory->processes[id];
    if (!facts->told)
        facts->end_tick = UINT64_MAX;
    facts->told = true;
    return facts;
}

int memory_process(struct memory *memory, uint32_t process_id, uint32_t parent_id,
                   uint64_t fork_tick, uint64_t start_tick, uint64_t end_tick, struct error *error)
{
    pthread_mutex_lock(&memory->lock);
    struct memory_process_facts *facts = process_facts(memory, process_id, error);
    if (facts != NULL) {
        facts->parent = parent_id;
        facts->fork_tick = fork_tick;
        facts->start_tick = start_tick;
        facts->end_tick = end_tick;
    }
    pthread_mutex_unlock(&memory->lock);
    return facts == NULL ? -1 : 0;
}

int memory_gap(struct memory_thread *thread, uint64_t tick, struct error *error)
{
    struct memory *memory = thread->memory;
    pthread_mutex_lock(&memory->lock);
    struct memory_process_facts *facts = process_facts(memory, thread->process, error);
    if (facts != NULL) {
        if (!facts->gap || tick < facts->gap_tick)
            facts->gap_tick = tick;
        facts->gap = true;
    }
    pthread_mutex_unlock(&memory->lock);
    return facts == NULL ? -1 : 0;
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
    if (result == 0 && process_facts(memory, process_id, error) == NULL)
        result = -1;
    if (result == 0)
        memory->threads[memory->threads_count++] = thread;
    pthread_mutex_unlock(&memory->lock);
    if (result != 0)
        thread_release(thread);
    return result;
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
    return memory->rows;
}
