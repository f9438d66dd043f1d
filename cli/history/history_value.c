/* The history of a value: each call that found or left another one than the call before, by object. */
#include "cli/history/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

/* The value of an object, by the text of its pointer. */
struct seen {
    char *object, *text; /* malloc'ed */
};

struct values_seen {
    struct seen *items;
    size_t count, capacity;
};

/* Is it that expression, at the entry or at the exit? */
static bool is_expression(const char *parameter, const char *name)
{
    size_t length = strlen(name);
    return parameter != NULL && strncmp(parameter, name, length) == 0 &&
           (parameter[length] == '\0' || strcmp(parameter + length, " at exit") == 0);
}

/* The functions of which the expression was recorded, by id. NULL: none, which was said. */
static bool *functions_with(struct history *history, const char *name)
{
    struct call_values *values = &history->values;
    bool any = false, *functions = calloc(values->functions_count + 1, sizeof *functions);
    const char **names = calloc(values->parameters_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t f = 1; functions != NULL && names != NULL && f < values->functions_count; f++)
        for (size_t i = values->first[f]; i < values->first[f + 1]; i++) {
            if (values->parameters[i].name != NULL)
                names[count++] = values->parameters[i].name;
            functions[f] |= is_expression(values->parameters[i].name, name);
            any |= functions[f];
        }
    if (!any) {
        char words[512];
        snprintf(words, sizeof words, "value %.200s: no such expression or parameter was recorded",
                 name);
        if (count > 0)
            fail_nearest(words, name, names, count);
        else
            fail("%s; `fisql record --value 'FUNCTION: EXPRESSION at both'` does it", words);
        free(functions);
        functions = NULL;
    }
    free(names);
    return functions;
}

/* The object's value from now on; what it was, or NULL if that is not known or the same. */
static char *exchange(struct values_seen *seen, const char *object, const char *text, bool *is_new)
{
    *is_new = false;
    for (size_t i = 0; i < seen->count; i++) {
        if (strcmp(seen->items[i].object, object) != 0)
            continue;
        if (strcmp(seen->items[i].text, text) == 0)
            return NULL;
        char *was = seen->items[i].text;
        seen->items[i].text = strdup(text);
        return was;
    }
    *is_new = true;
    struct seen item = {strdup(object), strdup(text)};
    if (item.object == NULL || item.text == NULL ||
        array_add(&seen->items, &seen->count, &seen->capacity, item, NULL) != 0) {
        free(item.object);
        free(item.text);
    }
    return NULL;
}

/* The pointer that the call was passed first; "" = none. */
static const char *object_of(const struct call_values *values)
{
    for (size_t i = 0; i < values->shown_count; i++) {
        const struct shown_value *shown = &values->shown[i];
        if (shown->parameter->position > 0 && shown->parameter->kind != NULL &&
            strcmp(shown->parameter->kind, "pointer") == 0 && shown->text != NULL)
            return shown->text;
    }
    return "";
}

/* Adds the call if it found or left another value; *reached: it is the one that was asked about. */
static int take_call(struct history *history, struct values_seen *seen, struct moment moment,
                     int64_t exit_ns, const char *name, const char *is, bool *reached)
{
    struct call_values *values = &history->values;
    int status = call_values_read(values, moment_function(history, &moment), moment.call);
    const char *function = history->view->functions[moment_function(history, &moment)].name;
    for (size_t i = 0; i < values->shown_count && status == 0 && !*reached; i++) {
        const struct shown_value *shown = &values->shown[i];
        const char *object = object_of(values);
        bool is_new, at_exit = shown->parameter->at_exit;
        if (!is_expression(shown->parameter->name, name) || shown->text == NULL ||
            strcmp(shown->text, "?") == 0)
            continue;
        char *was = exchange(seen, object, shown->text, &is_new);
        if (was == NULL && !is_new)
            continue;
        moment.ns = at_exit ? exit_ns : moment.ns;
        moment.changes = was != NULL;
        moment.text = sqlite3_mprintf("%s%s %s is %s%s%s%s%s", function,
                                      at_exit ? " leaves:" : " finds:", name, shown->text,
                                      was != NULL ? ", was " : "", was != NULL ? was : "",
                                      *object != '\0' ? ", of " : "", object);
        free(was);
        *reached = is != NULL && strcmp(shown->text, is) == 0;
        status = moment_add(history, moment);
    }
    return status;
}

/* Calls in the order of time. */
static int take_calls(struct history *history, const bool *functions, const char *name,
                      const char *is)
{
    const struct run_view *view = history->view;
    struct values_seen seen = {.count = 0};
    sqlite3_stmt *row = NULL;
    bool reached = false;
    int status =
        database_rows(view->database,
                      "SELECT id, thread_id, frame_id, enter_ns, duration_ns FROM calls"
                      " WHERE EXISTS (SELECT 1 FROM call_values v WHERE v.id BETWEEN 32 * calls.id"
                      " AND 32 * calls.id + 31) ORDER BY enter_ns, id",
                      "the calls", &row);
    if (status != 0)
        return status;
    while (status == 0 && !reached && sqlite3_step(row) == SQLITE_ROW) {
        int64_t frame = sqlite3_column_int64(row, 2);
        uint32_t function =
            frame > 0 && (uint64_t)frame < view->frames_count ? view->frames[frame].function : 0;
        if (function == 0 || !functions[function])
            continue;
        struct moment moment = {.kind = MOMENT_VALUE,
                                .call = sqlite3_column_int64(row, 0),
                                .thread = sqlite3_column_int64(row, 1),
                                .ns = run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX),
                                .frame = (uint32_t)frame};
        int64_t exit_ns =
            moment.ns + run_within(sqlite3_column_int64(row, 4), 0, RUN_NS_MAX - moment.ns);
        status = take_call(history, &seen, moment, exit_ns, name, is, &reached);
    }
    for (size_t i = 0; i < seen.count; i++) {
        free(seen.items[i].object);
        free(seen.items[i].text);
    }
    free(seen.items);
    if (status == 0 && is != NULL && !reached)
        note("%s never was %s, as far as it was recorded", name, is);
    int ended = database_rows_end(row, "the calls");
    return status != 0 ? status : ended;
}

int history_of_value(struct history *history, const char *name, const char *is)
{
    bool *functions = functions_with(history, name);
    if (functions == NULL)
        return 2;
    int status = take_calls(history, functions, name, is);
    history_sort(history);
    free(functions);
    return status;
}
