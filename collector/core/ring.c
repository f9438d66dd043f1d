/* The flight recorder: see ring.h. */
#include "collector/core/ring.h"

#include "collector/core/chunk.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"

#include <string.h>
#include <sys/mman.h>

static void keep(struct thread_log *log)
{
    uint32_t entries = process.options.ring_chunks;
    if (log->thread.ring == NULL) {
        void *memory = mmap(NULL, entries * sizeof(void *), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return;
        log->thread.ring = memory;
    }
    uint32_t at = log->thread.ring_next++ % entries;
    if (log->thread.ring[at] == NULL)
        log->thread.ring[at] = slot_take();
    if (log->thread.ring[at] == NULL)
        return;
    struct thread_log *kept = log->thread.ring[at];
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

void ring_keep(struct thread_log *log)
{
    keep(log);
    chunk_passed(log);
}

void ring_dump(struct thread_log *log)
{
    uint32_t entries = process.options.ring_chunks;
    for (uint32_t i = 0; log->thread.ring != NULL && i < entries; i++) {
        struct thread_log *kept = log->thread.ring[(log->thread.ring_next + i) % entries];
        if (kept == NULL || kept->live.state != FISQL_SLOT_LIVE)
            continue;
        log_file_write(kept->chunk, kept->chunk->length, kept->chunk->calls);
        __atomic_store_n(&kept->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    }
    if (fisql_word_units(log->live.word) == log->min_units)
        return;
    chunk_write(log);
    chunk_follow(log, log);
}

void ring_settle(struct thread_log *log)
{
    for (uint32_t i = 0; log->thread.ring != NULL && i < process.options.ring_chunks; i++)
        if (log->thread.ring[i] != NULL)
            slot_settle(log->thread.ring[i]);
}

void ring_release(struct thread_log *log)
{
    for (uint32_t i = 0; log->thread.ring != NULL && i < process.options.ring_chunks; i++)
        if (log->thread.ring[i] != NULL)
            slot_release(log->thread.ring[i]);
    if (log->thread.ring != NULL)
        munmap(log->thread.ring, process.options.ring_chunks * sizeof(void *));
    log->thread.ring = NULL;
}
