/*
 * Text that the collector itself writes on standard error, where no `fisql record` does. Paths may be hostile: what
 * is not printable ASCII is shown by its number, in other scripts, too, for which of their characters are harmless
 * is known to fisql alone (cli/out/text.h).
 */
#ifndef FISQL_COLLECTOR_CORE_SHOWN_H
#define FISQL_COLLECTOR_CORE_SHOWN_H

#include <stdint.h>

#define SHOWN_BYTES_MAX 4u /* of one byte: \x1b */

/* Writes a byte as it is to be shown, at most SHOWN_BYTES_MAX bytes. Returns how many. */
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
