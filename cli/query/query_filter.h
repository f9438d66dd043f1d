/*
 * Filters of all queries in which they mean something: --function, --file, --module, --thread,
 * --since and --until. A filter works on a query in one of two ways:
 *
 * - The query has a parameter of the filter's name (:function, ..., :since_ns, :until_ns): the
 *   value is bound to it.
 * - The query's result has a column that the filter looks at: the query becomes a subselect and the
 *   filter a condition on it. Which columns is one table in query_filter.c; a header line
 *   `-- filter: function = allocated_by freed_by` names others. Any of several may match. Files and
 *   modules of functions are looked up where the result has no column of its own for them.
 *
 * Values are bound, never pasted into SQL. Names may be patterns (*, ?, [...]).
 *
 * The rows may be sorted anew, by columns of the result: then the query is a subselect, too.
 */
#ifndef FISQL_CLI_QUERY_QUERY_FILTER_H
#define FISQL_CLI_QUERY_QUERY_FILTER_H

#include "cli/query/query_file.h"

#include <sqlite3.h>

enum filter {
    FILTER_FUNCTION,
    FILTER_FILE,
    FILTER_MODULE,
    FILTER_THREAD,
    FILTER_SINCE,
    FILTER_UNTIL,
    FILTERS_COUNT
};

/* The filters' values, NULL if not given; borrowed from argv. */
struct filters {
    const char *values[FILTERS_COUNT];
    const char *sort; /* columns to sort by, with commas; NULL = as the query sorts */
    bool reverse;     /* the least first, or the last of names */
};

/* Checks that the names are in the database and the times are times. Returns 0, or 2 after naming
 * the nearest on stderr. */
int filters_check(const struct filters *filters, sqlite3 *database);

/* Prepares the query with the filters and binds their values. Returns NULL after saying what is
 * wrong; the caller finalizes the statement before the filters' values go. */
sqlite3_stmt *filters_prepare(const struct filters *filters, sqlite3 *database,
                              const struct query_file *query);

/* Does the query have all filters that were given? */
bool filters_fit(const struct filters *filters, sqlite3 *database, const struct query_file *query);

/* The filter options that the query has, as text. Returns how many. */
int query_filters_text(const struct query_file *query, char *text, size_t size);

#endif
