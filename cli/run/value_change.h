/* What changed between two texts of values: of an expression at a call's entry and at its exit. */
#ifndef FISQL_CLI_RUN_VALUE_CHANGE_H
#define FISQL_CLI_RUN_VALUE_CHANGE_H

#include <sqlite3.h>

/* Appends "3 -> 4"; of structs with the same members only those that changed, "{count = 3 -> 4}"; the
 * text alone if nothing changed. */
void value_change_put(sqlite3_str *out, const char *before, const char *after);

#endif
