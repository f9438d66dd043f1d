/* Changes of the recording, to the log: see changes.h. */
#include "cli/record/changes.h"

#include "cli/out/clock.h"

#include <stdio.h>

void changes_detail(struct fisql_change *change, const char *const *words, size_t count)
{
    bool patterns = change->what == FISQL_CHANGE_ONLY || change->what == FISQL_CHANGE_EXCLUDE ||
                    change->what == FISQL_CHANGE_THREADS;
    const char *quote = patterns ? "'" : "";
    size_t used = 0, size = sizeof change->detail;
    change->detail[0] = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(change->detail + used, size - used, "%s%s%s%s", i > 0 ? " " : "",
                                 quote, words[i], quote);
    if (used >= size)
        snprintf(change->detail + size - 4, 4, "...");
}

static void note_patterns(struct live *live, enum fisql_change_what what,
                          const struct record_patterns *patterns)
{
    struct fisql_change change = {.what = what, .ns = (uint64_t)clock_ns()};
    if (live->changes == NULL || patterns->count == 0)
        return;
    changes_detail(&change, patterns->items, patterns->count);
    fisql_change_note(live->changes, FISQL_CHANGES_MAX, &change);
}

void changes_begin(struct live *live, const struct record_options *options)
{
    note_patterns(live, options->only ? FISQL_CHANGE_ONLY : FISQL_CHANGE_EXCLUDE,
                  &options->patterns);
    note_patterns(live, FISQL_CHANGE_THREADS, &options->threads.patterns);
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
            live_append_fact(live, FISQL_FACT_RUN_CONTROL, text);
    if (at_end && fisql_change_take_rest(changes, (uint64_t)clock_ns(), text))
        live_append_fact(live, FISQL_FACT_RUN_CONTROL, text);
}
