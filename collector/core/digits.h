/* Numbers as digits, for hooks and signal handlers, which may not call the C library. */
#ifndef FISQL_COLLECTOR_CORE_DIGITS_H
#define FISQL_COLLECTOR_CORE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

enum { DIGITS_BYTES = 24 }; /* of UINT64_MAX in base 10 or 16, with the NUL */

/* Writes the number into the end of `text`, NUL-terminated, with leading zeros up to `digits_min`
 * digits (at most 20). Returns its start. */
static inline const char *digits_put(char text[DIGITS_BYTES], uint64_t number, unsigned base,
                                     unsigned digits_min)
{
    size_t at = DIGITS_BYTES - 1;
    text[at] = 0;
    do {
        text[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0 || DIGITS_BYTES - 1 - at < digits_min);
    return text + at;
}

#endif
