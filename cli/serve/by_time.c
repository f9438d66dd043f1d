/* Rows by time: see by_time.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/by_time.h"

/* by_time.sql: the first row from id ?1 to id ?2, with its time. */
extern const char by_time_sql_call_at[], by_time_sql_block_at[];

sqlite3_stmt *by_time_calls(struct quick *quick)
{
    return quick_prepare(quick, by_time_sql_call_at);
}

sqlite3_stmt *by_time_blocks(struct quick *quick)
{
    return quick_prepare(quick, by_time_sql_block_at);
}

int64_t by_time_first(struct quick *quick, sqlite3_stmt *at, int64_t first, int64_t last,
                      int64_t ns)
{
    int64_t low = first, high = last < INT64_MAX ? last + 1 : last;
    while (low < high && quick->problem == NULL) {
        int64_t middle = (int64_t)((uint64_t)low + ((uint64_t)high - (uint64_t)low) / 2);
        sqlite3_bind_int64(at, 1, middle);
        sqlite3_bind_int64(at, 2, high - 1);
        bool found = quick_row(quick, at);
        int64_t id = found ? sqlite3_column_int64(at, 0) : high;
        int64_t row_ns = found ? sqlite3_column_int64(at, 1) : 0;
        sqlite3_reset(at);
        if (!found || row_ns >= ns)
            high = middle;
        else
            low = id + 1;
    }
    return low;
}
#else
extern const int by_time_is_not_built_in; /* ISO C forbids an empty file */
#endif
