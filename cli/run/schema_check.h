/* Is a database's schema the one that this fisql knows, whatever its version says? */
#ifndef FISQL_CLI_RUN_SCHEMA_CHECK_H
#define FISQL_CLI_RUN_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stdbool.h>

/* Compares the tables, their columns and the indexes with schema.sql, and puts the schema's views
 * over those of the database where they differ, so that all that fisql asks is asked of tables of the known
 * shape. What else is in the database does not matter. Returns whether it can be used; says what is wrong
 * with `path` where not. */
bool schema_check(sqlite3 *database, const char *path);

/* Makes the schema's views as temporary ones, which see temporary tables in place of the database's.
 * Returns false where the database refuses. */
bool schema_put_views(sqlite3 *database);

/* Compares the tables, columns and indexes alone with those of another schema. `maker` says in words
 * what makes such files. */
bool schema_same(sqlite3 *database, const char *path, const char *schema, const char *maker);

#endif
