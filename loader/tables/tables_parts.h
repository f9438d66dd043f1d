/* What the files that write the small tables share: tables.c and tables_rollups.c. */
#ifndef FISQL_LOADER_TABLES_TABLES_PARTS_H
#define FISQL_LOADER_TABLES_TABLES_PARTS_H

#include <stdint.h>

#include "loader/sqlite/insert.h"
#include "loader/tables/tables.h"

/* A count as SQLite can hold it. */
static inline int64_t clip(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* The columns wait_ns, preempted_ns, self_wait_ns, self_preempted_ns, self_waits, paused_ns. */
static inline void tables_insert_off(struct insert *insert, const struct off_sums *off)
{
    insert_int(insert, clip(off->total.wait_ns));
    insert_int(insert, clip(off->total.preempted_ns));
    insert_int(insert, clip(off->self.wait_ns));
    insert_int(insert, clip(off->self.preempted_ns));
    insert_int(insert, clip(off->self_waits));
    insert_int(insert, clip(off->paused_ns));
}

/* Writes the tables fault_rules and faults. */
int tables_write_faults(const struct tables *tables, sqlite3 *database, struct error *error);

/* Writes the table incidents. */
int tables_write_incidents(const struct tables *tables, sqlite3 *database, struct error *error);
/* Writes the tables objects, diaries and object_references. */
int tables_write_objects(const struct tables *tables, sqlite3 *database, struct error *error);
/* Writes the tables of locks. */
int tables_write_locks(const struct tables *tables, sqlite3 *database, struct error *error);
/* Writes the tables notes, note_values and pauses. */
int tables_write_notes(const struct tables *tables, sqlite3 *database, struct error *error);

/* Writes the table recording_changes. */
int tables_write_changes(const struct tables *tables, sqlite3 *database, struct error *error);

/* Writes the table gaps. */
int tables_write_gaps(const struct tables *tables, sqlite3 *database, struct error *error);

/* Writes what was added up of values, and puts late ones into call_values. */
int tables_write_values(const struct tables *tables, sqlite3 *database, struct error *error);
/* Writes the table context_edges. */
int tables_write_context_edges(const struct tables *tables, sqlite3 *database, struct error *error);

/* Writes function_stats and all other tables of what was added up while decoding. */
int tables_write_rollups(const struct tables *tables, sqlite3 *database, struct error *error);

#endif
