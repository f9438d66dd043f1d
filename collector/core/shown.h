/*
 * Text that the collector itself writes on standard error when no `fisql record` does. Paths may be
 * hostile: we show all but printable ASCII by number, other scripts included, because only fisql
 * (cli/out/text.h) knows which characters are harmless.
 */
#ifndef FISQL_COLLECTOR_CORE_SHOWN_H
#define FISQL_COLLECTOR_CORE_SHOWN_H

#include <stdint.h>

#define SHOWN_BYTES_MAX 4u /* a byte as \x1b */

/* Writes a byte in the form shown, at most SHOWN_BYTES_MAX bytes. Returns their number. */
static inline uint32_t shown_put(char *to, char letter)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte = (unsigned char)letter;
    to[0] = letter;
    if (byte >= ' ' && byte < 0x7f)
        return 1;
    to[0] = '\\';
    to[1] = 'x';
    to[2] = digits[byte >> 4];
    to[3] = digits[byte & 15];
    return SHOWN_BYTES_MAX;
}

#endif
