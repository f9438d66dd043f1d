/* Writing the tables: frames page by page, and all that are small enough through the sqlite3 API.
 * Decoding and pairing write calls and allocs. */
#ifndef FISQL_LOADER_TABLES_TABLES_H
#define FISQL_LOADER_TABLES_TABLES_H

#include <sqlite3.h>

#include "loader/calls/decode.h"
#include "loader/loader.h"

/* What there is to write. */
struct tables {
    const struct log_index *index;
    const struct clock_map *clock;
    struct program *program;
    struct frames *frames;
    struct rollup *rollup; /* of all workers */
    struct memory *memory;
    struct value_calls *values;           /* of all workers */
    const struct decoded_thread *threads; /* by index in log_index.threads */
    const struct hook_costs *costs;
    const struct load_options *options;
};

/* Makes calls and call_values of the rows that were written while threads were decoded. */
MUST_CHECK int tables_finish_calls(const struct tables *tables, struct btree_file *file,
                                   struct error *error);

/* frames, of which there may be millions: any number of threads may write their rows. */
struct frames_writing {
    struct tables tables;
    struct btree_file *file;
    struct btree_part **parts; /* by block of the rollup; the rows lie in their order */
    uint32_t parts_count;
    uint32_t next; /* atomic: the first block that nobody has begun */
};

/* Fills the indexes, and makes ready for rows. */
MUST_CHECK int tables_frames_begin(struct frames_writing *writing, const struct tables *tables,
                                   struct btree_file *file, struct error *error);
/* Writes rows while there are any that nobody writes. After memory_pair. What was added up over a frame is
 * freed when it is written. */
MUST_CHECK int tables_frames_write(struct frames_writing *writing, struct error *error);
/* All rows are written: makes a table of them. */
MUST_CHECK int tables_frames_end(struct frames_writing *writing, struct error *error);
void tables_frames_release(struct frames_writing *writing);

/* Writes valued_calls. Both before the small tables. */
MUST_CHECK int tables_write_valued_calls(const struct tables *tables, struct btree_file *file,
                                         struct error *error);

/* Writes every other table but calls, allocs and those of memory_write(). Within a transaction. */
MUST_CHECK int tables_write(const struct tables *tables, sqlite3 *database, struct error *error);

/* Fills in what incidents need of calls and blocks. Behind all others. */
MUST_CHECK int tables_finish_incidents(const struct tables *tables, sqlite3 *database,
                                       struct error *error);

#endif
