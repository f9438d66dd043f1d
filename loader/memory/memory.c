/* Opening and closing memory.h, its processes, threads and totals. */
#include "loader/memory/memory.h"

#include <stdlib.h>

#include "base/array.h"
#include "loader/memory/memory_parts.h"

enum { SPOOL_BYTES_DEFAULT = 64 * 1024 * 1024 };

int memory_open(const struct memory_options *options, struct memory **out, struct error *error)
{
    struct memory *memory = calloc(1, sizeof *memory);
    size_t spool_bytes = options->spool_bytes != 0 ? options->spool_bytes : SPOOL_BYTES_DEFAULT;
    *out = NULL;
    if (memory == NULL)
        return error_set(error, "out of memory");
    if (memory_store_init(&memory->store, options->folder, spool_bytes, error) < 0) {
        free(memory);
        return -1;
    }
    memory->options = *options;
    memory->options.folder = NULL;
    pthread_mutex_init(&memory->lock, NULL);
    *out = memory;
    return 0;
}

void memory_close(struct memory *memory)
{
    if (memory == NULL)
        return;
    for (size_t i = 0; i < memory->threads_count; i++) {
        memory_thread_release(memory->threads[i]);
        free(memory->threads[i]);
    }
    free(memory->threads);
    memory_store_release(&memory->store);
    memory_processes_release(&memory->processes);
    memory_sums_release(&memory->sums);
    memory_stacks_release(&memory->stacks);
    memory_counts_release(&memory->counts);
    memory_errors_release(&memory->errors);
    memory_timeline_release(&memory->timeline);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

int memory_process(struct memory *memory, uint32_t process_id, uint32_t parent_id,
                   uint64_t fork_tick, uint64_t start_tick, uint64_t end_tick, struct error *error)
{
    pthread_mutex_lock(&memory->lock);
    struct memory_process *process = memory_processes_reach(&memory->processes, process_id, error);
    if (process != NULL) {
        process->parent = parent_id;
        process->fork_tick = fork_tick;
        process->start_tick = start_tick;
        process->end_tick = end_tick;
    }
    pthread_mutex_unlock(&memory->lock);
    return process == NULL ? -1 : 0;
}

int memory_thread_begin(struct memory *memory, uint32_t thread_id, uint32_t process_id,
                        struct memory_thread **out, struct error *error)
{
    struct memory_thread *thread = calloc(1, sizeof *thread);
    *out = thread;
    if (thread == NULL)
        return error_set(error, "out of memory");
    thread->store = &memory->store;
    thread->id = thread_id;
    thread->process = process_id;
    pthread_mutex_lock(&memory->lock);
    int result = array_reserve(&memory->threads, &memory->threads_capacity,
                               memory->threads_count + 1, error);
    if (result == 0)
        memory->threads[memory->threads_count++] = thread;
    pthread_mutex_unlock(&memory->lock);
    if (result != 0) {
        free(thread);
        *out = NULL;
    }
    return result;
}

struct memory_totals memory_of_frame(const struct memory *memory, uint32_t frame_id)
{
    return frame_id < memory->sums.frames_capacity ? memory->sums.frames[frame_id]
                                                   : (struct memory_totals){0};
}

struct memory_function memory_of_function(const struct memory *memory, uint32_t function_id)
{
    return function_id < memory->sums.functions_capacity ? memory->sums.functions[function_id]
                                                         : (struct memory_function){0};
}

uint64_t memory_rows(const struct memory *memory)
{
    return memory->rows;
}
