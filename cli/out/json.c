/* Writing JSON for a page: see json.h. */
#include "cli/out/json.h"
#include "cli/out/text.h"

#include <math.h>
#include <string.h>

static void put(struct json *json, const char *text, size_t length)
{
    fwrite(text, 1, length, json->out);
    json->bytes += (long)length;
}

/* The comma before a value, where one is due. */
static void begin_value(struct json *json)
{
    if (json->follow)
        put(json, ",", 1);
    json->follow = true;
}

void json_open(struct json *json, char bracket)
{
    begin_value(json);
    put(json, &bracket, 1);
    json->follow = false;
}

void json_close(struct json *json, char bracket)
{
    put(json, &bracket, 1);
    json->follow = true;
}

void json_key(struct json *json, const char *name)
{
    begin_value(json);
    put(json, "\"", 1);
    put(json, name, strlen(name));
    put(json, "\":", 2);
    json->follow = false;
}

void json_integer(struct json *json, long long value)
{
    char text[32];
    begin_value(json);
    put(json, text, (size_t)snprintf(text, sizeof text, "%lld", value));
}

void json_real(struct json *json, double value)
{
    char text[40];
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    begin_value(json);
    put(json, text, (size_t)snprintf(text, sizeof text, "%.6g", value));
}

void json_null(struct json *json)
{
    begin_value(json);
    put(json, "null", 4);
}

void json_text(struct json *json, const char *text, size_t bytes_max)
{
    if (text == NULL) {
        json_null(json);
        return;
    }
    begin_value(json);
    put(json, "\"", 1);
    size_t left = bytes_max;
    for (const unsigned char *at = (const unsigned char *)text; *at != 0;) {
        char written[TEXT_JSON_MAX];
        int length = utf8_length(at);
        size_t size =
            *at == '<' ? (size_t)sprintf(written, "\\u003c") : text_json(at, length, written);
        if (size > left) {
            put(json, "\xe2\x80\xa6", 3);
            break;
        }
        put(json, written, size);
        left -= size;
        at += length == 0 ? 1 : length;
    }
    put(json, "\"", 1);
}

void json_column(struct json *json, sqlite3_stmt *statement, int column, size_t bytes_max)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        json_integer(json, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        json_real(json, sqlite3_column_double(statement, column));
        break;
    case SQLITE_NULL:
        json_null(json);
        break;
    default:
        json_text(json, (const char *)sqlite3_column_text(statement, column), bytes_max);
    }
}

void json_raw(struct json *json, const char *text)
{
    begin_value(json);
    for (const char *less; (less = strchr(text, '<')) != NULL; text = less + 1) {
        put(json, text, (size_t)(less - text));
        put(json, "\\u003c", 6); /* in JSON the character stands in strings alone */
    }
    put(json, text, strlen(text));
}
