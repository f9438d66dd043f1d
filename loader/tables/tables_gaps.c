/* The tables gaps and recording_gaps: when threads were off the processor, or wrote their log. */
#include "loader/tables/tables_parts.h"

/* NULL unless the kernel's counters were read. */
static struct column column_counter(const char *name, const struct gap *gap, uint32_t counter)
{
    return column_int_if(name, gap->counted, counter);
}

static void write_gap(struct insert *insert, uint32_t thread, const struct gap *gap)
{
    struct off_time off = gap_off(gap);
    insert_row(
        insert, column_int("thread_id", thread), column_id("call_id", gap->call_id),
        column_id("frame_id", gap->frame), column_count("start_ns", gap->start_ns),
        column_count("wall_ns", gap->wall_ns), column_count("wait_ns", off.wait_ns),
        column_count("preempted_ns", off.preempted_ns), column_counter("waits", gap, gap->waits),
        column_counter("preemptions", gap, gap->preemptions),
        column_counter("minor_faults", gap, gap->minor_faults),
        column_counter("major_faults", gap, gap->major_faults), column_int("paused", gap->paused));
}

static int write_gaps(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "gaps");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct thread_gaps *gaps = &tables->threads[i].gaps;
        for (size_t k = 0; k < gaps->count; k++)
            write_gap(&insert, tables->index->threads[i].id, &gaps->items[k]);
    }
    return insert_end(&insert, error);
}

static int write_recording_gaps(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "recording_gaps");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decode_hooks *hooks = &tables->threads[i].hooks;
        for (size_t k = 0; k < hooks->writes_count; k++) {
            const struct decode_write *write = &hooks->writes[k];
            insert_row(&insert, column_int("thread_id", tables->index->threads[i].id),
                       column_count("call_id", write->call_id),
                       column_count("start_ns", write->start_ns),
                       column_count("wall_ns", write->ns), column_count("held_ns", write->held_ns));
        }
    }
    return insert_end(&insert, error);
}

int tables_write_gaps(const struct tables *tables, sqlite3 *database, struct error *error)
{
    return write_gaps(tables, database, error) != 0 ||
                   write_recording_gaps(tables, database, error) != 0
               ? -1
               : 0;
}
