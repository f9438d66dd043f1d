/* The text of what a macro of fisql_trace.h left: see live_tail.h. */
#include "live/live_tail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_text.h"
#include "loader/log/values.h"

#define TEXT_MAX 4096u /* of one value */

/* Behind a character or a string in quotes. */
static const char *quoted_end(const char *at)
{
    char quote = *at++;
    while (*at != 0 && *at != quote)
        at += *at == '\\' && at[1] != 0 ? 2 : 1;
    return *at != 0 ? at + 1 : at;
}

/* The next of a macro's arguments: a comma outside of parentheses ends one. False: there is none. */
static bool name_next(const char **names, const char **name, size_t *length)
{
    const char *at = *names;
    uint32_t depth = 0;
    if (at == NULL)
        return false;
    at += strspn(at, " \t\n");
    *name = at;
    while (*at != 0 && (*at != ',' || depth > 0)) {
        depth += *at == '(';
        depth -= *at == ')' && depth > 0;
        at = *at == '"' || *at == '\'' ? quoted_end(at) : at + 1;
    }
    *length = (size_t)(at - *name);
    *names = *at == ',' ? at + 1 : NULL;
    return true;
}

static void put_text(FILE *out, const struct value *value, const char *quote)
{
    fputs(quote, out);
    fwrite(value->data, 1, value->bytes < TEXT_MAX ? value->bytes : TEXT_MAX, out);
    fputs(value->type == VALUE_TEXT_CUT ? "\\..." : "", out);
    fputs(quote, out);
}

static void put_value(FILE *out, const struct value *value)
{
    char text[VALUE_FLOAT_TEXT_MAX];
    switch (value->type) {
    case VALUE_INTEGER:
        fprintf(out, "%" PRId64, (int64_t)value->bits);
        break;
    case VALUE_UNSIGNED:
        fprintf(out, "%" PRIu64, value->bits);
        break;
    case VALUE_POINTER:
        fprintf(out, value->bits == 0 ? "NULL" : "0x%" PRIx64, value->bits);
        break;
    case VALUE_FLOAT:
        value_float_text(value, text);
        fputs(text, out);
        break;
    case VALUE_TEXT:
    case VALUE_TEXT_CUT:
        put_text(out, value, "\"");
        break;
    case VALUE_BYTES:
    case VALUE_ABSENT:
    case VALUE_UNREADABLE:
    case VALUE_NO_ROOM:
        fputs("?", out);
        break;
    }
}

static void put_values(FILE *out, const struct log_point *point, const unsigned char *at,
                       const unsigned char *end)
{
    const char *names = point != NULL ? point->values : NULL, *name, *between = "";
    size_t length;
    struct value value;
    if (point != NULL && point->label != NULL) {
        name_next(&names, &name, &length); /* the label itself */
        fputs(point->label, out);
        between = ": ";
    }
    for (; at < end && value_read(&at, end, &value); between = ", ") {
        fputs(between, out);
        if (name_next(&names, &name, &length))
            fprintf(out, "%.*s = ", (int)length, name);
        put_value(out, &value);
    }
}

char *live_said_text(const struct log_point *point, const unsigned char *values,
                     size_t values_bytes)
{
    const unsigned char *at = values, *end = values + values_bytes;
    char *text = NULL;
    size_t size = 0;
    struct value value;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return NULL;
    if (point == NULL || point->kind != FISQL_POINT_MESSAGE)
        put_values(out, point, at, end);
    else
        while (at < end && value_read(&at, end, &value))
            if (value.type == VALUE_TEXT || value.type == VALUE_TEXT_CUT)
                put_text(out, &value, "");
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
