/*
 * Results that come too late for their row: their calls lasted longer than value_rows.h waits, and
 * no row has room for them. They are few; they wait in a temporary file until all rows are written.
 * Then SQL corrects the rows.
 *
 * Zero-initialised (but for folder) is empty and may be released.
 */
#ifndef FISQL_LOADER_VALUES_VALUE_LATE_H
#define FISQL_LOADER_VALUES_VALUE_LATE_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "loader/values/value_form.h"

struct value_late {
    const char *folder; /* of the temporary file; borrowed */
    FILE *file;         /* NULL = nothing is late */
};

/* Gives the row `id` of call_values this value. form: NULL = deletes the row. */
MUST_CHECK int value_late_add(struct value_late *late, uint64_t id, const struct value_form *form,
                              struct error *error);
/* Adds what `from` has to `into`. */
MUST_CHECK int value_late_merge(struct value_late *into, struct value_late *from,
                                struct error *error);
/* Corrects the rows. */
MUST_CHECK int value_late_write(struct value_late *late, sqlite3 *database, struct error *error);
void value_late_release(struct value_late *late);

#endif
