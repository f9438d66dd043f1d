/* See changes.h. */
#include "collector/core/changes.h"

#include "collector/core/facts.h"
#include "collector/core/live_area.h"
#include "collector/process/process.h"

#include <stddef.h>

static struct fisql_changes *changes; /* NULL = no room */

void changes_setup(void)
{
    const struct fisql_live_part *part = &process.area->control.marks;
    if (part->bytes == sizeof *changes)
        changes = live_area_part(part->offset, part->bytes, true);
}

void changes_switched(bool on)
{
    uint64_t tick;
    struct fisql_change change = {.what = on ? FISQL_CHANGE_START : FISQL_CHANGE_STOP,
                                  .process_key = process.key};
    if (changes == NULL)
        return;
    clock_pair(process.clock, &tick, &change.ns);
    fisql_change_note(changes, FISQL_CHANGES_OWN, &change);
}

static void fact_write(const char *text)
{
    unsigned char buffer[sizeof(struct fisql_chunk) + FISQL_CHANGE_TEXT + 64];
    struct facts facts;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_RUN, 0, process.pid);
    facts_text(&facts, FISQL_FACT_RUN_CONTROL, text);
    facts_write(&facts);
}

void changes_write(bool at_end)
{
    char text[FISQL_CHANGE_TEXT];
    uint64_t tick, ns;
    if (changes == NULL || process.with_parent)
        return;
    uint32_t made = __atomic_load_n(&changes->made, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < made && i < FISQL_CHANGES_MAX; i++)
        if (fisql_change_take(&changes->entries[i], text))
            fact_write(text);
    clock_pair(process.clock, &tick, &ns);
    if (at_end && fisql_change_take_rest(changes, ns, text))
        fact_write(text);
}
