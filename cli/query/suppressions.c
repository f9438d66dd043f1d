/* Suppressions in LeakSanitizer's syntax: see suppressions.h. */
#include "cli/query/suppressions.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* suppressions.sql */
extern const char suppressions_sql_stack[];

/* Does the pattern, without its `^`, match at the text's start? */
static bool matches_here(const char *pattern, const char *text)
{
    for (; *pattern != '\0'; pattern++, text++) {
        if (*pattern == '*') {
            while (pattern[1] == '*')
                pattern++;
            for (const char *at = text;; at++) {
                if (matches_here(pattern + 1, at))
                    return true;
                if (*at == '\0')
                    return false;
            }
        }
        if (*pattern == '$' && pattern[1] == '\0')
            return *text == '\0';
        if (*pattern != *text)
            return false;
    }
    return true;
}

bool suppression_matches(const char *pattern, const char *text)
{
    if (*pattern == '^')
        return matches_here(pattern + 1, text);
    for (const char *at = text;; at++) {
        if (matches_here(pattern, at))
            return true;
        if (*at == '\0')
            return false;
    }
}

static int add_line(struct suppressions *suppressions, const char *path, size_t number, char *line)
{
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
        line[--length] = '\0';
    if (*line == '\0' || *line == '#')
        return 0;
    if (strncmp(line, "leak:", 5) != 0 || line[5] == '\0')
        return fail("%s:%zu: wants leak:PATTERN, a comment (#) or an empty line", path, number);
    if (array_reserve(&suppressions->patterns, &suppressions->capacity, suppressions->count + 1,
                      NULL) != 0)
        return fail("%s: out of memory", path);
    suppressions->patterns[suppressions->count] = strdup(line + 5);
    if (suppressions->patterns[suppressions->count] == NULL)
        return fail("%s: out of memory", path);
    suppressions->count++;
    return 0;
}

int suppressions_load(struct suppressions *suppressions, const char *path, sqlite3 *database)
{
    return suppressions_load_with(suppressions, path, database, suppressions_sql_stack);
}

int suppressions_load_with(struct suppressions *suppressions, const char *path, sqlite3 *database,
                           const char *names_sql)
{
    *suppressions = (struct suppressions){0};
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return fail("%s: %s: --suppressions wants a file of leak:PATTERN lines", path,
                    strerror(errno));
    char *line = NULL;
    size_t size = 0;
    int status = 0;
    for (size_t number = 1; status == 0 && getline(&line, &size, file) >= 0; number++)
        status = add_line(suppressions, path, number, line);
    if (status == 0 && ferror(file))
        status = fail("%s: cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    if (status == 0 &&
        sqlite3_prepare_v2(database, names_sql, -1, &suppressions->stack, NULL) != SQLITE_OK)
        status = fail("%s: %s", path, sqlite3_errmsg(database));
    return status;
}

void suppressions_release(struct suppressions *suppressions)
{
    for (size_t i = 0; i < suppressions->count; i++)
        free(suppressions->patterns[i]);
    free(suppressions->patterns);
    sqlite3_finalize(suppressions->stack);
    *suppressions = (struct suppressions){0};
}

static bool any_matches(const struct suppressions *suppressions, const char *text)
{
    for (size_t i = 0; text != NULL && i < suppressions->count; i++) {
        if (suppression_matches(suppressions->patterns[i], text))
            return true;
    }
    return false;
}

/* Steps through the bound statement's names. Counts what matches. */
static bool stack_matches(struct suppressions *suppressions)
{
    bool found = false;
    while (!found && database_row(suppressions->stack)) {
        for (int i = 0; i < sqlite3_column_count(suppressions->stack) && !found; i++)
            found = any_matches(suppressions,
                                (const char *)sqlite3_column_text(suppressions->stack, i));
    }
    sqlite3_reset(suppressions->stack);
    suppressions->suppressed += found;
    return found;
}

bool suppressions_match(struct suppressions *suppressions, long long alloc_id)
{
    sqlite3_bind_int64(suppressions->stack, 1, alloc_id);
    return stack_matches(suppressions);
}

bool suppressions_match_function(struct suppressions *suppressions, const char *name, size_t length)
{
    sqlite3_bind_text64(suppressions->stack, 1, name, length, SQLITE_TRANSIENT, SQLITE_UTF8);
    return stack_matches(suppressions);
}
