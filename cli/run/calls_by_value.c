/* Calls by the value of an argument: see calls_by_value.h. */
#include "cli/run/calls_by_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/say.h"
#include "cli/run/database.h"

/* A parameter's name in `what`. */
static void parameter_name(const struct value_parameter *parameter, char *name, size_t size)
{
    const struct shown_value value = {.parameter = parameter};
    call_values_name(&value, name, size);
}

/* The function's parameter of that name, or at that place (#N); NULL = none. */
static const struct value_parameter *find_parameter(const struct calls_by_value *of,
                                                    uint32_t function, const char *wanted)
{
    for (size_t i = of->values.first[function]; i < of->values.first[function + 1]; i++) {
        const struct value_parameter *parameter = &of->values.parameters[i];
        char name[256], number[24];
        parameter_name(parameter, name, sizeof name);
        snprintf(number, sizeof number, "#%d", (int)parameter->position);
        if (strcmp(name, wanted) == 0 || strcmp(number, wanted) == 0)
            return parameter;
    }
    return NULL;
}

static int fail_unknown_parameter(const struct calls_by_value *of, uint32_t function,
                                  const char *wanted)
{
    enum { NAMES_MAX = 32 };
    char texts[NAMES_MAX][256];
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = of->values.first[function];
         i < of->values.first[function + 1] && count < NAMES_MAX; i++) {
        parameter_name(&of->values.parameters[i], texts[count], sizeof texts[count]);
        names[count] = texts[count];
        count++;
    }
    fail("--by-value: %s has no parameter %s", of->view->functions[function].name, wanted);
    say_list("it has", names, count);
    return 2;
}

static int fail_unknown_function(const struct calls_by_value *of, const char *wanted)
{
    const struct run_view *view = of->view;
    const char **names = calloc(view->functions_count + 1, sizeof *names);
    size_t count = 0;
    for (uint32_t i = 0; names != NULL && i < view->functions_count; i++)
        if (view->functions[i].name != NULL && call_values_has(&of->values, i))
            names[count++] = view->functions[i].name;
    const char *nearest = names != NULL ? nearest_name(wanted, names, count) : NULL;
    if (names == NULL)
        fail("out of memory");
    else if (count == 0)
        fail("--by-value: no arguments or results were recorded; `fisql record --values` records "
             "them");
    else if (nearest != NULL)
        fail("--by-value: no arguments of a function %s; did you mean %s?", wanted, nearest);
    else
        fail("--by-value: no arguments of a function %s", wanted);
    free(names);
    return 2;
}

static int find(struct calls_by_value *of, const char *what)
{
    const char *dot = strrchr(what, '.');
    const struct value_parameter *parameter = NULL;
    if (dot == NULL || dot == what || dot[1] == '\0')
        return fail("--by-value %s: wants FUNCTION.PARAMETER or FUNCTION.result", what);
    char *wanted = strndup(what, (size_t)(dot - what));
    uint32_t found = 0;
    for (uint32_t i = 1; wanted != NULL && i < of->view->functions_count && parameter == NULL; i++)
        if (of->view->functions[i].name != NULL && call_values_has(&of->values, i) &&
            run_function_is(&of->view->functions[i], wanted)) {
            found = i;
            parameter = find_parameter(of, i, dot + 1);
        }
    int status = wanted == NULL      ? fail("out of memory")
                 : found == 0        ? fail_unknown_function(of, wanted)
                 : parameter == NULL ? fail_unknown_parameter(of, found, dot + 1)
                                     : 0;
    free(wanted);
    if (parameter != NULL) {
        of->function = found;
        of->position = parameter->position;
        of->name = dot + 1;
    }
    return status;
}

/* Finds the function's calls by the list valued_calls if it has all of them, else in all contexts
 * of the function. */
