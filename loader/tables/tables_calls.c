/* Tables of the threads' parts: see tables.h. */
#include <stdlib.h>

#include "loader/tables/tables.h"

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
    if (tables->options->summary)
        return 0;
    return finish_parts(tables, file, "calls", calls_part, error) != 0
               ? -1
               : finish_parts(tables, file, "call_values", values_part, error);
}
