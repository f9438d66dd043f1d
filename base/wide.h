/* 128-bit integers, for products and sums that must be exact. */
#ifndef FISQL_BASE_WIDE_H
#define FISQL_BASE_WIDE_H

#include <stdint.h>

__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;

/* As SQLite stores it: at most the largest integer. */
static inline int64_t wide_to_int64(wide_uint value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

#endif
