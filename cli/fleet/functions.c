/* SQL functions for many runs: see functions.h. */
#include "cli/fleet/functions.h"

#include "base/parts.h"

#include "cli/diff/compare.h"
#include "cli/run/names.h"
#include "cli/run/wide_sum.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t fleet_stable(const char *text)
{
    char *end;
    errno = 0;
    uint64_t id = strtoull(text, &end, 16);
    if (strlen(text) != 16 || *end != '\0' || errno != 0) {
        id = 14695981039346656037u; /* FNV-1a */
        for (const char *at = text; *at != '\0'; at++)
            id = (id ^ (unsigned char)*at) * 1099511628211u;
    }
    return id != 0 ? (int64_t)id : 1; /* 0 means none */
}

static const char *text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text != NULL ? text : "";
}

static void stable(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL)
        sqlite3_result_int64(context, fleet_stable(text_of(values[0])));
}

static void file_name(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_text(context, last_part(text_of(values[0])), -1, SQLITE_TRANSIENT);
}

static void log2_fixed(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    double ns = sqlite3_value_double(values[0]);
    sqlite3_result_int64(context, ns > 0 ? llround(65536 * log2(ns + 1)) : 0);
}

static void fixed_exp2(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_double(context, exp2(sqlite3_value_double(values[0]) / 65536) - 1);
}

static void separated_p(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    double n1 = sqlite3_value_double(values[0]), n2 = sqlite3_value_double(values[1]);
    if (n1 < 1 || n2 < 1)
        return;
    double p = 2 * exp(lgamma(n1 + 1) + lgamma(n2 + 1) - lgamma(n1 + n2 + 1));
    sqlite3_result_double(context, p < 1 ? p : 1);
}

static void welch_p(sqlite3_context *context, int count, sqlite3_value **values)
{
    double numbers[6] = {0};
    for (int i = 0; i < count && i < 6; i++)
        numbers[i] = sqlite3_value_double(values[i]);
    double p =
        compare_welch_p(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    if (p >= 0)
        sqlite3_result_double(context, p);
}

static void significant(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    char text[32];
    snprintf(text, sizeof text, "%.3g", sqlite3_value_double(values[0]));
    sqlite3_result_double(context, strtod(text, NULL));
}

static void stack_parent(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *stack = text_of(values[0]), *last = NULL;
    for (const char *at = stack; (at = strstr(at, NAMES_ARROW)) != NULL; at += strlen(NAMES_ARROW))
        last = at;
    if (last != NULL)
        sqlite3_result_text(context, stack, (int)(last - stack), SQLITE_TRANSIENT);
}

int fleet_functions_add(sqlite3 *database)
{
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"stable", 1, stable},           {"file_name", 1, file_name},
                     {"log2_fixed", 1, log2_fixed},   {"fixed_exp2", 1, fixed_exp2},
                     {"separated_p", 2, separated_p}, {"welch_p", 6, welch_p},
                     {"significant", 1, significant}, {"stack_parent", 1, stack_parent}};
    int result = wide_sum_add(database);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && result == SQLITE_OK; i++)
        result = sqlite3_create_function(database, functions[i].name, functions[i].arguments,
                                         SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                         functions[i].function, NULL, NULL);
    return result;
}
