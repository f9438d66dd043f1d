/* See live_salvage.h. */
#include "collector/core/live_salvage.h"

#include "collector/core/chunk.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"

static void slot_salvage(struct thread_log *log)
{
    uint32_t lent = log->live.chunk_slot;
    struct thread_log *slot = lent == 0                     ? log
                              : lent <= process.area->slots ? live_slot_map(lent - 1)
                                                            : NULL;
    if (slot == NULL)
        return;
    struct fisql_chunk *chunk = chunk_of_slot(slot);
    uint64_t tick, ns;
    clock_pair(process.clock, &tick, &ns);
    uint32_t length = fisql_slot_finish(&log->live, chunk, process.run_id, tick, ns);
    if (length != 0)
        log_file_write(chunk, length, chunk->calls);
    if (slot != log)
        live_slot_unmap(slot, lent - 1);
}

/* The process's image before exec, whose threads are gone. We salvage first the logs, then the
 * slots that they were lent; whole chunks are fisql record's. */
struct salvage_exec {
    uint64_t before; /* that image's process_key */
    bool lent;
};

static bool salvage_own(uint32_t slot, const struct thread_log *copy, void *context)
{
    struct salvage_exec *salvage = context;
    if (copy->live.pid != process.pid || copy->live.process_key == process.key ||
        copy->live.state == FISQL_SLOT_WHOLE || copy->live.state == FISQL_SLOT_PACKING ||
        copy->live.state == FISQL_SLOT_WRITING ||
        (copy->live.state == FISQL_SLOT_LENT) != salvage->lent)
        return true;
    if (copy->live.process_key > salvage->before)
        salvage->before = copy->live.process_key;
    struct thread_log *log = live_slot_map(slot);
    if (log == NULL)
        return true; /* fisql record will salvage it */
    if (!salvage->lent)
        slot_salvage(log);
    log->in_area = slot + 1;
    live_slot_release(log);
    return true;
}

uint64_t live_salvage_exec(void)
{
    struct salvage_exec salvage = {.before = 0};
    if (process.area == NULL)
        return 0;
    live_slots_look(salvage_own, &salvage);
    salvage.lent = true;
    live_slots_look(salvage_own, &salvage);
    return salvage.before;
}
