/* Writing the table gaps: where threads were off the processor. */
#include "loader/tables/tables_parts.h"

/* What is counted where the kernel's counters were read, else not known. */
static void insert_counter(struct insert *insert, const struct gap *gap, uint32_t counter)
{
    if (gap->counted)
        insert_int(insert, counter);
    else
        insert_null(insert);
}

static void write_gap(struct insert *insert, uint32_t thread, const struct gap *gap)
{
    struct off_time off = gap_off(gap);
    insert_int(insert, thread);
    insert_id(insert, gap->call_id);
    insert_id(insert, gap->frame);
    insert_int(insert, clip(gap->start_ns));
    insert_int(insert, clip(gap->wall_ns));
    insert_int(insert, clip(off.wait_ns));
    insert_int(insert, clip(off.preempted_ns));
    insert_counter(insert, gap, gap->waits);
    insert_counter(insert, gap, gap->preemptions);
    insert_counter(insert, gap, gap->minor_faults);
    insert_counter(insert, gap, gap->major_faults);
    insert_int(insert, gap->paused);
    insert_row(insert);
}

int tables_write_gaps(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "gaps",
                 "thread_id,call_id,frame_id,start_ns,wall_ns,wait_ns,preempted_ns,waits,"
                 "preemptions,minor_faults,major_faults,paused");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct thread_gaps *gaps = &tables->threads[i].gaps;
        for (size_t k = 0; k < gaps->count; k++)
            write_gap(&insert, tables->index->threads[i].id, &gaps->items[k]);
    }
    return insert_end(&insert, error);
}
