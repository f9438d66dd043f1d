/*
 * At the process's end, writes what other threads have recorded outside the live area, where nobody
 * would find it. We write copies of their chunks, flagged SALVAGED: a thread that lives on and
 * writes its chunk itself writes the same sequence with more in it, and readers keep the longer
 * one.
 */
#include "collector/core/thread_copy.h"

#include "collector/core/chunk.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"

#include <string.h>
#include <sys/mman.h>

/* Copies slot and chunk up to the last committed event. False: the thread was too fast. */
static bool copy_slot(const struct thread_log *log, struct fisql_live_slot *slot,
                      struct fisql_chunk *chunk)
{
    for (int tries = 0; tries < 100; tries++) {
        slot->word = __atomic_load_n(&log->live.word, __ATOMIC_ACQUIRE);
        slot->state = __atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE);
        memcpy(chunk, log->chunk, fisql_word_units(slot->word) * 2);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        uint64_t after = __atomic_load_n(&log->live.word, __ATOMIC_ACQUIRE);
        /* Else the next chunk has begun, or is about to: its word comes last. */
        if ((slot->word ^ after) >> FISQL_WORD_FLUSH_SHIFT == 0 &&
            __atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE) == slot->state)
            return true;
    }
    return false;
}

bool thread_log_copy(const struct thread_log *log)
{
    struct fisql_live_slot slot = {.process_key = log->live.process_key,
                                   .thread = log->live.thread};
    if (log->in_area || process.options.ring_chunks != 0)
        return false;
    struct fisql_chunk *copy = mmap(NULL, FISQL_LIVE_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    bool done = copy_slot(log, &slot, copy);
    if (done) {
        uint64_t tick, ns;
        clock_pair(process.clock, &tick, &ns);
        uint32_t length = fisql_slot_finish(&slot, copy, process.run_id, tick, ns);
        done = length == 0 || log_file_write(copy, length, copy->calls) == 0;
    }
    munmap(copy, FISQL_LIVE_CHUNK_BYTES);
    return done;
}
