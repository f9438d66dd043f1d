/* Tables of the threads' parts: see tables.h. */
#include <stdlib.h>

#include "loader/tables/tables_parts.h"

static int by_first_call(const void *left, const void *right)
{
    const struct log_thread *const *a = left, *const *b = right;
    return (*a)->first_call_id < (*b)->first_call_id ? -1 : 1;
}

static struct btree_part *calls_part(const struct decoded_thread *thread)
{
    return thread->part;
}

static struct btree_part *values_part(const struct decoded_thread *thread)
{
    return thread->values;
}

/* Makes a table of the threads' parts. */
static int finish_parts(const struct tables *tables, struct btree_file *file, const char *table,
                        struct btree_part *(*part_of)(const struct decoded_thread *thread),
                        struct error *error)
{
    struct btree_part **parts = malloc((tables->index->threads_count + 1) * sizeof *parts);
    const struct log_thread **threads =
        malloc((tables->index->threads_count + 1) * sizeof *threads);
    int result = parts == NULL || threads == NULL ? error_set(error, "out of memory") : 0;
    uint32_t count = 0;
    for (size_t i = 0; result == 0 && i < tables->index->threads_count; i++)
        if (part_of(&tables->threads[i]) != NULL)
            threads[count++] = &tables->index->threads[i];
    if (result == 0 && count > 0)
        qsort(threads, count, sizeof *threads, by_first_call);
    for (uint32_t i = 0; result == 0 && i < count; i++)
        parts[i] = part_of(&tables->threads[threads[i] - tables->index->threads]);
    if (result == 0)
        result = btree_finish(file, table, parts, count, error);
    free(parts);
    free(threads);
    return result;
}

int tables_finish_calls(const struct tables *tables, struct btree_file *file, struct error *error)
{
    if (tables->options->calls == LOAD_CALLS_NONE)
        return 0;
    return finish_parts(tables, file, "calls", calls_part, error) != 0
               ? -1
               : finish_parts(tables, file, "call_values", values_part, error);
}

/* Those of contexts whose last call was short: the rows were written before that was known. */
int tables_write_last_calls(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    if (tables->options->calls != LOAD_CALLS_LONG)
        return 0;
    insert_begin(&insert, database, "calls");
    for (size_t i = 0; i < tables->kept->capacity; i++) {
        const struct kept_frame *frame = &tables->kept->frames[i];
        if (frame->first_id == 0 || frame->thread == 0)
            continue;
        insert_row(&insert, column_count("id", frame->last_id),
                   column_int("thread_id", frame->thread), column_count("frame_id", i),
                   column_int("depth", frame->depth), column_count("enter_ns", frame->enter_ns),
                   column_int("duration_ns", frame->duration_ns),
                   column_int_if("parent_distance", frame->distance != 0, (int64_t)frame->distance),
                   column_count("descendants", frame->descendants),
                   column_int("children_ns", frame->children_ns));
    }
    return insert_end(&insert, error);
}

int tables_count_system_calls(sqlite3 *database, uint64_t *calls, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(database,
                                    "SELECT sum(s.calls) FROM function_stats s"
                                    " JOIN functions f ON f.id = s.function_id"
                                    " LEFT JOIN modules m ON m.id = f.module_id"
                                    " WHERE f.own = 0 AND NOT f.external AND m.patched IS NULL",
                                    -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status == SQLITE_ROW)
        *calls = (uint64_t)sqlite3_column_int64(statement, 0);
    else
        error_set(error, "%s", insert_problem(database));
    sqlite3_finalize(statement);
    return status == SQLITE_ROW ? 0 : -1;
}
