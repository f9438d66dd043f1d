/* What drawings of calls need (call_picture.h): long_calls, slices. */
#include "loader/tables/tables_parts.h"

static int write_long_calls(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "long_calls");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct thread_picture *picture = &tables->threads[i].picture;
        for (unsigned class = picture->class_first; class < PICTURE_CLASSES; class ++)
            for (size_t k = 0; k < picture->classes[class].count; k++) {
                const struct long_call *call = &picture->classes[class].items[k];
                insert_row(&insert, column_int("thread_id", tables->index->threads[i].id),
                           column_int("class", class), column_count("enter_ns", call->enter_ns),
                           column_count("call_id", call->call_id),
                           column_count("duration_ns", call->duration_ns),
                           column_int("depth", call->depth),
                           column_int("function_id", call->function));
            }
    }
    return insert_end(&insert, error);
}

static int write_slices(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "slices");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct thread_picture *picture = &tables->threads[i].picture;
        for (size_t k = 0; k < picture->slices_count; k++) {
            const struct picture_slice *slice = &picture->slices[k];
            insert_row(&insert, column_int("thread_id", tables->index->threads[i].id),
                       column_count("slice", slice->slice), column_count("calls", slice->calls),
                       column_count("short_ns", slice->short_ns),
                       column_id("function_id", slice->function),
                       column_count("function_ns", slice->function_ns));
        }
    }
    return insert_end(&insert, error);
}

int tables_write_pictures(const struct tables *tables, sqlite3 *database, struct error *error)
{
    return write_long_calls(tables, database, error) != 0 ? -1
                                                          : write_slices(tables, database, error);
}
