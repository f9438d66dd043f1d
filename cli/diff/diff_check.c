/* Budgets of fisql diff: [FUNCTION:]METRIC(>|<)LIMIT, LIMIT being a number (of run B), or a change
 * from A to B: +N, -N, +N%, -N%. The budget is broken where the condition holds. */
#include "cli/diff/diff.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/run/database.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Metrics of a run: SQL for A and for B. */
#define BOTH(before, after)                                                                        \
    {                                                                                              \
        before "main" after, before "other" after                                                  \
    }
static const struct metric {
    const char *name, *sql[2];
} run_metrics[] = {
    {"calls", BOTH("SELECT sum(calls + counted_calls) FROM ", ".threads")},
    {"total_ns", BOTH("SELECT sum(total_ns) FROM ", ".frames WHERE parent_id IS NULL")},
    {"self_ns", BOTH("SELECT sum(self_ns) FROM ", ".function_stats")},
    {"cpu_ns", BOTH("SELECT sum(self_cpu_ns) FROM ", ".function_stats")},
    {"wait_ns", BOTH("SELECT sum(self_wait_ns) FROM ", ".function_stats")},
    {"run_ns", BOTH("SELECT max(end_ns) - min(start_ns) FROM ", ".threads")},
    {"functions", BOTH("SELECT count(*) FROM ", ".function_stats WHERE calls > 0")},
    {"allocs", BOTH("SELECT sum(blocks) FROM ", ".alloc_stacks")},
    {"alloc_bytes", BOTH("SELECT sum(bytes) FROM ", ".alloc_stacks")},
    {"not_freed_blocks", BOTH("SELECT sum(blocks - freed_blocks) FROM ", ".alloc_stacks")},
    {"not_freed_bytes", BOTH("SELECT sum(bytes - freed_bytes) FROM ", ".alloc_stacks")},
    {"peak_bytes", BOTH("SELECT value FROM ", ".run WHERE key = 'peak_bytes'")},
};
/* Columns of the tables a and b. */
static const char *const function_metrics[] = {"calls",       "total_ns",   "self_ns", "cpu_ns",
                                               "self_cpu_ns", "wait_ns",    "mean_ns", "max_ns",
                                               "allocs",      "alloc_bytes"};
enum {
    RUN_METRICS = sizeof run_metrics / sizeof run_metrics[0],
    FUNCTION_METRICS = sizeof function_metrics / sizeof function_metrics[0],
};

struct budget {
    const char *text;
    char function[512]; /* "" = the whole run */
    char metric[64];
    bool more; /* broken if it is more than the limit; else less */
    char sign; /* '+', '-' or 0 = absolute */
    bool percent;
    double limit;
};

static int misread(const char *text)
{
    return fail("--check '%s': wants METRIC>LIMIT or METRIC<LIMIT, as in total_ns>+10%%, "
                "allocs>+0 or parse:calls>1000",
                text);
}

static int parse(struct budget *budget, const char *text)
{
    *budget = (struct budget){.text = text};
    const char *compare = strrchr(text, '>'), *less = strrchr(text, '<');
    if (compare == NULL || (less != NULL && less > compare))
        compare = less;
    if (compare == NULL)
        return misread(text);
    budget->more = *compare == '>';
    const char *metric = text;
    for (const char *at = text; at < compare; at++)
        if (*at == ':')
            metric = at + 1;
    size_t function = metric > text ? (size_t)(metric - text - 1) : 0;
    size_t length = (size_t)(compare - metric);
    if (length == 0 || length >= sizeof budget->metric || function >= sizeof budget->function)
        return misread(text);
    memcpy(budget->metric, metric, length);
    memcpy(budget->function, text, function);
    const char *limit = compare + 1;
    if (*limit == '+' || *limit == '-')
        budget->sign = *limit++;
    char *end;
    budget->limit = strtod(limit, &end);
    if (end == limit || !isfinite(budget->limit))
        return misread(text);
    if (*end == '%' && budget->sign != 0) {
        budget->percent = true;
        end++;
    }
    return *end == '\0' ? 0 : misread(text);
}

static double ask(sqlite3 *database, const char *sql, const char *function, bool *any)
{
    sqlite3_stmt *statement = database_ask(database, sql);
    double value = 0;
    if (statement != NULL && function != NULL)
        sqlite3_bind_text(statement, 1, function, -1, SQLITE_STATIC);
    if (database_row(statement) && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        value = sqlite3_column_double(statement, 0);
        *any = true;
    }
    sqlite3_finalize(statement);
    return value;
}

static int read_run(sqlite3 *database, const struct budget *budget, double values[2])
{
    const char *names[RUN_METRICS];
    for (int i = 0; i < RUN_METRICS; i++) {
        names[i] = run_metrics[i].name;
        if (strcmp(budget->metric, run_metrics[i].name) != 0)
            continue;
        for (int side = 0; side < 2; side++) {
            bool any;
            values[side] = ask(database, run_metrics[i].sql[side], NULL, &any);
        }
        return 0;
    }
    const char *nearest = nearest_name(budget->metric, names, RUN_METRICS);
    return fail("--check '%s': there is no metric %s of a run; %s%s", budget->text, budget->metric,
                nearest != NULL ? "did you mean " : "see `fisql diff --help`",
                nearest != NULL ? nearest : "");
}

static int read_function(sqlite3 *database, const struct budget *budget, double values[2])
{
    bool known = false, any = false;
    for (int i = 0; i < FUNCTION_METRICS; i++)
        known |= strcmp(budget->metric, function_metrics[i]) == 0;
    if (!known)
        return fail("--check '%s': there is no metric %s of a function; see `fisql diff --help`",
                    budget->text, budget->metric);
    for (int side = 0; side < 2; side++) {
        char sql[256];
        const char *add =
            strcmp(budget->metric, "mean_ns") == 0 || strcmp(budget->metric, "max_ns") == 0 ? "max"
                                                                                            : "sum";
        snprintf(sql, sizeof sql,
                 "SELECT %s(%s) FROM temp.%s WHERE ?1 IN (name, shown) OR name GLOB ?1"
                 " OR shown GLOB ?1",
                 add, budget->metric, side == 0 ? "a" : "b");
        values[side] = ask(database, sql, budget->function, &any);
    }
    return any ? 0
               : fail("--check '%s': neither run called a function %s", budget->text,
                      budget->function);
}

int diff_check(sqlite3 *database, const char *text)
{
    struct budget budget;
    double values[2] = {0, 0};
    int status = parse(&budget, text);
    if (status == 0)
        status = budget.function[0] != '\0' ? read_function(database, &budget, values)
                                            : read_run(database, &budget, values);
    if (status != 0)
        return status;
    double change = budget.percent ? fabs(values[0]) * budget.limit / 100 : budget.limit;
    double limit = budget.sign == '+'   ? values[0] + change
                   : budget.sign == '-' ? values[0] - change
                                        : budget.limit;
    bool broken = budget.more ? values[1] > limit : values[1] < limit;
    if (!broken)
        return 0;
    fputs("broken: ", stdout);
    text_put(stdout, text);
    printf(": %.15g -> %.15g", values[0], values[1]);
    if (values[0] != 0)
        printf(" (%+.1f%%)", 100 * (values[1] - values[0]) / fabs(values[0]));
    fputc('\n', stdout);
    return 1;
}
