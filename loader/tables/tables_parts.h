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

/* Writes the tables fault_rules and faults. */
MUST_CHECK int tables_write_faults(const struct tables *tables, sqlite3 *database,
                                   struct error *error);

/* Writes the table incidents. */
MUST_CHECK int tables_write_incidents(const struct tables *tables, sqlite3 *database,
                                      struct error *error);
/* Writes the tables objects, diaries and object_references. */
MUST_CHECK int tables_write_objects(const struct tables *tables, sqlite3 *database,
                                    struct error *error);
/* Writes the tables of locks. */
MUST_CHECK int tables_write_locks(const struct tables *tables, sqlite3 *database,
                                  struct error *error);
/* Writes the tables notes, note_values and pauses. */
MUST_CHECK int tables_write_notes(const struct tables *tables, sqlite3 *database,
                                  struct error *error);

/* Writes the table recording_changes. */
MUST_CHECK int tables_write_changes(const struct tables *tables, sqlite3 *database,
                                    struct error *error);

/* Writes the table gaps. */
MUST_CHECK int tables_write_gaps(const struct tables *tables, sqlite3 *database,
                                 struct error *error);

/* Writes what was added up of values, and puts late ones into call_values. */
MUST_CHECK int tables_write_values(const struct tables *tables, sqlite3 *database,
                                   struct error *error);
/* Writes the table context_edges. */
MUST_CHECK int tables_write_context_edges(const struct tables *tables, sqlite3 *database,
                                          struct error *error);

/* Writes function_stats and all other tables of what was added up while decoding. */
MUST_CHECK int tables_write_rollups(const struct tables *tables, sqlite3 *database,
                                    struct error *error);

#endif
