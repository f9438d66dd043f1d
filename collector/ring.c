/* The flight recorder: see ring.h. */
#include "collector/ring.h"

#include "collector/chunk.h"
#include "collector/log_file.h"
#include "collector/process.h"

#include <string.h>
#include <sys/mman.h>

void ring_keep(struct thread_log *log)
{
    uint32_t entries = process.options.ring_chunks;
    if (log->ring == NULL) {
        void *memory = mmap(NULL, entries * sizeof(void *), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return;
        log->ring = memory;
    }
    uint32_t at = log->ring_next++ % entries;
    if (log->ring[at] == NULL)
        log->ring[at] = slot_take();
    if (log->ring[at] == NULL)
        return;
    struct thread_log *kept = log->ring[at];
    uint64_t tick, ns;
    clock_pair(process.clock, &tick, &ns);
    log->chunk->flags |= FISQL_FLAG_RING;
    uint32_t length = fisql_chunk_finish(log->chunk, log->live.word, tick, ns, 0);
    __atomic_store_n(&kept->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    memcpy(kept->chunk, log->chunk, length);
    kept->live.word = log->live.word;
    kept->live.thread = log->live.thread;
    kept->live.tid = log->live.tid;
    __atomic_store_n(&kept->live.state, FISQL_SLOT_LIVE, __ATOMIC_RELEASE);
}

void ring_dump(struct thread_log *log)
{
    uint32_t entries = process.options.ring_chunks;
    for (uint32_t i = 0; log->ring != NULL && i < entries; i++) {
        struct thread_log *kept = log->ring[(log->ring_next + i) % entries];
        if (kept == NULL || kept->live.state != FISQL_SLOT_LIVE)
            continue;
        log_file_write(kept->chunk, kept->chunk->length, kept->chunk->calls);
        __atomic_store_n(&kept->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    }
    uint64_t word = log->live.word;
    if (fisql_word_units(word) == log->min_units)
        return;
    uint64_t last = log_last_tick(log);
    log->chunk->flags |= FISQL_FLAG_RING;
    chunk_write(log);
    log->live.first_call += fisql_word_calls(word);
    log->sequence++;
    chunk_begin(log, last, fisql_word_depth(word), (word >> FISQL_WORD_FLUSH_SHIFT) + 1);
}

void ring_settle(struct thread_log *log)
{
    for (uint32_t i = 0; log->ring != NULL && i < process.options.ring_chunks; i++)
        if (log->ring[i] != NULL)
            slot_settle(log->ring[i]);
}

void ring_release(struct thread_log *log)
{
    for (uint32_t i = 0; log->ring != NULL && i < process.options.ring_chunks; i++)
        if (log->ring[i] != NULL)
            slot_release(log->ring[i]);
    if (log->ring != NULL)
        munmap(log->ring, process.options.ring_chunks * sizeof(void *));
    log->ring = NULL;
}
