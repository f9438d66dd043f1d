/* Reading JSON that somebody else wrote: see json_reader.h. */
#include "cli/mcp/json_reader.h"

#include "base/utf8.h"
#include "cli/out/say.h"
#include "cli/run/distrust.h"

#include <stdlib.h>
#include <string.h>

/* An object's members in their order; nothing of another value. */
static const char each_sql[] = "SELECT key, type, value FROM json_each(?1)"
                               " WHERE json_type(?1) = 'object' AND (?2 IS NULL OR key = ?2)";

void json_value_release(struct json_value *value)
{
    free(value->text);
    *value = (struct json_value){.type = JSON_ABSENT};
}

int json_reader_open(struct json_reader *reader)
{
    *reader = (struct json_reader){.memory = NULL};
    int result =
        sqlite3_open_v2(":memory:", &reader->memory,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);
    distrust(reader->memory, DISTRUST_ASK);
    if (result == SQLITE_OK)
        result =
            sqlite3_prepare_v2(reader->memory, "SELECT json_valid(?1)", -1, &reader->valid, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(reader->memory, each_sql, -1, &reader->each, NULL);
    return result == SQLITE_OK ? 0
                               : fail("JSON cannot be read: %s", sqlite3_errmsg(reader->memory));
}

void json_reader_close(struct json_reader *reader)
{
    sqlite3_finalize(reader->valid);
    sqlite3_finalize(reader->each);
    sqlite3_close(reader->memory);
    *reader = (struct json_reader){.memory = NULL};
}

/* Steps to the next row. No row after SQLITE_ERROR: the text is no JSON, which json_valid() has told,
 * or nested more deeply than the function allows. */
static bool next_row(struct json_reader *reader, sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE && result != SQLITE_ERROR)
        reader->failed = true;
    return result == SQLITE_ROW;
}

/* Forgets what was read, and the text that was bound. */
static void end(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

static bool is_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *last = at + length;
    while (at < last) {
        int bytes = *at < 0x80 ? *at != 0 : utf8_length(at);
        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}

bool json_reader_valid(struct json_reader *reader, const char *text, size_t length)
{
    if (!is_utf8(text, length))
        return false;
    sqlite3_bind_text(reader->valid, 1, text, (int)length, SQLITE_STATIC);
    bool valid = next_row(reader, reader->valid) && sqlite3_column_int(reader->valid, 0) == 1;
    end(reader->valid);
    return valid;
}

static enum json_type type_of(const char *word)
{
    static const struct {
        const char *word;
        enum json_type type;
    } types[] = {{"null", JSON_NULL},       {"true", JSON_BOOLEAN}, {"false", JSON_BOOLEAN},
                 {"integer", JSON_INTEGER}, {"real", JSON_REAL},    {"text", JSON_TEXT},
                 {"array", JSON_ARRAY},     {"object", JSON_OBJECT}};
    for (size_t i = 0; word != NULL && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].word, word) == 0)
            return types[i].type;
    return JSON_ABSENT;
}

/* Copies the value of the present row. */
static void take(struct json_reader *reader, struct json_value *value)
{
    sqlite3_stmt *row = reader->each;
    enum json_type type = type_of((const char *)sqlite3_column_text(row, 1));
    *value = (struct json_value){.type = type};
    if (type == JSON_INTEGER && sqlite3_column_type(row, 2) != SQLITE_INTEGER)
        value->type = JSON_REAL; /* of more than 64 bits */
    if (type == JSON_NULL || type == JSON_ABSENT)
        return;
    const char *text = (const char *)sqlite3_column_text(row, 2);
    size_t length = (size_t)sqlite3_column_bytes(row, 2);
    value->text = text != NULL ? malloc(length + 1) : NULL;
    if (value->text == NULL) {
        reader->failed = true;
        value->type = JSON_ABSENT;
        return;
    }
    memcpy(value->text, text, length);
    value->text[length] = '\0';
    value->length = length;
}

enum json_type json_reader_find(struct json_reader *reader, const char *object, const char *key,
                                struct json_value *value)
{
    *value = (struct json_value){.type = JSON_ABSENT};
    sqlite3_bind_text(reader->each, 1, object, -1, SQLITE_STATIC);
    sqlite3_bind_text(reader->each, 2, key, -1, SQLITE_STATIC);
    if (next_row(reader, reader->each))
        take(reader, value);
    end(reader->each);
    return value->type;
}

void json_reader_begin(struct json_reader *reader, const char *object)
{
    end(reader->each);
    sqlite3_bind_text(reader->each, 1, object, -1, SQLITE_TRANSIENT);
}

bool json_reader_next(struct json_reader *reader, char **key, struct json_value *value)
{
    *key = NULL;
    *value = (struct json_value){.type = JSON_ABSENT};
    if (!next_row(reader, reader->each)) {
        end(reader->each);
        return false;
    }
    const char *name = (const char *)sqlite3_column_text(reader->each, 0);
    *key = strdup(name != NULL ? name : "");
    take(reader, value);
    reader->failed = reader->failed || *key == NULL;
    return *key != NULL;
}
