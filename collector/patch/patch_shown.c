/* See patch_shown.h. */
#include "collector/patch/patch_shown.h"

#include "collector/core/live_area.h"
#include "collector/core/mailbox.h"
#include "collector/patch/patch_code.h"
#include "collector/process/process.h"
#include "formats/patch_areas.h"

/* On aarch64 fisql record's processor may be another one (qemu). */
#if defined(FISQL_PATCHES) && defined(__x86_64__)
static struct fisql_patch_areas *shown; /* NULL = not yet, or there is no room */

static bool shown_open(void)
{
    if (shown == NULL && process.area != NULL) {
        const struct fisql_live_part *room = &process.area->parts.patched;
        if (room->bytes >= sizeof *shown && process.area->parts.patching.bytes != 0)
            shown = live_area_part_own(room->offset, sizeof *shown);
    }
    return shown != NULL;
}

void patch_shown_put(uint32_t index, const struct patch_area *area,
                     const struct fisql_live_part *plan)
{
    if (index >= FISQL_PATCH_AREAS_MAX || !shown_open())
        return;
    shown->areas[index] = (struct fisql_patch_area){.end = area->end,
                                                    .bias = area->bias,
                                                    .memory = (uint64_t)(uintptr_t)area->memory,
                                                    .plan = *plan};
    __atomic_store_n(&shown->areas[index].start, area->start, __ATOMIC_RELEASE);
    if (shown->used <= index)
        __atomic_store_n(&shown->used, index + 1, __ATOMIC_RELEASE);
    shown->returns_kept = patch_code_returns_kept();
    __atomic_store_n(&shown->magic, FISQL_PATCH_AREAS_MAGIC, __ATOMIC_RELEASE);
}

void patch_shown_gone(uint32_t index)
{
    if (shown != NULL && index < FISQL_PATCH_AREAS_MAX)
        __atomic_store_n(&shown->areas[index].start, 0, __ATOMIC_RELEASE);
}

bool patch_shown_is_off(void)
{
    return shown != NULL && __atomic_load_n(&process.area->control.switches, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(&process.area->recording, __ATOMIC_ACQUIRE) == 0;
}

uint32_t patch_shown_changes(void)
{
    return process.area != NULL ? __atomic_load_n(&process.area->control.changes, __ATOMIC_SEQ_CST)
                                : 0;
}

void patch_shown_since(uint32_t changes)
{
    static struct mailbox mailbox;
    if (shown == NULL || patch_shown_changes() == changes)
        return;
    mailbox.part = process.area->parts.patching;
    struct fisql_patching *patching = mailbox_open(&mailbox, sizeof *patching);
    if (patching != NULL)
        mailbox_wake(&patching->mailbox);
}
#else
void patch_shown_put(uint32_t index, const struct patch_area *area,
                     const struct fisql_live_part *plan)
{
    (void)index, (void)area, (void)plan;
}

void patch_shown_gone(uint32_t index)
{
    (void)index;
}

bool patch_shown_is_off(void)
{
    return false;
}

uint32_t patch_shown_changes(void)
{
    return 0;
}

void patch_shown_since(uint32_t changes)
{
    (void)changes;
}
#endif
