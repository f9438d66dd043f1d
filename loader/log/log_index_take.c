/* Takes chunks into the index of a log, with their processes and threads: see log_index_parts.h. */
#include "loader/log/log_index_parts.h"

#include "base/array.h"

/* The process of a chunk, made where it is new. */
static int find_process(struct log_index *index, const struct fisql_chunk *chunk, uint32_t *out,
                        struct error *error)
{
    if (intern_add(&index->process_of_key, chunk->process_key, 0, out, error) != 0)
        return -1;
    if (*out < index->processes_count)
        return 0;
    if (array_reserve(&index->processes, &index->processes_capacity, index->processes_count + 1,
                      error) != 0)
        return -1;
    index->processes[index->processes_count++] = (struct log_process){
        .pid = chunk->pid,
        .key = chunk->process_key,
        .start_tick = TICK_UNKNOWN,
        .end_tick = TICK_UNKNOWN,
        .killed = {TICK_UNKNOWN, TICK_UNKNOWN, TICK_UNKNOWN, TICK_UNKNOWN, TICK_UNKNOWN},
        .gap_ticks = TICK_UNKNOWN,
    };
    return 0;
}

static int find_thread(struct log_index *index, const struct fisql_chunk *chunk, uint32_t process,
                       uint32_t *out, struct error *error)
{
    if (intern_add(&index->thread_of_key, process, chunk->thread, out, error) != 0)
        return -1;
    if (*out < index->threads_count)
        return 0;
    if (array_reserve(&index->threads, &index->threads_capacity, index->threads_count + 1, error) !=
        0)
        return -1;
    index->threads[index->threads_count++] = (struct log_thread){
        .process = process,
        .thread = chunk->thread,
        .tid = chunk->tid,
        .start_tick = TICK_UNKNOWN,
        .end_tick = TICK_UNKNOWN,
        .at_start = {.tick = TICK_UNKNOWN},
        .at_end = {.tick = TICK_UNKNOWN},
    };
    return 0;
}

/* The first and the last clock pair of a process, by tick. A salvaged chunk has none. */
static void take_clock_pair(struct log_process *process, const struct fisql_chunk *chunk)
{
    struct log_clock_pair pair = {chunk->clock_tick, chunk->clock_ns};
    if (pair.ns == 0)
        return;
    if (!process->has_pair || pair.tick < process->first_pair.tick)
        process->first_pair = pair;
    if (!process->has_pair || pair.tick > process->last_pair.tick)
        process->last_pair = pair;
    process->has_pair = true;
}

static int take_events(struct log_index *index, const struct fisql_chunk *chunk, uint64_t offset,
                       uint32_t process, bool salvaged, struct error *error)
{
    uint32_t thread;
    if (find_thread(index, chunk, process, &thread, error) != 0)
        return -1;
    if (array_reserve(&index->chunks, &index->chunks_capacity, index->chunks_count + 1, error) != 0)
        return -1;
    index->chunks[index->chunks_count++] = (struct log_chunk){
        .offset = offset,
        .first_call = chunk->first_call,
        .tick_start = chunk->tick_start,
        .length = chunk->length,
        .sequence = chunk->sequence,
        .calls = chunk->calls,
        .thread = thread,
        .cost = chunk->cost,
        .open_calls = (uint16_t)chunk->open_calls,
        .flags = (uint16_t)chunk->flags,
        .salvaged = salvaged,
    };
    return 0;
}

int log_index_take(struct log_index *index, const struct fisql_chunk *chunk, uint64_t offset,
                   bool salvaged, struct error *error)
{
    if (index->chunks_sound == 0)
        index->run_id = chunk->run_id;
    if (chunk->run_id != index->run_id) {
        struct log_loss loss = log_loss_of("chunk of another run");
        loss.offset = offset;
        loss.bytes = chunk->length;
        loss.chunks = 1;
        return log_index_add_loss(index, &loss, error);
    }
    index->chunks_sound++;
    uint32_t process;
    if (chunk->process_key == 0) /* it speaks for the run: no process of the program */
        return chunk->kind == FISQL_CHUNK_RUN || chunk->kind == FISQL_CHUNK_LOSS ||
                       chunk->kind == FISQL_CHUNK_POINTS
                   ? log_index_take_facts(index, chunk, UINT32_MAX, 0, error)
                   : 0;
    if (find_process(index, chunk, &process, error) != 0)
        return -1;
    take_clock_pair(&index->processes[process], chunk);
    if (chunk->kind == FISQL_CHUNK_EVENTS)
        return take_events(index, chunk, offset, process, salvaged, error);
    uint32_t thread = 0;
    if (chunk->kind == FISQL_CHUNK_THREAD &&
        find_thread(index, chunk, process, &thread, error) != 0)
        return -1;
    return log_index_take_facts(index, chunk, process, thread, error);
}
