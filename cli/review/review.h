/* What the files of fisql review share: the functions under review, and the picture of them. */
#ifndef FISQL_CLI_REVIEW_REVIEW_H
#define FISQL_CLI_REVIEW_REVIEW_H

#include "cli/run/run_view.h"

#include <stdio.h>

struct review {
    sqlite3 *database;
    struct run_view view;
    bool *chosen; /* by functions.id */
    size_t chosen_count;
};

/* Chooses the functions with lines that `git diff RANGE` changes (NULL: the work tree against
 * HEAD). Returns 0, or 2 after saying what is wrong. */
int review_choose_changed(struct review *review, const char *range);

/* Writes the picture: the calling contexts of the chosen functions, their calls over time, and who
 * calls them and whom they call. SVG 1.1, 1000 units wide. Returns 0, or 2 after saying what is
 * wrong; the caller checks the stream. */
int review_picture(const struct review *review, FILE *out);

#endif
