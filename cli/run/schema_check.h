/* Is a database's schema the one that this fisql knows, whatever its version says? */
#ifndef FISQL_CLI_RUN_SCHEMA_CHECK_H
#define FISQL_CLI_RUN_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stdbool.h>

/* Compares tables, columns and indexes with schema.sql, and puts our views over those of the
 * database if they differ, so that we only ask tables of the known shape. Anything else in the
 * database does not matter. Returns whether it can be used; says what is wrong with `path` if
 * not. */
bool schema_check(sqlite3 *database, const char *path);

/* Makes our views as temporary ones, which see temporary tables instead of the database's. False if
 * the database refuses. */
bool schema_put_views(sqlite3 *database);

/* Compares only tables, columns and indexes with those of another schema. `maker` says in words
 * what makes such files. */
bool schema_same(sqlite3 *database, const char *path, const char *schema, const char *maker);

#endif
