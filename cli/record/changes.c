/* Changes of the recording, to the log: see changes.h. */
#include "cli/record/changes.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void fact_append(struct live *live, const char *text)
{
    const struct live_fact facts[] = {{FISQL_FACT_RUN_CONTROL, text}, {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_RUN, 0, getpid(), facts);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void changes_append(struct live *live, bool at_end)
{
    char text[FISQL_CHANGE_TEXT];
    struct fisql_changes *changes = live->changes;
    if (changes == NULL)
        return;
    uint32_t made = __atomic_load_n(&changes->made, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < made && i < FISQL_CHANGES_MAX; i++)
        if (fisql_change_take(&changes->entries[i], text))
            fact_append(live, text);
    if (at_end && fisql_change_take_rest(changes, now_ns(), text))
        fact_append(live, text);
}
