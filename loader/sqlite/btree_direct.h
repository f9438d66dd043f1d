/*
 * Building a record in its page: what btree_append does, for the one writer that makes tens of
 * millions of rows a second and would rather not copy them. The record is built downwards from
 *   end = btree_direct_end(part, rowid, most)
 * within `most` bytes, and btree_direct_done(part, rowid, record, end - record, &place) makes it a
 * row. NULL: there is not that much room, or the row is not allowed; btree_append then knows more.
 * Bytes below the record and within `most` may be spoiled.
 */
#ifndef FISQL_LOADER_BTREE_DIRECT_H
#define FISQL_LOADER_BTREE_DIRECT_H

#include "loader/sqlite/btree_internal.h"

static inline unsigned char *btree_direct_end(const struct btree_part *part, int64_t rowid,
                                              uint32_t most)
{
    if (part->leaf == NULL || part->rows == 0 || rowid <= part->last_rowid || rowid >> 56 != 0)
        return NULL;
    uint32_t used = BTREE_LEAF_HEADER + 2 * part->cells;
    if (part->content - used < most + 2 * BTREE_VARINT_MAX + 2)
        return NULL;
    return part->leaf + part->content;
}

/* The record's length must be at least 4 and at most 127. */
static inline void btree_direct_done(struct btree_part *part, int64_t rowid, unsigned char *record,
                                     uint32_t record_bytes, struct btree_place *place)
{
    unsigned char *cell = record;
    uint64_t rest = (uint64_t)rowid;
    *--cell = rest & 0x7f;
    while ((rest >>= 7) != 0)
        *--cell = (unsigned char)(rest | 0x80);
    *--cell = (unsigned char)record_bytes;
    uint32_t offset = (uint32_t)(cell - part->leaf);
    btree_put2(part->leaf + BTREE_LEAF_HEADER + 2 * part->cells, offset);
    *place = (struct btree_place){.page = part->extent.first + part->extent_used,
                                  .cell = (uint16_t)offset,
                                  .record = (uint16_t)(record - part->leaf)};
    part->content = offset;
    part->cells++;
    part->rows++;
    part->last_rowid = rowid;
}

#endif
