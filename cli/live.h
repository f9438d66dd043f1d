/*
 * The live area from the side of `fisql record`: making it, and writing out what processes that
 * ended left in it. See log_format.h for its layout. Everything read from it is checked, for a
 * program that went wild may have written there.
 */
#ifndef FISQL_CLI_LIVE_H
#define FISQL_CLI_LIVE_H

#include "log_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LIVE_SLOTS 2048u /* of the area; fewer where the size of files is limited */

struct live {
    struct fisql_live_area *area;
    int memory; /* descriptor of the memfd, open as long as the area is used */
    int log;    /* descriptor of the log, opened O_APPEND; borrowed */
    uint64_t salvaged_chunks, salvaged_calls;
    uint64_t reserve_offset; /* in the log, of live_reserve()'s chunk; 0 = there is none */
};

/* Makes a live area in memory. Returns 0, or -1 with errno. */
int live_make(struct live *live, int log, bool recording, uint32_t ring_chunks);
void live_release(struct live *live);

/* Appends the chunks that processes left whole, for they could not write them. To be called often.
 */
void live_collect(struct live *live);

/* Appends the chunks of processes that are gone and frees their slots. */
void live_salvage(struct live *live);

/* Is a process that records still alive, other than zombies? */
bool live_busy(const struct live *live);

/* The process_key of the newest image of a pid that has a slot, 0 if none. */
uint64_t live_process_key(const struct live *live, pid_t pid);

/* Builds a chunk of facts in a buffer of its own and appends it; pairs end with a NULL key. Returns
 * 0 or errno. */
int live_append_facts(const struct live *live, enum fisql_chunk_kind kind, uint64_t process_key,
                      pid_t pid, const char *const (*pairs)[2]);

/* Appends a chunk without facts that live_tell() overwrites: what was lost must be told when the
 * disk is full. Returns 0 or errno. */
int live_reserve(struct live *live);

/* Tells the facts in the place of the reserved chunk, or appends them. Returns 0 or errno. */
int live_tell(struct live *live, enum fisql_chunk_kind kind, pid_t pid,
              const char *const (*pairs)[2]);

#endif
