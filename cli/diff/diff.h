/* The parts of fisql diff besides its table of functions. */
#ifndef FISQL_CLI_DIFF_DIFF_H
#define FISQL_CLI_DIFF_DIFF_H

#include "cli/run/measure.h"
#include "cli/run/names.h"

#include <sqlite3.h>
#include <stdbool.h>

/* What both trees are made with. */
struct diff_tree_options {
    double min_percent; /* of the larger whole */
    long depth_max;     /* 0 = no limit */
    enum name_style style;
    enum measure measure;
    bool all; /* also what does not differ */
};

/* Prints the calling context trees of both runs as one. Returns 0, or 2 after saying what is wrong.
 */
int diff_tree(const char *a_path, const char *b_path, const struct diff_tree_options *options);

/* Prints the first point at which two threads' sequences of calls differ, with both stacks, and the
 * first call before it with another argument or result. It compares the threads pair by pair in
 * their order, or those of the given name. *found: whether it printed anything. */
int diff_divergence(const char *a_path, const char *b_path, const char *thread,
                    enum name_style style, bool *found);

/* Checks a budget such as "total_ns>+10%" or "parse:calls>1000" (database: compare_open's) and says
 * on stdout what is broken. Returns 0 kept, 1 broken, 2 the budget makes no sense, said on stderr.
 */
int diff_check(sqlite3 *database, const char *budget);

#endif
