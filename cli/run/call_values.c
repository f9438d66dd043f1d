/* Values of calls as text: see call_values.h. */
#include "cli/run/call_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parts.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/value_change.h"

#define POSITIONS 32

static bool is_float(const char *type)
{
    return type != NULL && strstr(type, "float") != NULL && strstr(type, "float128") == NULL;
}

static int read_parameters(struct call_values *values)
{
    static const char sql[] =
        "SELECT function_id, position, name, kind, enum_id, flags, type, at_exit FROM parameters"
        " WHERE function_id > 0 AND position BETWEEN 0 AND 31 ORDER BY function_id, position";
    sqlite3_stmt *row = NULL;
    size_t next = 0; /* functions.id whose first parameter comes next */
    if (database_rows(values->database, sql, "the parameters", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t function = sqlite3_column_int64(row, 0);
        if ((uint64_t)function >= values->functions_count)
            break;
        for (; next <= (size_t)function; next++)
            values->first[next] = values->parameters_count;
        if (array_reserve(&values->parameters, &values->parameters_capacity,
                          values->parameters_count + 1, NULL) != 0)
            return database_rows_short(row);
        values->parameters[values->parameters_count++] = (struct value_parameter){
            .position = sqlite3_column_int64(row, 1),
            .enum_id = sqlite3_column_int64(row, 4),
            .name = database_copy(row, 2),
            .kind = database_copy(row, 3),
            .type = database_copy(row, 6),
            .is_float = is_float((const char *)sqlite3_column_text(row, 6)),
            .flags = sqlite3_column_int(row, 5) != 0,
            .at_exit = sqlite3_column_int(row, 7) != 0,
            .if_changed = sqlite3_column_int(row, 7) == 2};
    }
    for (; next <= values->functions_count; next++)
        values->first[next] = values->parameters_count;
    return database_rows_end(row, "the parameters");
}

static int read_enumerators(struct call_values *values)
{
    sqlite3_stmt *row = NULL;
    if (database_rows(values->database,
                      "SELECT enum_id, value, name, mask FROM enumerators ORDER BY enum_id, number",
                      "the enumerators", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        if (array_reserve(&values->enumerators, &values->enumerators_capacity,
                          values->enumerators_count + 1, NULL) != 0)
            return database_rows_short(row);
        values->enumerators[values->enumerators_count++] =
            (struct value_enumerator){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                                      database_copy(row, 2), sqlite3_column_int64(row, 3)};
    }
    return database_rows_end(row, "the enumerators");
}

int call_values_open(struct call_values *values, const struct run_view *view)
{
    *values =
        (struct call_values){.database = view->database, .functions_count = view->functions_count};
    values->first = calloc(view->functions_count + 1, sizeof *values->first);
    if (values->first == NULL)
        return fail("out of memory");
    int status = read_parameters(values);
    if (status != 0 || values->parameters_count == 0)
        return status;
    if (database_rows(
            values->database,
            "SELECT id - ?1, value FROM call_values WHERE id BETWEEN ?1 AND ?1 + 31 ORDER BY id",
            "the values", &values->rows) != 0)
        return 2;
    return read_enumerators(values);
}

int call_values_show_blocks(struct call_values *values)
{
    return values->rows == NULL
               ? 0
               : database_rows(
                     values->database,
                     "SELECT position, alloc_id, offset, freed FROM call_blocks WHERE call_id = ?1",
                     "the blocks", &values->blocks);
}

static void forget(struct call_values *values)
{
    for (size_t i = 0; i < values->shown_count; i++)
        sqlite3_free(values->shown[i].text);
    values->shown_count = 0;
}

void call_values_close(struct call_values *values)
{
    forget(values);
    sqlite3_finalize(values->rows);
    sqlite3_finalize(values->blocks);
    for (size_t i = 0; i < values->parameters_count; i++) {
        free(values->parameters[i].name);
        free(values->parameters[i].kind);
        free(values->parameters[i].type);
    }
    for (size_t i = 0; i < values->enumerators_count; i++)
        free(values->enumerators[i].name);
    free(values->parameters);
    free(values->enumerators);
    free(values->first);
    *values = (struct call_values){.database = NULL};
}

/* ---- texts ---- */

static bool is(const struct value_parameter *parameter, const char *kind)
{
    return parameter->kind != NULL && strcmp(parameter->kind, kind) == 0;
}

/* Is it a name of no bits in a field that is empty in the value, which has others? O_RDONLY. */
static bool is_no_bits(const struct value_enumerator *item, int64_t value)
{
    return item->value == 0 && item->mask != 0 && (value & item->mask) == 0 && value != 0;
}

/* The names of a value's flags, joined. NULL = not all of its bits have one. */
static char *flags(const struct call_values *values, size_t first, size_t end, int64_t value)
{
    int64_t bits = 0, named = 0;
    sqlite3_str *text = sqlite3_str_new(values->database);
    for (size_t i = first; i < end; i++) {
        const struct value_enumerator *item = &values->enumerators[i];
        if (item->mask == 0 || (value & item->mask) != item->value || (named & item->mask) != 0)
            continue;
        sqlite3_str_appendf(text, "%s%s", named != 0 ? "|" : "", item->name);
        named |= item->mask;
        bits |= item->value;
    }
    char *names = sqlite3_str_finish(text);
    if (bits == value)
        return names;
    sqlite3_free(names);
    return NULL;
}

/* The name of an enumerator, or those of all its bits. NULL = none. */
static char *enumerator(const struct call_values *values, const struct value_parameter *parameter,
                        int64_t value)
{
    size_t first = 0, found = SIZE_MAX, end;
    bool no_bits = false;
    while (first < values->enumerators_count &&
           values->enumerators[first].enum_id < parameter->enum_id)
        first++;
    for (end = first;
         end < values->enumerators_count && values->enumerators[end].enum_id == parameter->enum_id;
         end++) {
        no_bits = no_bits || (parameter->flags && is_no_bits(&values->enumerators[end], value));
        if (values->enumerators[end].value == value && found == SIZE_MAX)
            found = end;
    }
    if (found != SIZE_MAX && !no_bits)
        return sqlite3_mprintf("%s", values->enumerators[found].name);
    return parameter->flags ? flags(values, first, end, value) : NULL;
}

static char *integer(const struct call_values *values, const struct value_parameter *parameter,
                     int64_t value)
{
    char *name = NULL;
    if (is(parameter, "pointer") || is(parameter, "function") || is(parameter, "text"))
        return value == 0 ? sqlite3_mprintf("NULL") : sqlite3_mprintf("0x%llx", value);
    if (is(parameter, "hex"))
        return sqlite3_mprintf("0x%llx", value);
    if (is(parameter, "octal"))
        return sqlite3_mprintf("%s%llo", value != 0 ? "0" : "", value);
    if (is(parameter, "bool") && (value == 0 || value == 1))
        return sqlite3_mprintf(value == 0 ? "false" : "true");
    if (is(parameter, "char") && value >= 32 && value <= 126)
        return sqlite3_mprintf("%lld '%c'", value, (int)value);
    if (is(parameter, "enum") && (name = enumerator(values, parameter, value)) != NULL)
        return name;
    return sqlite3_mprintf("%lld", value);
}

/* The shortest text that reads back the same; of a float, one that surely does. The view has the
 * same, but that SQLite's printf is not exact to the seventeenth digit. */
static char *real(const struct value_parameter *parameter, double value)
{
    char exact[40];
    if (isinf(value))
        return sqlite3_mprintf("%s", value > 0 ? "Inf" : "-Inf");
    for (int digits = parameter->is_float ? 6 : 15; digits <= (parameter->is_float ? 9 : 15);
         digits++) {
        char *text = sqlite3_mprintf("%!.*g", digits, value);
        double off = text != NULL ? fabs(strtod(text, NULL) - value) : 0;
        if (parameter->is_float ? off <= fabs(value) * 0x1p-26 || digits == 9 : !(off > 0))
            return text;
        sqlite3_free(text);
    }
    snprintf(exact, sizeof exact, "%.16g", value);
    if (fabs(strtod(exact, NULL) - value) > 0)
        snprintf(exact, sizeof exact, "%.17g", value);
    return sqlite3_mprintf("%s", exact);
}

static char *text_of(const struct value_parameter *parameter, const char *text)
{
    if (!is(parameter, "text"))
        return sqlite3_mprintf("%s", text);
    size_t length = strlen(text);
    bool cut = ends_with(text, "\\...");
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendchar(out, 1, '"');
    for (size_t i = 0; i < (cut ? length - 4 : length); i++) {
        if (text[i] == '"')
            sqlite3_str_appendchar(out, 1, '\\');
        sqlite3_str_appendchar(out, 1, text[i]);
    }
    sqlite3_str_appendall(out, cut ? "\"..." : "\"");
    return sqlite3_str_finish(out);
}

static char *shown_text(const struct call_values *values, const struct value_parameter *parameter)
{
    sqlite3_stmt *row = values->rows;
    switch (sqlite3_column_type(row, 1)) {
    case SQLITE_INTEGER:
        return integer(values, parameter, sqlite3_column_int64(row, 1));
    case SQLITE_FLOAT:
        return real(parameter, sqlite3_column_double(row, 1));
    case SQLITE_NULL:
        return sqlite3_mprintf("?");
    default:
        return text_of(parameter, (const char *)sqlite3_column_text(row, 1));
    }
}

/* Adds to the texts of pointers the blocks that they point into. Returns 0, or 2 after saying what
 * is wrong. */
static int add_blocks(const struct call_values *values, int64_t call_id, char *texts[POSITIONS])
{
    sqlite3_stmt *row = values->blocks;
    if (row == NULL)
        return 0;
    sqlite3_bind_int64(row, 1, call_id);
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t position = sqlite3_column_int64(row, 0), offset = sqlite3_column_int64(row, 2);
        if (position < 0 || position >= POSITIONS || texts[position] == NULL)
            continue;
        char plus[24] = "";
        if (offset != 0)
            snprintf(plus, sizeof plus, "+%lld", (long long)offset);
        char *text = sqlite3_mprintf("%s (%sblock %lld%s)", texts[position],
                                     sqlite3_column_int(row, 3) != 0 ? "freed " : "",
                                     sqlite3_column_int64(row, 1), plus);
        sqlite3_free(texts[position]);
        texts[position] = text;
    }
    if (sqlite3_reset(row) != SQLITE_OK)
        return fail("the blocks cannot be read: %s", sqlite3_errmsg(values->database));
    return 0;
}

int call_values_read(struct call_values *values, uint32_t function, int64_t call_id)
{
    char *texts[POSITIONS] = {NULL};
    forget(values);
    if (!call_values_has(values, function))
        return 0;
    const struct value_parameter *at = &values->parameters[values->first[function]];
    const struct value_parameter *end = &values->parameters[values->first[function + 1]];
    sqlite3_bind_int64(values->rows, 1, call_id > INT64_MAX / 64 ? 0 : call_id * POSITIONS);
    while (sqlite3_step(values->rows) == SQLITE_ROW) {
        int64_t position = sqlite3_column_int64(values->rows, 0);
        const struct value_parameter *of = at;
        while (of < end && of->position != position)
            of++;
        if (of < end && position >= 0 && position < POSITIONS && texts[position] == NULL)
            texts[position] = shown_text(values, of);
    }
    int status = 0;
    if (sqlite3_reset(values->rows) != SQLITE_OK)
        status = fail("the values cannot be read: %s", sqlite3_errmsg(values->database));
    if (status == 0)
        status = add_blocks(values, call_id, texts);
    if (status != 0) {
        for (int i = 0; i < POSITIONS; i++)
            sqlite3_free(texts[i]);
        return status;
    }
    for (; at < end && values->shown_count < POSITIONS; at++) {
        char *text = texts[at->position];
        if (text == NULL && (at->position == SHOWN_ERRNO || at->if_changed))
            continue;
        texts[at->position] = NULL;
        values->shown[values->shown_count++] =
            (struct shown_value){at, text != NULL ? text : sqlite3_mprintf("?")};
    }
    return 0;
}

void call_values_name(const struct shown_value *value, char *name, size_t size)
{
    const struct value_parameter *parameter = value->parameter;
    if (parameter->position == 0)
        snprintf(name, size, "result");
    else if (parameter->name != NULL)
        snprintf(name, size, "%s", parameter->name);
    else
        snprintf(name, size, "#%d", (int)parameter->position);
}

const char *call_values_result_type(const struct call_values *values, uint32_t function)
{
    if (!call_values_has(values, function))
        return NULL;
    const struct value_parameter *first = &values->parameters[values->first[function]];
    return first->position == SHOWN_RESULT ? first->type : NULL;
}

/* "int n=", "const char *name=", "n=". An expression's text has no type before it. */
static void put_declared(sqlite3_str *out, const struct value_parameter *parameter, bool types)
{
    const char *type = types ? parameter->type : NULL, *name = parameter->name;
    if (type != NULL)
        sqlite3_str_appendf(out, "%s%s", type, name != NULL && !ends_with(type, "*") ? " " : "");
    if (name != NULL)
        sqlite3_str_appendall(out, name);
    if (type != NULL || name != NULL)
        sqlite3_str_appendchar(out, 1, '=');
}

/* The value at the exit of the expression that `value` is at the entry; NULL = it was not asked for. */
static const struct shown_value *exit_of(const struct call_values *values,
                                         const struct shown_value *value)
{
    static const char ending[] = " at exit";
    const char *name = value->parameter->name;
    for (size_t i = 0; name != NULL && !value->parameter->at_exit && i < values->shown_count; i++) {
        const struct value_parameter *other = values->shown[i].parameter;
        size_t bytes = strlen(name);
        if (other->at_exit && other->name != NULL && strncmp(other->name, name, bytes) == 0 &&
            strcmp(other->name + bytes, ending) == 0)
            return &values->shown[i];
    }
    return NULL;
}

/* Is it shown as a change of another one? */
static bool is_change(const struct call_values *values, const struct shown_value *value)
{
    for (size_t i = 0; value->parameter->at_exit && i < values->shown_count; i++)
        if (exit_of(values, &values->shown[i]) == value)
            return true;
    return false;
}

static const char *text_or_unknown(const struct shown_value *value)
{
    return value->text != NULL ? value->text : "?";
}

char *call_values_text(struct call_values *values, uint32_t function, int64_t call_id)
{
    if (!call_values_has(values, function))
        return sqlite3_mprintf("");
    if (call_values_read(values, function, call_id) != 0)
        return NULL;
    sqlite3_str *out = sqlite3_str_new(values->database);
    const struct shown_value *result = NULL, *failure = NULL;
    const char *between = "";
    sqlite3_str_appendchar(out, 1, '(');
    for (size_t i = 0; i < values->shown_count; i++) {
        const struct shown_value *value = &values->shown[i];
        if (value->parameter->position == SHOWN_RESULT) {
            result = value;
            continue;
        }
        if (value->parameter->position == SHOWN_ERRNO) {
            failure = value;
            continue;
        }
        if (is_change(values, value))
            continue;
        const struct shown_value *after = exit_of(values, value);
        sqlite3_str_appendall(out, between);
        put_declared(out, value->parameter, values->types);
        if (after != NULL)
            value_change_put(out, text_or_unknown(value), text_or_unknown(after));
        else
            sqlite3_str_appendall(out, text_or_unknown(value));
        between = ", ";
    }
    sqlite3_str_appendchar(out, 1, ')');
    if (result != NULL)
        sqlite3_str_appendf(out, " = %s", text_or_unknown(result));
    if (failure != NULL)
        sqlite3_str_appendf(out, " (%s)", text_or_unknown(failure));
    char *text = sqlite3_str_finish(out);
    if (text == NULL)
        fail("out of memory");
    return text;
}
