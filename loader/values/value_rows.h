/*
 * The rows of a thread's values, from the window in which they wait to the pages of the b-tree.
 *
 * Rows are in the order of calls, a call's result before its arguments. But we know the result only
 * at the call's end, after the arguments of the calls within it. So calls wait in a window, a ring
 * by id; when a call has no place in it, we write the older half. If a call is still open then and
 * its function gave results before, we write a row with a number of 8 bytes: a number as result
 * takes its place. What does not fit, or comes unexpected, is late (value_late.h).
 */
#ifndef FISQL_LOADER_VALUES_VALUE_ROWS_H
#define FISQL_LOADER_VALUES_VALUE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/sqlite/btree.h"
#include "loader/values/value_form.h"
#include "loader/values/value_late.h"

#define VALUE_WINDOW 8192u /* calls; a power of two */

/* The first open call with at least this id; 0 = none. *results: its function has given results. */
typedef uint64_t value_open_call(void *context, uint64_t id, bool *results);

struct value_slot {
    uint32_t arguments, arguments_bytes; /* in the buffer */
    uint32_t exit, exit_bytes;           /* the values at its exit, among the arguments */
    uint32_t result, result_bytes;       /* with errno behind it */
};

/* A row that waits for its result. */
struct value_place {
    uint64_t call_id;
    struct btree_place place;
};

struct value_rows {
    struct btree_part *part;            /* NULL = no rows */
    struct value_slot *slots;           /* NULL = there was no value yet */
    struct value_buffer waiting, other; /* the forms in the window; the next window's */
    uint64_t start_id;                  /* of the window */
    struct value_place *places;         /* by id, ascending */
    size_t places_count, places_capacity;
    value_open_call *open_call;
    void *context;
    struct value_late late;
};

void value_rows_release(struct value_rows *rows);

/* A thread begins. first_id: of its calls. Borrows the part until value_rows_finish. */
void value_rows_begin(struct value_rows *rows, struct btree_part *part, uint64_t first_id);

/* Take the forms of a call's arguments, in the order of calls; those of values at its exit, by
 * position, all others than the arguments'; or that of its result, and of errno (NULL = none). */
int value_rows_arguments(struct value_rows *rows, uint64_t call_id, const void *forms, size_t bytes,
                         struct error *error);
int value_rows_exit(struct value_rows *rows, uint64_t call_id, const void *forms, size_t bytes,
                    struct error *error);
int value_rows_result(struct value_rows *rows, uint64_t call_id, const struct value_form *form,
                      const struct value_form *failure, struct error *error);

/* Writes all waiting rows. No call is open any more. */
int value_rows_finish(struct value_rows *rows, struct error *error);

#endif
