/*
 * Calls of a running process: see live_totals.h. A thread numbers its calls, so its last chunk
 * counts all that it has entered, those dropped by a flight recorder included.
 */
#include "cli/live/live_totals.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* Calls by the index of their thread. */
struct counts {
    uint64_t *calls;
    size_t room;
};

#define THREADS_MAX 10000000u /* a higher index is damage */

static int counts_set(struct counts *counts, uint32_t thread, uint64_t calls, struct error *error)
{
    if (thread >= THREADS_MAX)
        return 0;
    if (array_reach(&counts->calls, &counts->room, thread, error) != 0)
        return -1;
    if (counts->calls[thread] < calls)
        counts->calls[thread] = calls;
    return 0;
}

/* Walks the log by the lengths of its chunks while they are sound. */
static int counts_log(struct counts *counts, struct live_totals *totals, const struct live_run *run,
                      const struct live_image *image, struct error *error)
{
    struct stat status;
    struct fisql_chunk chunk;
    int result = 0;
    if (run->log_file < 0)
        return 0;
    if (fstat(run->log_file, &status) == 0)
        totals->log_bytes = (uint64_t)status.st_size;
    for (uint64_t offset = 0; result == 0 && offset < totals->log_bytes; offset += chunk.length) {
        if (pread(run->log_file, &chunk, sizeof chunk, (off_t)offset) != (ssize_t)sizeof chunk ||
            chunk.magic != FISQL_CHUNK_MAGIC || chunk.run_id != run->source.area.run_id ||
            chunk.length < sizeof chunk)
            break;
        if (chunk.kind == FISQL_CHUNK_EVENTS && chunk.process_key == image->process_key)
            result = counts_set(counts, chunk.thread, chunk.first_call + chunk.calls, error);
    }
    return result;
}

/* We read the slots before the log: a chunk handed over meanwhile is in one of the two. */
static int counts_area(struct counts *counts, struct live_totals *totals, struct live_run *run,
                       const struct live_image *image, struct error *error)
{
    if (live_source_refresh(&run->source, error) != 0)
        return -1;
    const struct live_options options = {image->pid, image->process_key, 0};
    struct live_threads threads;
    int result = live_threads_read(&threads, &run->source, &options, false, error);
    for (size_t i = 0; i < threads.count && result == 0; i++)
        result = counts_set(counts, threads.items[i].thread, threads.items[i].stack.calls, error);
    totals->threads = threads.count;
    live_threads_release(&threads);
    return result;
}

int live_totals_read(struct live_totals *totals, struct live_run *run,
                     const struct live_image *image, struct error *error)
{
    struct counts counts = {0};
    *totals = (struct live_totals){0};
    int result = counts_area(&counts, totals, run, image, error);
    if (result == 0)
        result = counts_log(&counts, totals, run, image, error);
    for (size_t thread = 0; thread < counts.room; thread++)
        totals->calls += counts.calls[thread];
    free(counts.calls);
    return result;
}
