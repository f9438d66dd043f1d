/* The tables of faults: a recording's rules and what they did. */
#include "loader/tables/tables_parts.h"

#include <stdlib.h>
#include <string.h>

#include "loader/log/log_index.h"

/* Takes the text up to `end`; NULL at the text's end. *text continues behind it. */
static char *take(char **text, char end)
{
    char *from = *text;
    if (from == NULL || *from == 0)
        return NULL;
    char *found = strchr(from, end);
    *text = found != NULL ? found + 1 : NULL;
    if (found != NULL)
        *found = 0;
    return from;
}

/* A line's count; NULL where there is none. */
static struct column take_count(const char *name, char **line)
{
    char *end, *text = take(line, ' ');
    long long number = text != NULL ? strtoll(text, &end, 10) : -1;
    return column_int_if(name, text != NULL && end != text && *end == 0 && number >= 0, number);
}

static int write_rules(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    const char *told = log_index_fact(tables->index, FISQL_FACT_RUN_FAULT_RULES);
    const char *counted = log_index_fact(tables->index, FISQL_FACT_RUN_FAULT_COUNTS);
    char *rules = strdup(told != NULL ? told : ""), *at = rules;
    char *counts = strdup(counted != NULL ? counted : ""), *count_at = counts;
    if (rules == NULL || counts == NULL) {
        free(rules);
        free(counts);
        return error_set(error, "out of memory");
    }
    insert_begin(&insert, database, "fault_rules");
    for (char *line; (line = take(&at, '\n')) != NULL;) {
        char *target = take(&line, '\t'), *action = take(&line, '\t');
        char *count = take(&count_at, '\n');
        struct column reached = take_count("reached", &count);
        struct column struck = take_count("struck", &count);
        insert_row(&insert, column_text("target", target != NULL ? target : ""),
                   column_text("action", action != NULL ? action : ""),
                   column_text("rule", line != NULL ? line : ""), reached, struck);
    }
    free(rules);
    free(counts);
    return insert_end(&insert, error);
}

static int write_struck(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    struct table_records faults = table_records(tables, 1u << DECODE_FAULT);
    insert_begin(&insert, database, "faults");
    while (table_records_next(&faults))
        insert_row(&insert, column_int("rule_id", (int64_t)faults.record->rule + 1),
                   COLUMNS_RECORD(faults.thread_id, faults.record));
    return insert_end(&insert, error);
}

int tables_write_faults(const struct tables *tables, sqlite3 *database, struct error *error)
{
    int result = write_rules(tables, database, error);
    return result != 0 ? result : write_struck(tables, database, error);
}
