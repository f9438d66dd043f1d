/* What drawings of calls need (call_picture.h): long_calls, slices. Long calls are up to a 64th of all
 * calls: INSERT would take a tenth of the loading. */
#include "loader/tables/tables_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "loader/sqlite/btree.h"
#include "loader/sqlite/sqlite_record.h"

/* A thread's calls of one class, in the order of their entry. */
struct class_rows {
    uint32_t first; /* entry: its place in the table */
    uint32_t thread_id;
    uint32_t class;
    const struct long_call *calls; /* borrowed */
    size_t count;
};

struct class_list {
    struct class_rows *items;
    size_t count, capacity;
};

static const struct class_rows *class_of(const struct class_list *list, uint32_t entry)
{
    size_t low = 0, high = list->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(list->items[middle].first <= entry ? &low : &high) = middle;
    }
    return &list->items[low];
}

static void write_long_call(struct record *record, uint32_t entry, const void *context)
{
    const struct class_rows *rows = class_of(context, entry);
    const struct long_call *call = &rows->calls[entry - rows->first];
    /* call_picture_end() sorted them; times of any log are within this */
    must(call->enter_ns <= CLOCK_NS_MAX &&
         (entry == rows->first || call[-1].enter_ns <= call->enter_ns));
    record_begin(record, 7);
    record_int(record, rows->thread_id);
    record_int(record, rows->class);
    record_int(record, (int64_t)call->enter_ns);
    record_int(record, (int64_t)call->call_id);
    record_int(record, (int64_t)call->duration_ns);
    record_int(record, call->depth);
    record_int(record, call->function);
}

static int by_key(const void *left, const void *right)
{
    const struct class_rows *a = left, *b = right;
    if (a->thread_id != b->thread_id)
        return a->thread_id < b->thread_id ? -1 : 1;
    return a->class < b->class ? -1 : a->class > b->class;
}

static int list_classes(const struct tables *tables, struct class_list *list, struct error *error)
{
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct thread_picture *picture = &tables->threads[i].picture;
        for (unsigned class = picture->class_first; class < PICTURE_CLASSES; class ++) {
            const struct class_rows rows = {.thread_id = tables->index->threads[i].id,
                                            .class = class,
                                            .calls = picture->classes[class].items,
                                            .count = picture->classes[class].count};
            if (rows.count > 0 &&
                array_add(&list->items, &list->count, &list->capacity, rows, error) != 0)
                return -1;
        }
    }
    array_sort(list->items, list->count, by_key);
    return 0;
}

int tables_write_long_calls(const struct tables *tables, struct btree_file *file,
                            struct error *error)
{
    struct class_list list = {.items = NULL};
    uint64_t count = 0;
    int result = list_classes(tables, &list, error);
    for (size_t i = 0; result == 0 && i < list.count; i++) {
        list.items[i].first = (uint32_t)count;
        count += list.items[i].count;
        if (count > UINT32_MAX)
            result = error_set(error, "there are too many long calls");
    }
    if (result == 0)
        result =
            btree_keyed_fill(file, "long_calls", (uint32_t)count, write_long_call, &list, error);
    free(list.items);
    return result;
}

int tables_write_slices(const struct tables *tables, sqlite3 *database, struct error *error)
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
