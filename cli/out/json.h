/*
 * JSON: strings alone, and whole documents written piece by piece that are safe inside an
 * HTML script element: there '<' is written as \u003c, so that no text can end the element.
 *
 * In both, hidden characters (text.h) are written as \uNNNN, which keeps them exact, and bytes that
 * are not UTF-8 as U+FFFD. Write errors stay in the stream (ferror), for the caller to check.
 */
#ifndef FISQL_CLI_OUT_JSON_H
#define FISQL_CLI_OUT_JSON_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a JSON string with its quotes. The text may hold NULs. */
void json_string(FILE *out, const char *text, size_t length);

/* How many bytes that writes. */
size_t json_string_bytes(const char *text, size_t length);

/* A document. It puts the commas itself. */
struct json {
    FILE *out;   /* the caller's */
    long bytes;  /* written so far */
    bool follow; /* the next value needs a comma before it */
};

/* Opens or closes an object or array: one of { } [ ] */
void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);

/* The name of an object's next value; plain letters only. */
void json_key(struct json *json, const char *name);

void json_integer(struct json *json, long long value);
void json_integers(struct json *json, const int64_t *values, size_t count); /* one by one */
void json_real(struct json *json, double value); /* null if it is not finite */
void json_null(struct json *json);

/* Text; NULL is null. It is cut, with an ellipsis, before the character that would be written
 * beyond bytes_max (escapes count in full). */
void json_text(struct json *json, const char *text, size_t bytes_max);

/* A column of the statement's current row, by its type. */
void json_column(struct json *json, sqlite3_stmt *statement, int column, size_t bytes_max);

/* Text that is JSON already, one value. */
void json_raw(struct json *json, const char *text);

#endif