static int prepare(struct calls_by_value *of)
{
    sqlite3 *database = of->view->database;
    char sql[160];
    snprintf(
        sql, sizeof sql,
        "SELECT min(s.listed) FROM parameters p JOIN parameter_stats s ON s.parameter_id = p.id"
        " WHERE p.function_id = %u",
        of->function);
    const char *outermost =
        run_integer(database, sql, 0) != 0
            ? "SELECT c.id, c.descendants FROM valued_calls l CROSS JOIN calls c"
              " ON c.id = l.id & 0x3fffffffff"
              " WHERE l.id BETWEEN ?1 << 38 AND (?1 + 1 << 38) - 1 ORDER BY l.id"
            : "SELECT id, descendants FROM calls WHERE frame_id IN"
              " (SELECT id FROM frames WHERE function_id = ?1) ORDER BY id";
    if (database_rows(database, outermost, "the calls", &of->outermost) != 0 ||
        database_rows(database,
                      "SELECT id, frame_id, duration_ns, descendants FROM calls"
                      " WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                      "the calls", &of->calls) != 0)
        return 2;
    sqlite3_bind_int64(of->outermost, 1, of->function);
    return 0;
}

int calls_by_value_open(struct calls_by_value *of, const struct run_view *view,
                        enum measure measure, const char *what)
{
    *of = (struct calls_by_value){.view = view};
    int status = call_values_open(&of->values, view);
    if (status == 0)
        status = find(of, what);
    if (status == 0)
        status = call_times_open(&of->times, view->database, measure);
    return status != 0 ? status : prepare(of);
}

void calls_by_value_close(struct calls_by_value *of)
{
    sqlite3_finalize(of->outermost);
    sqlite3_finalize(of->calls);
    call_times_close(&of->times);
    if (of->values.first != NULL)
        call_values_close(&of->values);
}

static const char *value_of(struct calls_by_value *of, int64_t call)
{
    if (call_values_read(&of->values, of->function, call) != 0)
        return NULL;
    for (size_t i = 0; i < of->values.shown_count; i++)
        if (of->values.shown[i].parameter->position == of->position)
            return of->values.shown[i].text;
    return "?";
}

/* Goes on to the next call of the function that is in no other. */
static int next_outermost(struct calls_by_value *of)
{
    int result;
    while ((result = sqlite3_step(of->outermost)) == SQLITE_ROW) {
        int64_t id = run_within(sqlite3_column_int64(of->outermost, 0), 0, RUN_CALL_ID_MAX);
        if (id <= of->last)
            continue;
        of->last = id + run_within(sqlite3_column_int64(of->outermost, 1), 0, RUN_CALL_ID_MAX - id);
        sqlite3_reset(of->calls);
        sqlite3_bind_int64(of->calls, 1, id);
        sqlite3_bind_int64(of->calls, 2, of->last);
        return SQLITE_ROW;
    }
    return result;
}

int calls_by_value_next(struct calls_by_value *of, struct call_by_value *call)
{
    const struct run_view *view = of->view;
    sqlite3_stmt *row = of->calls;
    int result = of->last > 0 ? sqlite3_step(row) : SQLITE_DONE;
    bool outermost = false;
    while (result == SQLITE_DONE) {
        result = next_outermost(of);
        if (result == SQLITE_DONE)
            return 0;
        outermost = true;
        if (result == SQLITE_ROW)
            result = sqlite3_step(row);
    }
    if (result != SQLITE_ROW) {
        fail("the calls cannot be read: %s", sqlite3_errmsg(view->database));
        return -1;
    }
    int64_t frame = sqlite3_column_int64(row, 1);
    call->id = sqlite3_column_int64(row, 0);
    int64_t descendants = run_within(sqlite3_column_int64(row, 3), 0, of->last - call->id);
    call->last = call->id + descendants;
    call->function =
        frame > 0 && (size_t)frame < view->frames_count ? view->frames[frame].function : 0;
    call->time_ns = call_times_of(&of->times, call->id, descendants,
                                  run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX));
    call->paused_ns = call_pauses_of(&of->times.pauses, call->id);
    call->paused_by_measure_ns = call_times_paused(&of->times, call->id);
    call->text = NULL;
    if (outermost && (call->text = value_of(of, call->id)) == NULL)
        return -1;
    return 1;
}
