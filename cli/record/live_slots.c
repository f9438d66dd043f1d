/* Slots of the live area, one by one: see live_parts.h. */
#include "cli/record/live_parts.h"
#include "cli/record/live_layout.h"

#include <sys/mman.h>

struct fisql_live_slot *live_slot_map(const struct live *live, uint32_t index)
{
    void *memory = mmap(NULL, FISQL_LIVE_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                        live->memory, (off_t)live_area_bytes(index));
    return memory != MAP_FAILED ? memory : NULL;
}

/* The program adds to the same totals at the same time, and takes them out when it writes them down. */
void live_count_lost(const struct live *live, const struct fisql_chunk *chunk, int error)
{
    if (__atomic_fetch_add(&live->area->lost_chunks, 1, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&live->area->lost_errno, (uint64_t)error, __ATOMIC_RELAXED);
    __atomic_fetch_add(&live->area->lost_calls, chunk->calls, __ATOMIC_RELAXED);
    __atomic_fetch_add(&live->area->lost_bytes, chunk->length, __ATOMIC_RELAXED);
}

/* In this order: the next owner must not look like the last one. */
void live_slot_free(const struct live *live, struct fisql_live_slot *slot, uint32_t index)
{
    __atomic_store_n(&slot->pid, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->state, FISQL_SLOT_FREE, __ATOMIC_RELEASE);
    fisql_slot_free(live->area, index);
}

struct fisql_chunk *live_slot_chunk(struct fisql_live_slot *slot)
{
    return (struct fisql_chunk *)(void *)((unsigned char *)slot + FISQL_SLOT_HEADER);
}

bool live_slot_claim(struct fisql_live_slot *slot, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&slot->state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* The length of a whole chunk, 0 if it is none. A wild process may be changing it: use only what
 * was checked. */
uint32_t live_slot_length(struct fisql_live_slot *slot)
{
    const struct fisql_chunk *chunk = live_slot_chunk(slot);
    uint32_t length = __atomic_load_n(&chunk->length, __ATOMIC_RELAXED);
    bool sound = chunk->magic == FISQL_CHUNK_MAGIC && length >= sizeof *chunk &&
                 length <= FISQL_LIVE_CHUNK_BYTES && length % 8 == 0;
    return sound ? length : 0;
}
