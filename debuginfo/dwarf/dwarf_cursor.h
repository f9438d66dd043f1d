/* Reads numbers one after the other from bytes of debug information. Past the end a cursor gives
 * zeros and is `failed`. Numbers are little-endian on both sides. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_CURSOR_H
#define FISQL_DEBUGINFO_DWARF_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_cursor {
    const unsigned char *at, *end;
    bool failed;
};

/* Steps over bytes; NULL if there are too few. */
static inline const unsigned char *dwarf_take_bytes(struct dwarf_cursor *cursor, uint64_t bytes)
{
    const unsigned char *from = cursor->at;
    if ((uint64_t)(cursor->end - cursor->at) < bytes) {
        cursor->failed = true;
        cursor->at = cursor->end;
        return NULL;
    }
    cursor->at += bytes;
    return from;
}

/* A number of up to 8 bytes. */
static inline uint64_t dwarf_take(struct dwarf_cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    const unsigned char *from = dwarf_take_bytes(cursor, bytes);
    if (from != NULL)
        memcpy(&value, from, bytes);
    return value;
}

/* The same, sign-extended. */
static inline int64_t dwarf_take_fixed(struct dwarf_cursor *cursor, unsigned bytes)
{
    uint64_t value = dwarf_take(cursor, bytes);
    unsigned unused = 64 - 8 * bytes;
    /* 1 to 8 bytes. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    return (int64_t)(value << unused) >> unused;
}

/* The length before a unit or an entry: 4 bytes, or 0xffffffff and 8 more; *offset_bytes: 4 or 8.
 * The cursor's end moves there; false if that is beyond it. */
static inline bool dwarf_take_length(struct dwarf_cursor *cursor, unsigned *offset_bytes)
{
    uint64_t length = dwarf_take(cursor, 4);
    *offset_bytes = length == 0xffffffffu ? 8 : 4;
    if (*offset_bytes == 8)
        length = dwarf_take(cursor, 8);
    if (cursor->failed || length > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->end = cursor->at + length;
    return true;
}

static inline uint64_t dwarf_take_unsigned(struct dwarf_cursor *cursor) /* ULEB128 */
{
    uint64_t value = 0;
    for (unsigned shift = 0; cursor->at < cursor->end; shift += 7) {
        /* Before the end. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        unsigned char byte = *cursor->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    cursor->failed = true;
    return 0;
}

static inline int64_t dwarf_take_signed(struct dwarf_cursor *cursor) /* SLEB128 */
{
    uint64_t value = 0;
    for (unsigned shift = 0; cursor->at < cursor->end;) {
        unsigned char byte = *cursor->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if ((byte & 0x80) == 0) {
            if (shift < 64 && (byte & 0x40) != 0)
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
    cursor->failed = true;
    return 0;
}

#endif
