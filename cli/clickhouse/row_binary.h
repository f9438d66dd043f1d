/* ClickHouse's RowBinary: rows as bytes, one value after another. */
#ifndef FISQL_CLI_CLICKHOUSE_ROW_BINARY_H
#define FISQL_CLI_CLICKHOUSE_ROW_BINARY_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct row_binary {
    unsigned char *bytes;
    size_t size_bytes, capacity;
};

/* Each returns 0, or -1 when memory ran out. */
int row_binary_int64(struct row_binary *rows, int64_t value);
int row_binary_string(struct row_binary *rows, const void *bytes, size_t size_bytes);
void row_binary_release(struct row_binary *rows);

#endif
