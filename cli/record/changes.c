/* Changes of the recording, to the log: see changes.h. */
#include "cli/record/changes.h"

#include "cli/out/clock.h"

void changes_append(struct live *live, bool at_end)
{
    char text[FISQL_CHANGE_TEXT];
    struct fisql_changes *changes = live->changes;
    if (changes == NULL)
        return;
    uint32_t made = __atomic_load_n(&changes->made, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < made && i < FISQL_CHANGES_MAX; i++)
        if (fisql_change_take(&changes->entries[i], text))
            live_append_fact(live, FISQL_FACT_RUN_CONTROL, text);
    if (at_end && fisql_change_take_rest(changes, (uint64_t)clock_ns(), text))
        live_append_fact(live, FISQL_FACT_RUN_CONTROL, text);
}
