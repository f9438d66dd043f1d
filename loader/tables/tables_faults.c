/* The tables of faults: the rules that a recording was told, and what became of them. */
#include "loader/tables/tables_parts.h"

#include <stdlib.h>
#include <string.h>

#include "loader/log/log_index.h"

/* Takes a line, or what stands before a tab; NULL at the end. *text goes on behind it. */
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

/* A line's count; NULL in the table where there is none. */
static void insert_count(struct insert *insert, char **line)
{
    char *end, *text = take(line, ' ');
    long long number = text != NULL ? strtoll(text, &end, 10) : -1;
    if (text == NULL || end == text || *end != 0 || number < 0)
        insert_null(insert);
    else
        insert_int(insert, number);
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
    insert_begin(&insert, database, "fault_rules", "target,action,rule,reached,struck");
    for (char *line; (line = take(&at, '\n')) != NULL;) {
        char *target = take(&line, '\t'), *action = take(&line, '\t');
        char *count = take(&count_at, '\n');
        insert_text(&insert, target != NULL ? target : "");
        insert_text(&insert, action != NULL ? action : "");
        insert_text(&insert, line != NULL ? line : "");
        insert_count(&insert, &count);
        insert_count(&insert, &count);
        insert_row(&insert);
    }
    free(rules);
    free(counts);
    return insert_end(&insert, error);
}

static int write_struck(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "faults", "rule_id,thread_id,call_id,frame_id,site_id,ns");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        for (size_t k = 0; k < thread->faults.count; k++) {
            const struct decode_fault *fault = &thread->faults.items[k];
            insert_int(&insert, (int64_t)fault->rule + 1);
            insert_int(&insert, tables->index->threads[i].id);
            insert_id(&insert, fault->call_id);
            insert_id(&insert, fault->frame);
            insert_id(&insert, fault->site);
            insert_int(&insert, clip(fault->ns));
            insert_row(&insert);
        }
    }
    return insert_end(&insert, error);
}

int tables_write_faults(const struct tables *tables, sqlite3 *database, struct error *error)
{
    int result = write_rules(tables, database, error);
    return result != 0 ? result : write_struck(tables, database, error);
}
