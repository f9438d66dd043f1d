/* The findings of a run's own queries that hold in every call, as the temporary table
 * found(query, function_id, detail, calls) for queries/push/findings.sql. */
#ifndef FISQL_CLI_FLEET_FOUND_H
#define FISQL_CLI_FLEET_FOUND_H

#include <sqlite3.h>

/* Needs fleet_functions_add(). Returns 0, or 2 after saying what is wrong. */
int found_make(sqlite3 *database);

#endif
