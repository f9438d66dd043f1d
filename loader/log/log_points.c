/* Points of fisql_trace.h: see log_points.h. */
#include "loader/log/log_points.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/facts.h"

static enum fisql_point_kind kind_of(const char *word)
{
    enum fisql_point_kind kind = 0;
    while (kind < FISQL_POINT_KINDS_COUNT && strcmp(fisql_point_word(kind), word) != 0)
        kind++;
    return kind;
}

/* A point's facts; the texts are borrowed from the chunk. */
struct told_point {
    const char *kind, *function, *file, *label, *values;
    uint64_t number, line, level, address;
};

/* Behind the bracket that closes the one at `at`, or the text's end. */
static const char *bracket_end(const char *at)
{
    uint32_t depth = 0;
    do {
        depth += *at == '(' || *at == '<' || *at == '[' || *at == '{';
        depth -= (*at == ')' || *at == '>' || *at == ']' || *at == '}') && depth > 0;
        at++;
    } while (*at != 0 && depth > 0);
    return at;
}

static bool ends_with_operator(const char *name, const char *end)
{
    return end - name >= 8 && memcmp(end - 8, "operator", 8) == 0;
}

/* A C++ compiler's __PRETTY_FUNCTION__ as symbols have it (of `static int shop::Cart::add(const T&)
 * const [with T = int]`): without the words before the name and the templates' arguments. C's
 * __func__ stays as it is. */
static char *function_name(const char *pretty)
{
    const char *name = pretty, *at = pretty;
    while (*at != 0) {
        if (*at == ' ' && !ends_with_operator(name, at)) {
            name = ++at;
        } else if (ends_with_operator(name, at) && *at != '(') {
            at++; /* of an operator's sign, or the type that it converts to */
        } else if (*at == '(' || *at == '<' || *at == '[' || *at == '{') {
            const char *end = bracket_end(at);
            bool parameters = *at == '(' && strncmp(end, "::", 2) != 0 &&
                              !(ends_with_operator(name, at) && *end == '(');
            at = end;
            if (parameters)
                break;
        } else {
            at++;
        }
    }
    const char *end = strstr(at, " [");
    if (strncmp(name, "main(", 5) == 0 && bracket_end(name + 4) == at && *at == 0)
        return strdup("main"); /* as symbols have it */
    return at == pretty || (*at == 0 && at[-1] != ')')
               ? strdup(pretty)
               : strndup(name, end != NULL ? (size_t)(end - name) : SIZE_MAX);
}

static int copy(char **out, const char *text, struct error *error)
{
    if (text == NULL)
        return 0;
    *out = strdup(text);
    return *out == NULL ? error_set(error, "out of memory") : 0;
}

static void release(struct log_point *point)
{
    free(point->function);
    free(point->file);
    free(point->label);
    free(point->values);
}

static int take(struct log_points *points, const struct told_point *told, uint32_t process,
                struct error *error)
{
    uint32_t index;
    if (told->number == 0 || told->number > FISQL_POINT_MAX)
        return 0;
    if (intern_add(&points->of_number, process, told->number, &index, error) != 0)
        return -1;
    if (index < points->count)
        return 0; /* known already */
    if (array_reserve(&points->items, &points->capacity, (size_t)index + 1, error) != 0)
        return -1;
    struct log_point *point = &points->items[points->count++];
    *point = (struct log_point){.kind = kind_of(told->kind),
                                .line = told->line <= INT32_MAX ? (uint32_t)told->line : 0,
                                .level = told->level <= 5 ? (uint32_t)told->level : 0,
                                .address = told->address};
    point->function =
        fisql_point_is_plain(point->kind) ? strdup(told->function) : function_name(told->function);
    if (point->function == NULL)
        return error_set(error, "out of memory");
    return copy(&point->file, told->file, error) != 0 ||
                   copy(&point->label, told->label, error) != 0 ||
                   copy(&point->values, told->values, error) != 0
               ? -1
               : 0;
}

int log_points_take(struct log_points *points, struct facts *facts, uint32_t process,
                    struct error *error)
{
    const struct told_point nothing = {.kind = "", .function = "", .file = ""};
    struct told_point told = nothing;
    const char *key, *value;
    while (facts_next(facts, &key, &value)) {
        switch (fact_find(FISQL_CHUNK_POINTS, key)) {
        case FISQL_FACT_POINTS_POINT:
            if (take(points, &told, process, error) != 0)
                return -1;
            told = nothing;
            fact_decimal(value, &told.number);
            break;
        case FISQL_FACT_POINTS_KIND:
            told.kind = value;
            break;
        case FISQL_FACT_POINTS_FUNCTION:
            told.function = value;
            break;
        case FISQL_FACT_POINTS_FILE:
            told.file = value;
            break;
        case FISQL_FACT_POINTS_LINE:
            fact_decimal(value, &told.line);
            break;
        case FISQL_FACT_POINTS_LEVEL:
            fact_decimal(value, &told.level);
            break;
        case FISQL_FACT_POINTS_LABEL:
            told.label = value;
            break;
        case FISQL_FACT_POINTS_VALUES:
            told.values = value;
            break;
        case FISQL_FACT_POINTS_ADDRESS:
            fact_hexadecimal(value, &told.address);
            break;
        default:
            break;
        }
    }
    return take(points, &told, process, error);
}

void log_points_release(struct log_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        release(&points->items[i]);
    free(points->items);
    intern_release(&points->of_number);
    *points = (struct log_points){.items = NULL};
}

uint32_t log_points_find(const struct log_points *points, uint32_t process, uint32_t number)
{
    return intern_find(&points->of_number, process, number);
}
