/*
 * Running one query: its parameters, filters, names and suppressions, and the output of its rows.
 */
#ifndef FISQL_CLI_QUERY_QUERY_RUN_H
#define FISQL_CLI_QUERY_QUERY_RUN_H

#include "cli/run/names.h"
#include "cli/out/output.h"
#include "cli/query/query_file.h"
#include "cli/query/query_filter.h"

enum { QUERY_SETTINGS_MAX = 64 };

/* The request, borrowed from argv. */
struct query_request {
    enum output_format format;
    enum name_style names;
    long limit;                               /* -1 = all */
    int columns_max, cell_width_max;          /* as in struct output_source */
    int width_max;                            /* as there */
    bool say_left_out;                        /* as there */
    bool full_columns;                        /* in CSV and JSON: see output.h */
    bool count_all;                           /* count the rows beyond the limit */
    const char *settings[QUERY_SETTINGS_MAX]; /* name=value */
    size_t settings_count;
    const char *by; /* --by: the setting of that name; NULL if it is not given */
    struct filters filters;
    const char *suppressions; /* file, NULL = none */
    bool suppress_any;        /* a query without allocations has nothing to suppress: no error */
    struct output_bounds *bounds; /* as in struct output_source */
    bool may_stop;                /* the caller may interrupt it: then it says nothing */
    bool all_blocks;              /* also those that the C library keeps (kept_blocks.h) */
};

/* Runs the query and writes its rows to `out`; *rows gets their number. Returns 0, or 2 after
 * saying what is wrong. */
int query_run(const struct query_request *request, sqlite3 *database,
              const struct query_file *query, FILE *out, long *rows);

/* The statement of a query that was run, with the request's filters, to be run with other settings:
 * preparing the long ones takes a quarter of a second. NULL after saying what is wrong; with or
 * without it, query_done() ends it. */
sqlite3_stmt *query_prepare_again(const struct query_request *request, sqlite3 *database,
                                  const struct query_file *query);

/* Finalizes it, and drops what it read. Returns 0, or 2 after saying what is wrong. */
int query_done(sqlite3 *database, const struct query_file *query, sqlite3_stmt *statement);

/* As query_run(), with such a statement and a request that may stop. Frames are not checked again. */
int query_run_again(const struct query_request *request, sqlite3 *database,
                    const struct query_file *query, sqlite3_stmt *statement, FILE *out, long *rows);

/* Binds the request's settings, and the defaults of a query of the user's own. Returns 0, or 2
 * after saying what is wrong. */
int query_bind_settings(const struct query_request *request, const struct query_file *query,
                        sqlite3_stmt *statement);

/* Binds those of the request's settings that the statement has: for a query of several statements.
 * Returns 0, or 2 after saying what is wrong. */
int query_bind_present(const struct query_request *request, const struct query_file *query,
                       sqlite3_stmt *statement);

/* The columns of the query's result: names, units and kinds by its header. Free with
 * query_columns_free; NULL without memory. */
struct output_column *query_columns(const struct query_file *query, sqlite3_stmt *statement);
void query_columns_free(struct output_column *columns, int count);

/* Writes the SQL with the parameters' values and SQLite's plan, as SQL that can be run. A NULL
 * database leaves the plan out. Returns 0, or 2 after saying what is wrong. */
int query_explain(const struct query_request *request, sqlite3 *database,
                  const struct query_file *query, FILE *out);

#endif
