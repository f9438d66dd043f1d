/* Writing JSON: see json.h. */
#include "cli/out/json.h"

#include "base/utf8.h"
#include "cli/out/text.h"

#include <math.h>
#include <string.h>

enum { ESCAPED_MAX = 13 }; /* bytes of one character: \\ud83d\\ude00 */

/* Writes the character at `at`, a sequence of `length` bytes or an unsound byte (0), as a JSON
 * string has it. Returns the bytes put into `to`. */
static size_t escape(const unsigned char *at, int length, bool in_page, char to[ESCAPED_MAX])
{
    if (length == 0)
        return (size_t)sprintf(to, "\\ufffd");
    if (*at == '"' || *at == '\\')
        return (size_t)sprintf(to, "\\%c", *at);
    uint32_t character = utf8_character(at, length);
    if (!text_is_hidden(character) && !(in_page && character == '<')) {
        memcpy(to, at, (size_t)length);
        return (size_t)length;
    }
    if (character < 0x10000)
        return (size_t)sprintf(to, "\\u%04x", character);
    character -= 0x10000;
    return (size_t)sprintf(to, "\\u%04x\\u%04x", 0xd800 | (character >> 10 & 0x3ff),
                           0xdc00 | (character & 0x3ff));
}

/* Writes the string with its quotes, cut before the character that would be written beyond
 * bytes_max. Returns how many bytes were written. */
static size_t put_string(FILE *out, const char *text, size_t length, bool in_page, size_t bytes_max)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    size_t written = 0;
    fputc('"', out);
    while (at < end) {
        char escaped[ESCAPED_MAX];
        int bytes = utf8_length(at);
        size_t size = escape(at, bytes, in_page, escaped);
        if (size > bytes_max - written) {
            written += fwrite("\xe2\x80\xa6", 1, 3, out);
            break;
        }
        written += fwrite(escaped, 1, size, out);
        at += bytes == 0 ? 1 : bytes;
    }
    fputc('"', out);
    return written + 2;
}

void json_string(FILE *out, const char *text, size_t length)
{
    put_string(out, text, length, false, SIZE_MAX);
}

size_t json_string_bytes(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    size_t sum = 2;
    while (at < end) {
        char escaped[ESCAPED_MAX];
        int bytes = utf8_length(at);
        sum += escape(at, bytes, false, escaped);
        at += bytes == 0 ? 1 : bytes;
    }
    return sum;
}

static void put(struct json *json, const char *text, size_t length)
{
    fwrite(text, 1, length, json->out);
    json->bytes += (long)length;
}

/* Writes the comma before a value, if one is due. */
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
    int length = snprintf(text, sizeof text, "%lld", value);
    begin_value(json);
    put(json, text, (size_t)length);
}

void json_integers(struct json *json, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_integer(json, values[i]);
}

void json_real(struct json *json, double value)
{
    char text[40];
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    int length = snprintf(text, sizeof text, "%.6g", value);
    begin_value(json);
    put(json, text, (size_t)length);
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
    json->bytes += (long)put_string(json->out, text, strlen(text), true, bytes_max);
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
        put(json, "\\u003c", 6); /* JSON has this character only in strings */
    }
    put(json, text, strlen(text));
}
