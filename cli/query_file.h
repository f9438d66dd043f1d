/*
 * Query files: queries/NAME.sql, compiled in, and files of the user's own. A file opens with comment
 * lines that describe it:
 *
 *   -- title:       Inline candidates
 *   -- group:       Inlining and call structure
 *   -- description: what it finds and why it matters; continued on lines that begin with spaces
 *   -- advice:      what to do with a row, and when the advice is wrong
 *   -- source:      where the method comes from
 *   -- param:       min_calls = 100 | calls | ignore rarer functions
 *   -- column:      function  | -     | demangled name
 *
 * and is then one SELECT in which :min_calls stands for the parameter; not bound, it is NULL, and the
 * query takes its default.
 */
#ifndef FISQL_CLI_QUERY_FILE_H
#define FISQL_CLI_QUERY_FILE_H

#include <stddef.h>

#define QUERY_PARTS_MAX 40

/* A parameter or a column. Strings are owned by the query file. */
struct query_part {
    char *name, *value /* a parameter's default; NULL for columns */, *unit, *text;
};

struct query_file {
    char *name;
    char *title, *group, *description, *advice, *source; /* NULL where the header lacks it */
    struct query_part params[QUERY_PARTS_MAX], columns[QUERY_PARTS_MAX];
    size_t params_count, columns_count;
    char *sql; /* the whole text */
};

/* Parses a file's text. Returns 0, or -1 without memory. Release in both cases. */
int query_file_parse(struct query_file *query, const char *name, const char *text);
void query_file_release(struct query_file *query);

/* A script that makes a view of each canned query, with all parameters at their defaults. Caller
 * frees; NULL without memory. */
char *query_views_sql(void);

#endif
