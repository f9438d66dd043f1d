/* What the writers of the small tables share. */
#ifndef FISQL_LOADER_TABLES_TABLES_PARTS_H
#define FISQL_LOADER_TABLES_TABLES_PARTS_H

#include <stdint.h>

#include "loader/sqlite/insert.h"
#include "loader/tables/tables.h"

/* The columns of struct off_sums. */
#define COLUMNS_OFF(off)                                                                           \
    column_count("wait_ns", (off)->total.wait_ns),                                                 \
        column_count("preempted_ns", (off)->total.preempted_ns),                                   \
        column_count("self_wait_ns", (off)->self.wait_ns),                                         \
        column_count("self_preempted_ns", (off)->self.preempted_ns),                               \
        column_count("self_waits", (off)->self_waits), column_count("paused_ns", (off)->paused_ns)

/* The columns of a record's place and time. */
#define COLUMNS_RECORD(thread, record)                                                             \
    column_int("thread_id", thread), column_id("call_id", (record)->call_id),                      \
        column_id("frame_id", (record)->frame), column_id("site_id", (record)->site),              \
        column_count("ns", (record)->ns)

/* Goes through the records of some kinds, in the order of threads and of their logs. */
struct table_records {
    struct record_cursor cursor;
    const struct log_index *index;
    const struct decode_record *record;
    uint32_t thread_id;
};

/* kinds: bits 1 << enum decode_kind. */
static inline struct table_records table_records(const struct tables *tables, uint32_t kinds)
{
    return (struct table_records){
        .cursor = {tables->threads, tables->index->threads_count, kinds, 0, 0},
        .index = tables->index};
}

/* False: there are no more. */
static inline bool table_records_next(struct table_records *records)
{
    records->record = record_cursor_next(&records->cursor);
    if (records->record != NULL)
        records->thread_id = records->index->threads[records->cursor.thread].id;
    return records->record != NULL;
}

/* Writes some tables. */
typedef int table_writer(const struct tables *tables, sqlite3 *database, struct error *error);

table_writer tables_write_faults;        /* fault_rules, faults */
table_writer tables_write_incidents;     /* incidents */
table_writer tables_write_objects;       /* objects, diaries, object_references */
table_writer tables_write_locks;         /* locks, lock_* */
table_writer tables_write_notes;         /* notes, note_values, pauses */
table_writer tables_write_changes;       /* recording_changes */
table_writer tables_write_gaps;          /* gaps, recording_gaps */
table_writer tables_write_slices;        /* slices */
table_writer tables_write_last_calls;    /* of contexts, where not all calls have rows; first */
table_writer tables_write_values;        /* of values; puts late ones into call_values */
table_writer tables_write_context_edges; /* context_edges */
table_writer tables_write_rollups;       /* function_stats, and other sums of the decoders */

#endif
