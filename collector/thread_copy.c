/*
 * At the process's end: what other threads have recorded outside the live area, where nobody would
 * find it. Their chunks are written as copies, flagged SALVAGED: a thread that lives a moment
 * longer and writes its chunk itself writes the same sequence with more in it, and readers take the
 * longer.
 */
#include "collector/thread_copy.h"

#include "collector/chunk.h"
#include "collector/log_file.h"
#include "collector/process.h"

#include <string.h>
#include <sys/mman.h>

/* Copies the chunk as far as its events are committed. *word says how far, 0 where there is nothing
 * to copy. Returns false where the thread was too quick for it. */
static bool copy_chunk(const struct thread_log *log, struct fisql_chunk *copy, uint64_t *word)
{
    for (int tries = 0; tries < 100; tries++) {
        *word = __atomic_load_n(&log->live.word, __ATOMIC_ACQUIRE);
        uint32_t units = fisql_word_units(*word);
        if (__atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE) != FISQL_SLOT_LIVE ||
            units <= log->min_units || units > CHUNK_UNITS - 4) {
            *word = 0;
            return true;
        }
        memcpy(copy, log->chunk, units * 2);
        uint64_t after = __atomic_load_n(&log->live.word, __ATOMIC_ACQUIRE);
        if ((*word ^ after) >> FISQL_WORD_FLUSH_SHIFT == 0)
            return true;
    }
    return false;
}

bool thread_log_copy(const struct thread_log *log)
{
    if (log->in_area || process.options.ring_chunks != 0)
        return false;
    struct fisql_chunk *copy = mmap(NULL, FISQL_LIVE_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    uint64_t tick, ns, word;
    bool done = copy_chunk(log, copy, &word);
    if (done && word != 0) {
        clock_pair(process.clock, &tick, &ns);
        copy->flags |= FISQL_FLAG_SALVAGED;
        uint32_t length = fisql_chunk_finish(copy, word, tick, ns, 0);
        done = log_file_write(copy, length, copy->calls) == 0;
    }
    munmap(copy, FISQL_LIVE_CHUNK_BYTES);
    return done;
}
