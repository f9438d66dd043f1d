/* Amounts as people write them: numbers, times and sizes with their units. */
#ifndef FISQL_CLI_OUT_AMOUNT_H
#define FISQL_CLI_OUT_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Each returns whether the whole text is such an amount and at most INT64_MAX; *value is set only
 * then. A fraction is allowed if there is a unit, and cut to a whole number. */

/* 12 */
bool amount_count(const char *text, int64_t *value);
/* Nanoseconds: 1500, 100ns, 1.5us, 2ms, .5s, 3min */
bool amount_time(const char *text, int64_t *ns);
/* Bytes: 4096, 512K, 1.5MiB, 1G, 2T (all of 1024) */
bool amount_size(const char *text, int64_t *size_bytes);

#endif
