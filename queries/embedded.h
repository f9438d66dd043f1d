/* The SQL files compiled into the program: the schemas, queries/NAME.sql, and for many runs
 * queries/fleet/NAME.sql, queries/push/TABLE.sql and queries/fold/TABLE.sql, each in the order of
 * their names. Strings end with a NUL and live as long as the program.
 *
 * The statements of NAME.c are in NAME.sql beside it: `-- statement: WHAT` begins the string
 * NAME_sql_WHAT, which NAME.c declares. */
#ifndef FISQL_QUERIES_EMBEDDED_H
#define FISQL_QUERIES_EMBEDDED_H

#include <stddef.h>

struct embedded_query {
    const char *name; /* of the file, without .sql */
    const char *text;
};

extern const char embedded_schema[];       /* schema.sql: a run's database */
extern const char embedded_fleet_schema[]; /* cli/fleet/schema_fleet.sql: many runs, in SQLite */
extern const char
    embedded_clickhouse_schema[]; /* cli/fleet/schema_clickhouse.sql: the same in ClickHouse */

/* Each ends with a NULL name. */
extern const struct embedded_query embedded_queries[];
extern const size_t embedded_queries_count;
extern const struct embedded_query embedded_fleet_queries[]; /* asked of many runs */
extern const size_t embedded_fleet_queries_count;
extern const struct embedded_query embedded_push_queries[]; /* of a run: a fleet table's rows */
extern const size_t embedded_push_queries_count;
extern const struct embedded_query embedded_fold_queries[]; /* of runs: the sums of a batch */
extern const size_t embedded_fold_queries_count;

#endif
