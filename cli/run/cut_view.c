/* A part of a run, opened: see cut_view.h. */
#include "cli/run/cut_view.h"

#include "cli/run/database.h"
#include "cli/run/whole_calls.h"

#include <stdlib.h>

int cut_view_open(struct cut_view *view, const char *path, const char *calls_for,
                  const struct call_cut *cut, enum name_style style, enum measure measure)
{
    *view = (struct cut_view){.database = database_open(path)};
    if (view->database == NULL ||
        (calls_for != NULL && !whole_calls_open(&view->database, path, calls_for, 0, 0)))
        return 2;
    return cut_view_of(view, view->database, path, calls_for, cut, style, measure);
}

int cut_view_of(struct cut_view *view, sqlite3 *database, const char *path, const char *calls_for,
                const struct call_cut *cut, enum name_style style, enum measure measure)
{
    *view = (struct cut_view){.database = database};
    if (calls_for != NULL && !run_has_calls(database, path, calls_for))
        return 2;
    int status = run_view_open(&view->run, database, style, measure);
    if (status == 0)
        status = call_cut_functions(cut, "--function", &view->run, &view->wanted);
    if (status == 0)
        status = call_cut_check_thread(cut, &view->run);
    if (status == 0)
        status = call_values_open(&view->values, &view->run);
    if (status == 0)
        database_say_state(database, path);
    return status;
}

void cut_view_close(struct cut_view *view)
{
    free(view->wanted);
    call_values_close(&view->values);
    run_view_release(&view->run);
    sqlite3_close(view->database);
}
