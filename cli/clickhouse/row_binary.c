/* ClickHouse's RowBinary: see row_binary.h. */
#include "cli/clickhouse/row_binary.h"

#include "base/array.h"

#include <string.h>

static int append(struct row_binary *rows, const void *bytes, size_t size_bytes)
{
    if (size_bytes == 0)
        return 0;
    if (array_reserve(&rows->bytes, &rows->capacity, rows->size_bytes + size_bytes, NULL) != 0)
        return -1;
    memcpy(rows->bytes + rows->size_bytes, bytes, size_bytes);
    rows->size_bytes += size_bytes;
    return 0;
}

int row_binary_int64(struct row_binary *rows, int64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)value >> (8 * i));
    return append(rows, bytes, sizeof bytes);
}

/* Writes the length, seven bits a byte, the lowest first; then the bytes. */
int row_binary_string(struct row_binary *rows, const void *bytes, size_t size_bytes)
{
    unsigned char length[10];
    size_t count = 0, left = size_bytes;
    do {
        length[count++] = (unsigned char)((left & 127) | (left > 127 ? 128 : 0));
        left >>= 7;
    } while (left > 0);
    return append(rows, length, count) != 0 ? -1 : append(rows, bytes, size_bytes);
}

void row_binary_release(struct row_binary *rows)
{
    free(rows->bytes);
    *rows = (struct row_binary){0};
}
