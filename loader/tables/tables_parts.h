/* What the files that write the small tables share: tables.c and tables_rollups.c. */
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
