/* A thread of the log, as the decoder hands its events over: see memory.h. */
#ifndef FISQL_LOADER_MEMORY_MEMORY_THREAD_H
#define FISQL_LOADER_MEMORY_MEMORY_THREAD_H

#include "loader/memory/memory.h"
#include "loader/memory/memory_leaks.h"
#include "loader/memory/memory_own.h"
#include "loader/memory/memory_places.h"
#include "loader/memory/memory_spool.h"

/* From `tick` on, events may be missing. */
struct memory_gap {
    bool any;
    uint64_t tick;
};

struct memory_thread {
    struct memory_leaks leaks;  /* first: memory_call_exit reads its watch */
    struct memory_store *store; /* of all threads */
    uint32_t id, process;
    struct memory_own own;
    struct memory_places places;
    struct memory_spool spool;
    struct memory_gap gap;
};

void memory_thread_release(struct memory_thread *thread);

#endif
