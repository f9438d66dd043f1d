/*
 * Building records in their page: btree_append without a copy, for the one writer of tens of
 * millions of rows a second. The rows of a run have consecutive rowids:
 *
 *   if (btree_direct_begin(&run, part, rowid)) {
 *       while (... && (end = btree_direct_end(&run, most)) != NULL) // the page has room
 *           btree_direct_done(&run, record, end - record);
 *       btree_direct_commit(&run, part);
 *   }
 *
 * Build a record downwards from `end` within `most` bytes; bytes below it and within `most` may be
 * spoiled. If the page has no such room, or a run cannot begin, call btree_append. Between begin
 * and commit the part belongs to the run.
 */
#ifndef FISQL_LOADER_SQLITE_BTREE_DIRECT_H
#define FISQL_LOADER_SQLITE_BTREE_DIRECT_H

#include "loader/sqlite/btree_internal.h"

struct btree_direct {
    unsigned char *leaf;
    uint32_t content, cells;
    uint64_t rowid;  /* of the next row */
    uint64_t varint; /* as in its cell, the last byte the lowest */
    uint32_t varint_bytes;
};

static inline void btree_direct_number(struct btree_direct *run)
{
    uint64_t rest = run->rowid;
    run->varint = rest & 0x7f;
    run->varint_bytes = 1;
    for (; (rest >>= 7) != 0; run->varint_bytes++)
        run->varint |= ((rest & 0x7f) | 0x80) << 8 * run->varint_bytes;
}

/* rowid: beyond 2^49 the number and a record's length do not fit a word. */
static inline bool btree_direct_begin(struct btree_direct *run, const struct btree_part *part,
                                      int64_t rowid)
{
    if (part->leaf == NULL || part->rows == 0 || rowid <= part->last_rowid || rowid >> 49 != 0)
        return false;
    run->leaf = part->leaf;
    run->content = part->content;
    run->cells = part->cells;
    run->rowid = (uint64_t)rowid;
    btree_direct_number(run);
    return true;
}

static inline unsigned char *btree_direct_end(const struct btree_direct *run, uint32_t most)
{
    uint32_t used = BTREE_LEAF_HEADER + 2 * run->cells;
    return run->content - used < most + 2 * BTREE_VARINT_MAX + 2 ? NULL : run->leaf + run->content;
}

/* The record's length must be at least 4 and at most 127. */
static inline void btree_direct_done(struct btree_direct *run, unsigned char *record,
                                     uint32_t record_bytes)
{
    uint64_t front = run->varint | (uint64_t)record_bytes << 8 * run->varint_bytes;
    uint64_t big_endian = __builtin_bswap64(front);
    __builtin_memcpy(record - 8, &big_endian, 8);
    run->content = (uint32_t)(record - run->leaf) - run->varint_bytes - 1;
    btree_put2(run->leaf + BTREE_LEAF_HEADER + 2 * run->cells, run->content);
    run->cells++;
    run->varint++;
    if ((++run->rowid & 0x7f) == 0)
        btree_direct_number(run); /* a byte before the last one changes */
}

static inline void btree_direct_commit(const struct btree_direct *run, struct btree_part *part)
{
    part->rows += run->cells - part->cells;
    part->content = run->content;
    part->cells = run->cells;
    part->last_rowid = (int64_t)run->rowid - 1;
}

#endif
