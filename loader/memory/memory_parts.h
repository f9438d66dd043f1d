/*
 * The whole of memory.h. Its stages are memory_thread.c, memory_pair.c and memory_write.c; its
 * parts have headers of their own:
 *
 *   first stage, for each thread
 *     memory_thread      a thread's events from the decoder; what leaks, by function
 *     memory_places      where they happened: frame, site, kind, path of functions
 *     memory_spool       the events, encoded: in memory, then in the temporary file
 *   second stage
 *     memory_processes   forks, ends, what lives in each process
 *     memory_rows        rows of allocs
 *     memory_live        what lives at each time: peak, timeline
 *   results
 *     memory_sums        by frame, function, place, size, distance, owner, way; chains of reallocs
 *     memory_errors      frees that are wrong, and what the log lacks
 *
 *   memory_blocks: blocks by their addresses, in all stages
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_PARTS_H
#define FISQL_LOADER_MEMORY_MEMORY_PARTS_H

#include <pthread.h>

#include "loader/memory/memory.h"
#include "loader/memory/memory_errors.h"
#include "loader/memory/memory_live.h"
#include "loader/memory/memory_processes.h"
#include "loader/memory/memory_sums.h"
#include "loader/memory/memory_thread.h"

struct memory {
    struct memory_options options; /* without the folder */
    struct memory_store store;
    pthread_mutex_t lock; /* guards threads and processes until memory_pair */
    struct memory_thread **threads;
    size_t threads_count, threads_capacity;
    struct memory_processes processes;
    /* Results. */
    uint64_t rows; /* of allocs */
    struct memory_sums sums;
    struct memory_stacks stacks;
    struct memory_counts counts;
    struct memory_errors errors;
    struct memory_timeline timeline;
};

#endif
