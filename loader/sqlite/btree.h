/*
 * Writes SQLite rowid tables from the bottom up: leaf pages are filled completely in the order of
 * their rowids and never touched again, the interior pages above them follow at the end. Many times
 * as fast as INSERT (docs/performance.md), and the file is what INSERT in ascending order gives.
 *
 * Order of use:
 *   1. make the database with its schema through sqlite3 and close it (rollback journal mode, no
 *      auto_vacuum; the tables to be written are empty and have no index but those to be filled);
 *   2. btree_open;
 *   3. for each table: any number of parts (btree_part_begin, btree_append..., btree_part_end),
 *      btree_index_fill for each index of it, then btree_finish with the parts in the order of their
 *      rowids;
 *   4. btree_close; from then on the file is used through sqlite3 again.
 * Nobody else may have the file open between 2 and 4. If the load fails in between, btree_abandon
 * and throw the file away: it is not a sound database.
 *
 * Threads: parts of one file may be begun, filled and ended by different threads at the same time;
 * one part is used by one thread at a time. btree_finish and btree_close are for one thread; another one may
 * fill indexes of other tables beside btree_finish.
 *
 * Errors: functions that return int return 0, or -1 with the words in *error.
 *
 * Source: "Database File Format", https://www.sqlite.org/fileformat2.html.
 */
#ifndef FISQL_LOADER_SQLITE_BTREE_H
#define FISQL_LOADER_SQLITE_BTREE_H

#include <stdint.h>

#include "base/error.h"

struct btree_file;
struct btree_part;
struct write_out;

/* Where a record is in the file: what btree_patch and btree_replace need. */
struct btree_place {
    uint32_t page;
    uint16_t cell;   /* offset in the page of the record's cell */
    uint16_t record; /* offset in the page of the record's first byte */
    uint16_t spare;  /* bytes left free behind the cell */
};

/* Opens the database at `path`. Owned by the caller until btree_close or btree_abandon. */
MUST_CHECK int btree_open(const char *path, struct btree_file **out, struct error *error);

/* Tells it what writing costs. Borrowed until btree_close or btree_abandon. */
void btree_set_write_out(struct btree_file *file, struct write_out *out);

/* Writes what is left, the freelist and the header, and frees the file. */
MUST_CHECK int btree_close(struct btree_file *file, struct error *error);

/* Closes the file as it is and frees it. NULL is allowed. */
void btree_abandon(struct btree_file *file);

/* The longest record that btree_append takes, spare included. */
uint32_t btree_record_max(const struct btree_file *file);

/* Begins a part. It is owned by the file and lives until btree_finish has taken it. */
MUST_CHECK int btree_part_begin(struct btree_file *file, struct btree_part **out,
                                struct error *error);

/* Appends a record (sqlite_record.h) under a rowid that is greater than the part's last one.
 * `spare` bytes (0, or 4 and more) are left free behind it for a longer record, see btree_replace.
 * The record's place goes into *place, which may be NULL. */
MUST_CHECK int btree_append(struct btree_part *part, int64_t rowid, const void *record,
                            uint32_t record_bytes, uint32_t spare, struct btree_place *place,
                            struct error *error);

/* Overwrites `bytes` bytes at `offset` in the record at `place`, which this part has appended, also
 * after btree_part_end. The new bytes must make sense under the record's header: this is for
 * integers that were encoded at full width. */
MUST_CHECK int btree_patch(struct btree_part *part, const struct btree_place *place,
                           uint32_t offset, const void *data, uint32_t bytes, struct error *error);

/* Puts another record in the place of one that this part has appended. Where that was done with
 * `spare` bytes, the new record may be up to spare - 5 bytes longer, else it must be as long. The
 * record's new place goes into *place. Fast where one page's records are replaced one after
 * another: the page is written when another one's turn comes. */
MUST_CHECK int btree_replace(struct btree_part *part, struct btree_place *place, const void *record,
                             uint32_t record_bytes, struct error *error);

/* Writes out what the part still holds. Nothing may be appended afterwards. */
MUST_CHECK int btree_part_end(struct btree_part *part, struct error *error);

/* Fills an index on one column of numbers, of a table whose rows 1 to count have these keys in it (0 =
 * NULL): numbers of something, for there is a counter for each up to the greatest. To be called before
 * btree_finish, which refuses a table with an index that was not filled. */
MUST_CHECK int btree_index_fill(struct btree_file *file, const char *name, const uint32_t *keys,
                                uint32_t count, struct error *error);

/* Makes the empty table `table` hold the rows of the `count` ended parts: all rowids of a part must
 * be less than those of the next one. The parts are freed. count = 0 leaves the table empty. */
MUST_CHECK int btree_finish(struct btree_file *file, const char *table,
                            struct btree_part *const *parts, uint32_t count, struct error *error);

#endif
