/*
 * At the process's end: what other threads have recorded outside the live area, where nobody would
 * find it. Their chunks are written as copies, flagged SALVAGED: a thread that lives a moment
 * longer and writes its chunk itself writes the same sequence with more in it, and readers take the
 * longer.
 */
#include "collector/thread_log_parts.h"

#include <string.h>
#include <sys/mman.h>

/* Copies the chunk as far as its events are committed. Returns the word that says how far, or 0:
 * there is nothing new in it. *done: it was to be had. */
static uint64_t copy_chunk(const struct thread_log *log, struct fisql_chunk *copy, bool *done)
{
    *done = true;
    for (int tries = 0; tries < 100; tries++) {
        uint64_t word = __atomic_load_n(&log->live.word, __ATOMIC_ACQUIRE);
        uint32_t units = fisql_word_units(word);
        if (units <= log->min_units || units > CHUNK_UNITS - 4)
            return 0;
        memcpy(copy, log->chunk, units * 2);
        uint64_t after = __atomic_load_n(&log->live.word, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE) == FISQL_SLOT_LIVE &&
            (word ^ after) >> FISQL_WORD_FLUSH_SHIFT == 0)
            return word;
    }
    *done = false;
    return 0;
}

bool thread_log_copy(const struct thread_log *log)
{
    if (process.options.ring_chunks != 0)
        return false;
    struct fisql_chunk *copy = mmap(NULL, FISQL_LIVE_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    bool done;
    uint64_t tick, ns, word = copy_chunk(log, copy, &done);
    if (word != 0) {
        clock_pair(process.clock, &tick, &ns);
        copy->flags |= FISQL_FLAG_SALVAGED;
        uint32_t length = fisql_chunk_finish(copy, word, tick, ns, 0);
        log_file_write(copy, length, copy->calls); /* counts what it cannot write */
    }
    munmap(copy, FISQL_LIVE_CHUNK_BYTES);
    return done;
}
