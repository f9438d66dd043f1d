/* All the queries there are: those compiled in, then the user's own from
 * $XDG_CONFIG_HOME/fisql/queries (or ~/.config/fisql/queries), each in the order of their names. */
#ifndef FISQL_CLI_QUERY_QUERY_SET_H
#define FISQL_CLI_QUERY_QUERY_SET_H

#include "cli/query/query_file.h"

struct query_set {
    struct query_file *queries; /* owned */
    size_t count, capacity;
};

/* Loads them all. A file of the user's own that cannot be read is named on stderr and left out.
 * Returns 0, or 2 after saying what is wrong. Release in both cases. */
int query_set_load(struct query_set *set);
void query_set_release(struct query_set *set);

/* The query of that name, borrowed; NULL if there is none. */
const struct query_file *query_set_find(const struct query_set *set, const char *name);

/* Says on stderr that there is no such query, with the nearest name. Returns 2. */
int query_set_fail_unknown(const struct query_set *set, const char *name);

/* Reads a file of the user's own. Returns 0, or 2 after saying what is wrong; release in both
 * cases. */
int query_set_read_file(struct query_file *query, const char *name, const char *path);

#endif
