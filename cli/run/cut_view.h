/*
 * What commands need to show a part of a run, call by call: the database, the run's names and
 * contexts, the values of calls, and the functions that the part is limited to.
 */
#ifndef FISQL_CLI_RUN_CUT_VIEW_H
#define FISQL_CLI_RUN_CUT_VIEW_H

#include "cli/run/call_cursor.h"
#include "cli/run/call_values.h"

struct cut_view {
    sqlite3 *database;
    struct run_view run;
    struct call_values values;
    bool *wanted; /* by functions.id; NULL = all */
};

/* Opens the run, and says if its recording is incomplete. `calls_for` names what needs single calls
 * ("a trace"); NULL = nothing does. Returns 0, or 2 after saying what is wrong; close it in both
 * cases. */
int cut_view_open(struct cut_view *view, const char *path, const char *calls_for,
                  const struct call_cut *cut, enum name_style style, enum measure measure);

/* The same of a database that is open, of `path`: from now on it is the view's. */
int cut_view_of(struct cut_view *view, sqlite3 *database, const char *path, const char *calls_for,
                const struct call_cut *cut, enum name_style style, enum measure measure);

void cut_view_close(struct cut_view *view);

#endif
