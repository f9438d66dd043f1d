/* The SQL files that are compiled into the program: schema.sql and queries/NAME.sql, in the order
 * of their names. Strings end with a NUL and live as long as the program. */
#ifndef FISQL_QUERIES_EMBEDDED_H
#define FISQL_QUERIES_EMBEDDED_H

#include <stddef.h>

struct embedded_query {
    const char *name; /* of the file, without .sql */
    const char *text;
};

extern const char embedded_schema[];
extern const struct embedded_query embedded_queries[]; /* ends with a NULL name */
extern const size_t embedded_queries_count;

#endif
