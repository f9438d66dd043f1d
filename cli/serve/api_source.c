/*
 * A source file with facts by line. Only files that the database names are read, by their number,
 * and only regular files of text: the path is what the compiler recorded. Whether the file is the one
 * that was compiled, its checksum tells, by coreutils' md5sum, where the compiler wrote one; else
 * whether it was changed since the run's start.
 */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"
#include "cli/serve/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* api_source.sql */
extern const char api_source_sql_file[], api_source_sql_file_of[], api_source_sql_line_calls[],
    api_source_sql_line_allocs[], api_source_sql_line_functions[];

enum { FILE_BYTES_MAX = 4 << 20, MD5_DIGITS = 32, SECONDS = 20 };

/* Reads a text; NULL: *why says why not. The caller frees it. */
static char *read_text(const char *path, int64_t started_s, const char **state, const char **why)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    *state = "missing";
    *why = file < 0 ? strerror(errno) : NULL;
    if (file < 0)
        return NULL;
    char *text = NULL;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        *why = "it is not a file";
    } else if (status.st_size > FILE_BYTES_MAX) {
        *why = "it is larger than 4 MiB";
    } else if ((text = malloc((size_t)status.st_size + 1)) != NULL) {
        size_t length = 0;
        for (ssize_t got; length < (size_t)status.st_size; length += (size_t)got) {
            got = read(file, text + length, (size_t)status.st_size - length);
            if (got <= 0)
                break;
        }
        text[length] = '\0';
        if (memchr(text, '\0', length) != NULL) {
            *why = "it is no text";
            free(text);
            text = NULL;
        }
        *state = text == NULL ? "missing" : status.st_mtime > started_s ? "changed" : "same";
    } else {
        *why = "out of memory";
    }
    close(file);
    return text;
}

/* Has the file this checksum? `unknown` where md5sum cannot say it. */
static const char *state_of(struct request *request, const char *path, const char *md5,
                            const char *unknown)
{
    char program[] = "md5sum", only[] = "--";
    char *argv[] = {program, only, (char *)(uintptr_t)path, NULL};
    const char *problem;
    char *printed = child_collect(request, program, argv, SECONDS, &problem);
    const char *state = unknown;
    if (printed != NULL) {
        const char *digits = printed + (printed[0] == '\\'); /* of a name with special characters */
        if (strspn(digits, "0123456789abcdef") == MD5_DIGITS)
            state = strncmp(digits, md5, MD5_DIGITS) == 0 ? "same" : "changed";
    }
    free(printed);
    return state;
}

static void write_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text, SIZE_MAX);
}

static void write_lines(struct quick *quick, const char *key, const char *sql, int64_t file)
{
    sqlite3_stmt *rows = quick_prepare(quick, sql);
    if (rows != NULL)
        sqlite3_bind_int64(rows, 1, file);
    quick_rows(quick, key, rows);
}

/* Returns whether there is such a row. */
static bool write_file(struct quick *quick, int64_t file)
{
    struct json *json = &quick->answer.json;
    sqlite3_stmt *row = quick_prepare(quick, api_source_sql_file);
    if (row != NULL)
        sqlite3_bind_int64(row, 1, file);
    bool found = quick_row(quick, row);
    const char *path = found ? (const char *)sqlite3_column_text(row, 1) : NULL;
    if (path != NULL) {
        const char *state, *why;
        const char *md5 = (const char *)sqlite3_column_text(row, 3);
        char *text = read_text(path, sqlite3_column_int64(row, 2), &state, &why);
        if (text != NULL && md5 != NULL && strlen(md5) == MD5_DIGITS && path[0] == '/')
            state = state_of(quick->request, path, md5, state);
        json_key(json, "file");
        json_integer(json, file);
        write_text(json, "path", path);
        write_text(json, "state", state);
        write_text(json, "problem", why);
        write_text(json, "text", text);
        free(text);
    }
    sqlite3_finalize(row);
    return path != NULL;
}

enum MHD_Result api_source(struct request *request)
{
    struct quick quick;
    int64_t file, function;
    if (!request_integer(request, "file", 1, INT64_MAX, 0, &file) ||
        !request_integer(request, "function", 1, INT64_MAX, 0, &function) ||
        (file == 0) == (function == 0))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "wants file=ID, a row of files, or function=ID");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    if (file == 0) {
        sqlite3_stmt *row = quick_prepare(&quick, api_source_sql_file_of);
        if (row != NULL)
            sqlite3_bind_int64(row, 1, function);
        file = quick_row(&quick, row) ? sqlite3_column_int64(row, 0) : 0;
        sqlite3_finalize(row);
    }
    json_open(&quick.answer.json, '{');
    bool found = write_file(&quick, file);
    if (found) {
        write_lines(&quick, "calls", api_source_sql_line_calls, file);
        write_lines(&quick, "allocs", api_source_sql_line_allocs, file);
        write_lines(&quick, "functions", api_source_sql_line_functions, file);
    }
    json_close(&quick.answer.json, '}');
    if (found || quick.problem != NULL)
        return quick_end(&quick);
    quick_drop(&quick);
    return reply_problem(request->connection, MHD_HTTP_NOT_FOUND,
                         "the database names no such file");
}
#else
extern const int api_source_is_not_built_in; /* ISO C forbids an empty file */
#endif
