/* The table of changes during the recording. */
#include "loader/tables/tables_parts.h"

#include <stdlib.h>

#include "formats/live.h"
#include "loader/log/clock.h"

static int compare_changes(const void *left, const void *right)
{
    const struct log_change *a = left;
    const struct log_change *b = right;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

int tables_write_changes(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct log_index *index = tables->index;
    struct insert insert;
    if (index->facts.changes.count > 1)
        qsort(index->facts.changes.items, index->facts.changes.count,
              sizeof *index->facts.changes.items, compare_changes);
    insert_begin(&insert, database, "recording_changes");
    for (size_t i = 0; i < index->facts.changes.count; i++) {
        const struct log_change *change = &index->facts.changes.items[i];
        uint32_t process = change->process_key == 0
                               ? INTERN_NONE
                               : intern_find(&index->process_of_key, change->process_key, 0);
        uint64_t start_ns = tables->clock->start_ns;
        uint64_t ns = change->ns > start_ns ? change->ns - start_ns : 0;
        insert_row(
            &insert,
            column_id("process_id", process != INTERN_NONE ? index->processes[process].id : 0),
            column_int("at_ns", ns < CLOCK_NS_MAX ? (int64_t)ns : CLOCK_NS_MAX),
            column_text("what", fisql_change_word(change->what)),
            column_text("detail", change->detail));
    }
    return insert_end(&insert, error);
}
