/*
 * Long pauses of the disk. While a write to the log takes long, nobody makes room for the chunks that the
 * program fills; it would soon write itself, and wait, too. So a thread of its own then takes what waits out
 * of the area, compresses it, and keeps it until the disk goes on: a call takes half a byte or so
 * then. What is kept is lost if fisql record is killed meanwhile.
 */
#ifndef FISQL_CLI_RECORD_LIVE_RELIEF_H
#define FISQL_CLI_RECORD_LIVE_RELIEF_H

#include "cli/record/chunk_pack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live;

struct live_relief {
    struct live *live;
    pthread_t thread;
    bool started;
    uint32_t stop;       /* atomic */
    uint32_t writer;     /* atomic: the id of the thread that writes */
    uint64_t writing_ns; /* atomic: when the write that goes on began; 0 = none does */
    struct chunk_packer packer;
    pthread_mutex_t lock;       /* of what follows */
    struct kept *first, **last; /* chunks, the oldest first */
    uint64_t bytes;
    uint64_t pauses, chunks, bytes_most; /* what was done */
};

/* Starts the thread. Signals are as in the calling thread. */
void live_relief_start(struct live_relief *relief, struct live *live, bool compress);
/* Ends it. What is kept has been appended by then or is when the log is next written to. */
void live_relief_end(struct live_relief *relief);
void live_relief_release(struct live_relief *relief);

/* A write to the log begins, and ends. relief may be NULL. */
void live_relief_writes(struct live_relief *relief, bool begins);

/* Is anything kept? */
bool live_relief_keeps(struct live_relief *relief);

/* Takes the oldest chunk that is kept; the caller frees it. NULL = none. */
struct kept {
    struct kept *next;
    uint32_t epoch; /* as struct fisql_live_slot's log_epoch */
    uint32_t bytes;
    uint64_t chunk[]; /* struct fisql_chunk */
};
struct kept *live_relief_take(struct live_relief *relief);

#endif
