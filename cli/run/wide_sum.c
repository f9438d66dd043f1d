/* SQL's sum() that does not fail: see wide_sum.h. */
#include "cli/run/wide_sum.h"

#include "base/wide.h"

#include <stddef.h>
#include <stdint.h>

/* Fewer than 2^63 rows of 64 bits fit into 128. SQLite aligns its memory to 8 bytes only. */
struct wide_sum {
    wide_int integers;
    double reals; /* of all values, as SQLite adds them up */
    int64_t values, reals_count;
} __attribute__((packed, aligned(8)));

static void add(struct wide_sum *sum, sqlite3_value *value, int sign)
{
    int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_NULL)
        return;
    sum->values += sign;
    sum->reals += sign * sqlite3_value_double(value);
    if (type == SQLITE_INTEGER)
        sum->integers += (wide_int)sqlite3_value_int64(value) * sign;
    else
        sum->reals_count += sign;
}

static void step(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct wide_sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
    (void)count;
    if (sum == NULL)
        sqlite3_result_error_nomem(context);
    else
        add(sum, values[0], 1);
}

static void inverse(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct wide_sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
    (void)count;
    if (sum != NULL)
        add(sum, values[0], -1);
}

static void value(sqlite3_context *context)
{
    const struct wide_sum *sum = sqlite3_aggregate_context(context, 0);
    if (sum == NULL || sum->values <= 0)
        return;
    if (sum->reals_count > 0)
        sqlite3_result_double(context, sum->reals);
    else
        sqlite3_result_int64(context, sum->integers > INT64_MAX   ? INT64_MAX
                                      : sum->integers < INT64_MIN ? INT64_MIN
                                                                  : (int64_t)sum->integers);
}

int wide_sum_add(sqlite3 *database)
{
    return sqlite3_create_window_function(database, "sum", 1,
                                          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                          NULL, step, value, value, inverse, NULL);
}
