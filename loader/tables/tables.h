/* Writing the tables: frames page by page, small tables through the sqlite3 API. Decoding and
 * pairing write calls and allocs. */
#ifndef FISQL_LOADER_TABLES_TABLES_H
#define FISQL_LOADER_TABLES_TABLES_H

#include <sqlite3.h>

#include "loader/calls/decode.h"
#include "loader/loader.h"

/* What there is to write. */
struct tables {
    const char *log_path;
    const struct log_index *index;
    const struct clock_map *clock;
    struct program *program;
    const struct source_checksums *checksums;
    struct frames *frames;
    struct rollup *rollup;        /* of all workers */
    const struct kept_rows *kept; /* the same */
    struct memory *memory;
    struct value_calls *values;           /* of all workers */
    const struct decoded_thread *threads; /* by index in log_index.threads */
    const struct hook_costs *costs;
    const struct picture_scale *scale;
    const struct load_options *options;
};

/* Makes calls and call_values of the rows that decoding wrote. */
MUST_CHECK int tables_finish_calls(const struct tables *tables, struct btree_file *file,
                                   struct error *error);

/* Millions of frames: any number of threads may write their rows. */
struct frames_writing {
    struct tables tables;
    struct btree_file *file;
    struct btree_part **parts; /* by block of the rollup; the rows lie in their order */
    uint32_t parts_count;
    uint32_t next; /* atomic: the first block without a writer */
};

/* Fills the indexes and prepares for rows. */
MUST_CHECK int tables_frames_begin(struct frames_writing *writing, const struct tables *tables,
                                   struct btree_file *file, struct error *error);
/* Writes rows while some have no writer, and frees the sums of the written frames. After
 * memory_pair. */
MUST_CHECK int tables_frames_write(struct frames_writing *writing, struct error *error);
/* Makes the table of the written rows. */
MUST_CHECK int tables_frames_end(struct frames_writing *writing, struct error *error);
void tables_frames_release(struct frames_writing *writing);

/* Writes valued_calls. Before the small tables. */
MUST_CHECK int tables_write_valued_calls(const struct tables *tables, struct btree_file *file,
                                         struct error *error);

/* Writes long_calls. Before the small tables. */
MUST_CHECK int tables_write_long_calls(const struct tables *tables, struct btree_file *file,
                                       struct error *error);

/* Writes all other tables but calls, allocs and those of memory_write(). Within a transaction. */
MUST_CHECK int tables_write(const struct tables *tables, sqlite3 *database, struct error *error);

/* The number of calls of functions that are not the user's own. After all other tables. */
MUST_CHECK int tables_count_system_calls(sqlite3 *database, uint64_t *calls, struct error *error);

/* Fills in what incidents need of calls and blocks, and adds those that no thread reported, of which
 * *deadlocks are deadlocks. After all other tables. */
MUST_CHECK int tables_finish_incidents(const struct tables *tables, sqlite3 *database,
                                       size_t *deadlocks, struct error *error);

#endif
