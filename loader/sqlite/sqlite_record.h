/*
 * SQLite's record format: a header of varints (its own length, then a serial type for each column)
 * followed by the columns' values. Append the columns in the table's order: the INTEGER PRIMARY KEY
 * as NULL, no VIRTUAL columns, trailing columns that equal their DEFAULT only if you like.
 *
 * Usage:
 *   struct record record;
 *   record_begin(&record, 9);            // columns, at most RECORD_COLUMNS_MAX
 *   record_null(&record);
 *   record_int(&record, thread_id);      // smallest form
 *   offset = record_int_full(&record, 0);// 8 bytes, to be patched with record_put_int
 *   btree_append(part, id, record_data(&record), record_bytes(&record), 0, &place, &error);
 *
 * The number of columns gives the header's length: each serial type takes one byte, except those of
 * texts longer than 57 bytes, which record_text refuses. So header and values go straight to their
 * places.
 *
 * Inline: we make tens of millions of records a second. Only record_text can fail. The caller
 * appends the announced number of columns, integers and short texts, so a record always fits.
 */
#ifndef FISQL_LOADER_SQLITE_SQLITE_RECORD_H
#define FISQL_LOADER_SQLITE_SQLITE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/must.h"

#define RECORD_COLUMNS_MAX 40
#define RECORD_TEXT_MAX 57 /* bytes of a text whose serial type is one byte */
/* Header, values at their widest, and room for the 8-byte stores of short integers. */
#define RECORD_BYTES_MAX (1 + RECORD_COLUMNS_MAX + RECORD_COLUMNS_MAX * RECORD_TEXT_MAX + 8)

struct record {
    unsigned char *type;  /* next serial type */
    unsigned char *value; /* next value */
    unsigned char bytes[RECORD_BYTES_MAX];
};

/* Begins a record of exactly `columns` columns. */
static inline void record_begin(struct record *record, unsigned columns)
{
    must(columns <= RECORD_COLUMNS_MAX);
    record->bytes[0] = (unsigned char)(columns + 1);
    record->type = record->bytes + 1;
    record->value = record->bytes + 1 + columns;
}

static inline const unsigned char *record_data(const struct record *record)
{
    return record->bytes;
}

/* Of the whole record, when all columns are appended. */
static inline uint32_t record_bytes(const struct record *record)
{
    must(record->type == record->bytes + record->bytes[0]);
    return (uint32_t)(record->value - record->bytes);
}

static inline void record_null(struct record *record)
{
    *record->type++ = 0;
}

/* Stores the 8 bytes of a full-width integer, for example for btree_patch. */
static inline void record_put_int(unsigned char *at, int64_t value)
{
    uint64_t big_endian = __builtin_bswap64((uint64_t)value);
    memcpy(at, &big_endian, 8);
}

/* Appends an integer in its smallest form. */
static inline void record_int(struct record *record, int64_t value)
{
    /* Bytes by an eighth of the value's bits, its sign left out. */
    static const unsigned char bytes_of[8] = {1, 2, 3, 4, 6, 6, 8, 8};
    static const unsigned char type_of[9] = {8, 1, 2, 3, 4, 0, 5, 0, 6};
    /* 0 and 1 have the serial types 8 and 9, and no bytes. */
    bool constant = (uint64_t)value <= 1;
    unsigned bits = 64 - (unsigned)__builtin_clzll((uint64_t)(value ^ -(int64_t)(value < 0)) | 1);
    unsigned bytes = constant ? 0 : bytes_of[bits >> 3 < 8 ? bits >> 3 : 7];
    *record->type++ = (unsigned char)(type_of[bytes] + (constant && value == 1));
    uint64_t aligned = bytes == 0 ? 0 : (uint64_t)value << (64 - 8 * bytes);
    record_put_int(record->value, (int64_t)aligned);
    record->value += bytes;
}

/* Appends an integer in 8 bytes. Returns its offset in the record, for btree_patch. */
static inline uint32_t record_int_full(struct record *record, int64_t value)
{
    uint32_t offset = (uint32_t)(record->value - record->bytes);
    *record->type++ = 6;
    record_put_int(record->value, value);
    record->value += 8;
    return offset;
}

/* Appends an id that may be missing: 0 as NULL. */
static inline void record_id_or_null(struct record *record, uint64_t id)
{
    if (id == 0)
        record_null(record);
    else
        record_int(record, (int64_t)id);
}

/* Appends a REAL. */
static inline void record_double(struct record *record, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    *record->type++ = 7;
    record_put_int(record->value, (int64_t)bits);
    record->value += 8;
}

/* Appends a text of `bytes` bytes of UTF-8. False, without appending: it is longer than
 * RECORD_TEXT_MAX. */
static inline bool record_text(struct record *record, const char *text, uint32_t bytes)
{
    if (bytes > RECORD_TEXT_MAX)
        return false;
    *record->type++ = (unsigned char)(13 + 2 * bytes);
    memcpy(record->value, text, bytes);
    record->value += bytes;
    return true;
}

#endif
