/*
 * What the files of the b-tree writer share: btree_open.c (the file from its opening to its end,
 * its header, freelist), btree_file.c (allocation of pages), btree_page.c (interior pages),
 * btree_part.c (leaf pages), btree_tree.c (from parts to a table's root) and btree_index.c
 * (indexes).
 *
 * A page of a table b-tree, all numbers big-endian:
 *
 *   offset  size  meaning
 *        0     1  13 leaf, 5 interior
 *        1     2  offset of the first freeblock, 0 = none
 *        3     2  number of cells
 *        5     2  start of the cell content area (0 = 65536)
 *        7     1  fragmented free bytes
 *        8     4  interior only: page of the right-most child
 *   8 / 12   2*n  offsets of the cells in the order of their rowids
 *      ...        unallocated
 *                 cell content area, up to the reserved bytes at the page's end
 *
 * A leaf cell is varint(record's length), varint(rowid), record; at least 4 bytes. An interior cell
 * is the 4-byte page of a child and varint(greatest rowid in it). A freeblock is a 2-byte offset of
 * the next one and its own 2-byte length.
 */
#ifndef FISQL_LOADER_SQLITE_BTREE_INTERNAL_H
#define FISQL_LOADER_SQLITE_BTREE_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "loader/sqlite/btree.h"

enum {
    BTREE_LEAF = 13,
    BTREE_INTERIOR = 5,
    BTREE_LEAF_HEADER = 8,
    BTREE_INTERIOR_HEADER = 12,
    BTREE_VARINT_MAX = 9,
    BTREE_CELL_MIN = 4,
    BTREE_FREEBLOCK_MIN = 4,
};

/* `count` pages from `first` on. */
struct btree_extent {
    uint32_t first;
    uint32_t count;
};

/* A page of one level as its parent sees it. */
struct btree_child {
    int64_t last_rowid;
    uint32_t page;
};

struct btree_children {
    struct btree_child *items;
    size_t count, room;
};

struct btree_table { /* or an index */
    char *name;
    char *index_of; /* its table; NULL = it is no index */
    uint32_t root;
    uint32_t indexes; /* unfilled ones; of an index: 1 = unfilled */
};

struct btree_file {
    int fd;
    char *path;
    uint32_t page_bytes;
    uint32_t usable_bytes;       /* page_bytes less the reserved bytes */
    uint32_t lock_page;          /* never used: has the bytes that SQLite locks, at 1 GiB */
    uint32_t fanout;             /* children of an interior page, with rowids of any length */
    struct write_out *write_out; /* or NULL */
    struct btree_table *tables;
    size_t tables_count, tables_room;
    struct btree_part *parts;  /* list of parts that btree_finish has not taken */
    pthread_mutex_t lock;      /* guards what follows and the list of parts */
    uint64_t pages;            /* the file's pages in use, from before included */
    struct btree_extent *free; /* returned extents */
    size_t free_count, free_room;
};

struct btree_part {
    struct btree_file *file;
    struct btree_part *next; /* in file->parts */
    struct btree_part **at;  /* what points to it there: a run may have many threads */
    uint64_t rows;
    int64_t first_rowid, last_rowid;
    /* The extent being filled, in memory. */
    struct btree_extent extent;
    uint32_t extent_used;   /* complete pages of it */
    uint32_t extent_wanted; /* size of the next one */
    unsigned char *buffer; /* extent_pages_max pages; NULL before the first row and after the end */
    unsigned char *kept;   /* a written page that btree_replace changed; or NULL */
    uint32_t kept_page;    /* its number, 0 = none */
    /* The leaf being filled, the page extent.first + extent_used; NULL = none */
    unsigned char *leaf;
    uint32_t cells;
    uint32_t content; /* start of its content area */
    /* The leaves: the first `fanout` in head, then those under the written pages of level1; the
     * latest, none or at least two, in tail. */
    struct btree_children head, tail, level1;
    bool ended;
};

static inline void btree_put2(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

static inline void btree_put4(unsigned char *at, uint32_t value)
{
    uint32_t big_endian = __builtin_bswap32(value);
    __builtin_memcpy(at, &big_endian, 4);
}

static inline uint32_t btree_get2(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t btree_get4(const unsigned char *at)
{
    uint32_t big_endian;
    __builtin_memcpy(&big_endian, at, 4);
    return __builtin_bswap32(big_endian);
}

/* Writes an SQLite varint of 1 to 9 bytes. Returns its length. */
static inline uint32_t btree_put_varint(unsigned char *at, uint64_t value)
{
    if (value < 0x80) {
        at[0] = (unsigned char)value;
        return 1;
    }
    if (value >> 56) { /* 9 bytes: the last one holds 8 bits */
        at[8] = (unsigned char)value;
        value >>= 8;
        for (int i = 7; i >= 0; i--, value >>= 7)
            at[i] = (unsigned char)(value | 0x80);
        return 9;
    }
    uint32_t length = (64 - (uint32_t)__builtin_clzll(value) + 6) / 7;
    for (uint32_t i = length; i-- > 0; value >>= 7)
        at[i] = (unsigned char)(value | 0x80);
    /* The loop filled it. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
    at[length - 1] &= 0x7f;
    return length;
}

/* Reads a varint. Returns its length. */
uint32_t btree_get_varint(const unsigned char *at, uint64_t *value);

int btree_children_add(struct btree_children *children, uint32_t page, int64_t last_rowid);
void btree_children_release(struct btree_children *children);

/* Takes up to `wanted` adjacent pages, at least one. */
int btree_pages_take(struct btree_file *file, uint32_t wanted, struct btree_extent *extent,
                     struct error *error);
/* Returns unused pages. */
int btree_pages_return(struct btree_file *file, struct btree_extent extent, struct error *error);

/* The table of this name, or the index; NULL = there is none. */
struct btree_table *btree_find(struct btree_file *file, const char *name, bool index);

int btree_bytes_read(struct btree_file *file, uint64_t offset, void *data, size_t bytes,
                     struct error *error);
int btree_bytes_write(struct btree_file *file, uint64_t offset, const void *data, size_t bytes,
                      struct error *error);
int btree_pages_write(struct btree_file *file, uint32_t page, const void *data, size_t bytes,
                      struct error *error);
int btree_page_read(struct btree_file *file, uint32_t page, void *data, struct error *error);

/* Fills an interior page over `count` children, from 2 to file->fanout. */
void btree_interior_fill(const struct btree_file *file, unsigned char *page,
                         const struct btree_child *children, size_t count);

/* Writes the page that btree_replace changed last. btree_finish calls it, too, for changes after
 * the part's end. */
int btree_part_flush(struct btree_part *part, struct error *error);
void btree_part_free(struct btree_part *part);

#endif
