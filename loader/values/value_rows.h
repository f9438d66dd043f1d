/*
 * The rows of a thread's values, from the window in which they wait to the pages of the b-tree.
 *
 * Rows are in the order of calls, and the result of a call comes before its arguments; but it is known at the
 * call's end, when the arguments of the calls within it are known, too. So calls wait in a window, a ring
 * by id; the older half is written when a call comes that the window has no place for. Of a call that is
 * still open then and whose function has given results before, a row is written that holds a number of
 * 8 bytes: the result takes its place, as numbers fit. What does not fit, or was not expected, is late
 * (value_late.h).
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

/* Tells which calls are open: the first one with at least this id, 0 = there is none; *results: its function
 * has given results. */
typedef uint64_t value_open_call(void *context, uint64_t id, bool *results);

struct value_slot {
    uint32_t arguments, arguments_bytes; /* where in the buffer */
    uint32_t result, result_bytes;       /* with errno behind it */
};

/* A row that waits for its result. */
struct value_place {
    uint64_t call_id;
    struct btree_place place;
};

struct value_rows {
    struct btree_part *part;            /* NULL = no rows are wanted */
    struct value_slot *slots;           /* NULL = there was no value yet */
    struct value_buffer waiting, other; /* the forms in the window; and the next one's */
    uint64_t start_id;                  /* of the window */
    struct value_place *places;         /* by id, ascending */
    size_t places_count, places_capacity;
    value_open_call *open_call;
    void *context;
    struct value_late late;
};

void value_rows_release(struct value_rows *rows);

/* A thread begins; its calls have the ids from first_id on. The part is borrowed until
 * value_rows_finish. */
void value_rows_begin(struct value_rows *rows, struct btree_part *part, uint64_t first_id);

/* The forms of a call's arguments, to be told in the order of calls, or of its result, and of errno (NULL =
 * none). */
int value_rows_arguments(struct value_rows *rows, uint64_t call_id, const void *forms, size_t bytes,
                         struct error *error);
int value_rows_result(struct value_rows *rows, uint64_t call_id, const struct value_form *form,
                      const struct value_form *failure, struct error *error);

/* Writes all that wait. No call is open any more. */
int value_rows_finish(struct value_rows *rows, struct error *error);

#endif
