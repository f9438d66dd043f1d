/*
 * Writes SQLite's tables from the bottom up: fills leaf pages completely in the order of rowids
 * and never touches them again; the interior pages above them follow at the end. Many times as fast
 * as INSERT (docs/performance.md), with the file that INSERT in ascending order gives.
 *
 * Order of use:
 *   1. make the database with its schema through sqlite3 and close it (rollback journal mode, no
 *      auto_vacuum; the tables to be written are empty and have no index but those to be filled);
 *   2. btree_open;
 *   3. for each table: any number of parts (btree_part_begin, btree_append..., btree_part_end),
 *      btree_index_fill for each of its indexes, then btree_finish with the parts by rowid; or
 *      btree_keyed_fill, if it is WITHOUT ROWID;
 *   4. btree_close; from then on the file is used through sqlite3 again.
 * Nobody else may have the file open between 2 and 4. If the load fails in between, btree_abandon
 * and throw the file away: it is not a sound database.
 *
 * Threads: different threads may begin, fill and end parts of a file at once; one thread at a time
 * uses a part. One thread calls btree_finish and btree_close; another one may fill other tables'
 * indexes beside btree_finish.
 *
 * Errors: int functions return 0, or -1 with the words in *error.
 *
 * Source: "Database File Format", https://www.sqlite.org/fileformat2.html.
 */
#ifndef FISQL_LOADER_SQLITE_BTREE_H
#define FISQL_LOADER_SQLITE_BTREE_H

#include <stdint.h>

#include "base/error.h"

struct btree_file;
struct btree_part;
struct record;
struct write_out;

/* A record's place in the file, for btree_patch and btree_replace. */
struct btree_place {
    uint32_t page;
    uint16_t cell;   /* offset in the page of the record's cell */
    uint16_t record; /* offset in the page of the record's first byte */
    uint16_t spare;  /* free bytes behind the cell */
};

/* Opens the database at `path`. Owned by the caller until btree_close or btree_abandon. */
MUST_CHECK int btree_open(const char *path, struct btree_file **out, struct error *error);

/* Measures the cost of writing in `out`, which is borrowed until btree_close or btree_abandon. */
void btree_set_write_out(struct btree_file *file, struct write_out *out);

/* Writes the freelist and the header, and frees the file. */
MUST_CHECK int btree_close(struct btree_file *file, struct error *error);

/* Closes the file as it is and frees it. NULL is allowed. */
void btree_abandon(struct btree_file *file);

/* The longest record for btree_append, spare included. */
uint32_t btree_record_max(const struct btree_file *file);

/* Begins a part. The file owns it until btree_finish takes it. */
MUST_CHECK int btree_part_begin(struct btree_file *file, struct btree_part **out,
                                struct error *error);

/* Appends a record (sqlite_record.h) with a rowid above the part's last one. Leaves `spare` bytes
 * (0, or 4 and more) free behind it for a longer record (btree_replace). *place: the record's; may
 * be NULL. */
MUST_CHECK int btree_append(struct btree_part *part, int64_t rowid, const void *record,
                            uint32_t record_bytes, uint32_t spare, struct btree_place *place,
                            struct error *error);

/* Overwrites `bytes` bytes at `offset` in a record of this part, even after btree_part_end. The new
 * bytes must fit the record's header: this is for integers of full width. */
MUST_CHECK int btree_patch(struct btree_part *part, const struct btree_place *place,
                           uint32_t offset, const void *data, uint32_t bytes, struct error *error);

/* Replaces a record of this part. If it has `spare` bytes, the new record may be up to spare - 5
 * bytes longer, else it must be as long. *place becomes the new record's. Replace a page's records
 * one after another: we write a page when another one's turn comes. */
MUST_CHECK int btree_replace(struct btree_part *part, struct btree_place *place, const void *record,
                             uint32_t record_bytes, struct error *error);

/* Writes what the part still holds. Nothing may be appended then. */
MUST_CHECK int btree_part_end(struct btree_part *part, struct error *error);

/* Fills an index on one column of a table whose rows 1 to `count` have these keys (0 = NULL). Keys
 * should be dense: each number up to the greatest has a counter. Call it before btree_finish, which
 * refuses a table with an unfilled index. */
MUST_CHECK int btree_index_fill(struct btree_file *file, const char *name, const uint32_t *keys,
                                uint32_t count, struct error *error);

/* Makes the record of an entry: of the columns, those of the key first. Called several times for each,
 * and in any order. */
typedef void btree_entry_writer(struct record *record, uint32_t entry, const void *context);

/* Fills an empty table WITHOUT ROWID, and without indexes, with `count` rows in the order of its
 * primary key, whose records have 127 bytes at most. Not beside btree_finish. */
MUST_CHECK int btree_keyed_fill(struct btree_file *file, const char *name, uint32_t count,
                                btree_entry_writer *write, const void *context,
                                struct error *error);

/* Makes the empty table hold the rows of `count` ended parts, with all rowids of a part below those
 * of the next one. Frees the parts. count = 0 leaves the table empty. */
MUST_CHECK int btree_finish(struct btree_file *file, const char *table,
                            struct btree_part *const *parts, uint32_t count, struct error *error);

#endif
