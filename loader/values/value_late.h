/*
 * Results that come too late for their row: of calls that lasted longer than value_rows.h waits, where
 * no row was left room for them, or where it did not suffice. They are few, and wait in a temporary file
 * until all rows are written; then SQL puts them right.
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

/* The row `id` of call_values gets this value. form: NULL = the row is not to be. */
MUST_CHECK int value_late_add(struct value_late *late, uint64_t id, const struct value_form *form,
                              struct error *error);
/* What `from` has is `into`'s as well. */
MUST_CHECK int value_late_merge(struct value_late *into, struct value_late *from,
                                struct error *error);
/* Does all that. */
MUST_CHECK int value_late_write(struct value_late *late, sqlite3 *database, struct error *error);
void value_late_release(struct value_late *late);

#endif
