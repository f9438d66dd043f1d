/*
 * Suppressions: a file in LeakSanitizer's syntax, one `leak:PATTERN` a line, `#` for comments. A
 * block is suppressed where a pattern matches the function, source file or module of any call on
 * the stack that allocated it. A pattern matches a part of the text; `*` matches any text, `^` its
 * start and `$` its end.
 */
#ifndef FISQL_CLI_QUERY_SUPPRESSIONS_H
#define FISQL_CLI_QUERY_SUPPRESSIONS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct suppressions {
    char **patterns; /* owned, without `leak:` */
    size_t count, capacity;
    sqlite3_stmt *stack; /* names on the stack of the block ?1 */
    size_t suppressed;   /* rows left out so far */
};

/* Does the pattern match the text? */
bool suppression_matches(const char *pattern, const char *text);

/* Returns 0, or 2 after saying what is wrong. Release in both cases, before the database closes. */
int suppressions_load(struct suppressions *suppressions, const char *path, sqlite3 *database);
void suppressions_release(struct suppressions *suppressions);

/* The same with the caller's own statement of names, for suppressions_match_function(): those of
 * the function ?1, and of its file and module. */
int suppressions_load_with(struct suppressions *suppressions, const char *path, sqlite3 *database,
                           const char *names_sql);

/* Does a pattern match the function's name of so many bytes, or what the statement gives for the
 * function? Counts it if so. */
bool suppressions_match_function(struct suppressions *suppressions, const char *name,
                                 size_t length);

/* Is the block with that allocs.id suppressed? Counts it if so. */
bool suppressions_match(struct suppressions *suppressions, long long alloc_id);

#endif
