/*
 * Reading JSON that somebody else wrote, by SQLite's own JSON functions on a database in memory:
 * strict RFC 8259, nested 1,000 or 2,000 levels deep at most (by SQLite's version), and within the
 * cap on SQLite's memory (cli/ask/ask.h).
 *
 * Of a key that an object has twice, the first one counts.
 */
#ifndef FISQL_CLI_MCP_JSON_READER_H
#define FISQL_CLI_MCP_JSON_READER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

enum json_type {
    JSON_ABSENT,
    JSON_NULL,
    JSON_BOOLEAN, /* the text is 1 or 0 */
    JSON_INTEGER, /* of 64 bits; larger ones are JSON_REAL */
    JSON_REAL,
    JSON_TEXT,  /* the text, without escapes */
    JSON_ARRAY, /* the text is JSON */
    JSON_OBJECT /* the text is JSON */
};

/* A value. The text is owned and ends with a NUL; NULL of what is absent or null. */
struct json_value {
    enum json_type type;
    char *text;
    size_t length;
};

void json_value_release(struct json_value *value);

/* One thread at a time uses a reader. */
struct json_reader {
    sqlite3 *memory;
    sqlite3_stmt *valid, *each;
    bool failed; /* there was no memory: what was read may lack something */
};

/* Returns 0, or 2 after saying what is wrong. Close it in both cases. */
int json_reader_open(struct json_reader *reader);
void json_reader_close(struct json_reader *reader);

/* Is it one JSON value, in UTF-8 and without a NUL? */
bool json_reader_valid(struct json_reader *reader, const char *text, size_t length);

/* Takes the value of a key of an object; it is absent if the text is no object. The text is valid
 * JSON. Returns its type; release the value. */
enum json_type json_reader_find(struct json_reader *reader, const char *object, const char *key,
                                struct json_value *value);

/* Goes through an object's members: begin, then next as long as it returns true, with *key and
 * *value to be released. Nothing else is read meanwhile. */
void json_reader_begin(struct json_reader *reader, const char *object);
bool json_reader_next(struct json_reader *reader, char **key, struct json_value *value);

#endif
