/* Which columns of a table a terminal has room for, and how wide each is. Columns that count less
 * go first; then names, stacks and texts share what room is left. */
#ifndef FISQL_CLI_OUT_FIT_H
#define FISQL_CLI_OUT_FIT_H

#include <stdbool.h>

#include "cli/out/shorten.h"

struct fit_column {
    int width;           /* its own: of its head and its longest cell */
    int head_width;      /* of its head */
    bool cuttable;       /* text, not numbers */
    enum text_kind kind; /* of the text */
    int priority;        /* columns of a lower one go first; the highest one stays */
    /* The answer. */
    int shown_width; /* 0 = left out */
};

enum { FIT_GAP = 2 }; /* between two columns */

/* Gives each column its shown_width. At least one column stays. Returns how many are left out. */
int fit_columns(struct fit_column *columns, int count, int width_max);

#endif
