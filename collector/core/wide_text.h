/*
 * Wide text, UTF-16 and UTF-32, becomes UTF-8 in the log. Characters come one by one, so that
 * neither hook nor macro needs a buffer. No function allocates; each may be used anywhere.
 */
#ifndef FISQL_COLLECTOR_CORE_WIDE_TEXT_H
#define FISQL_COLLECTOR_CORE_WIDE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define UTF8_BYTES_MAX 4u

/* Writes a character as UTF-8, and returns its bytes. What is no character is U+FFFD. */
static inline uint32_t utf8_put(unsigned char to[UTF8_BYTES_MAX], uint32_t character)
{
    if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        character = 0xfffd;
    if (character < 0x80) {
        to[0] = (unsigned char)character;
        return 1;
    }
    uint32_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned char head[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (unsigned char)(head[more] | character >> 6 * more);
    for (uint32_t i = 1; i <= more; i++)
        to[i] = (unsigned char)(0x80 | (character >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Does a unit of UTF-16 begin, or end, a pair that is one character? */
static inline bool utf16_begins_pair(uint32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}
static inline bool utf16_ends_pair(uint32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}
static inline uint32_t utf16_pair(uint32_t first, uint32_t second)
{
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

#endif
