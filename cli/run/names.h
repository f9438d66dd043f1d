/*
 * Names of functions as people want to read them: short, as in the database
 * (debuginfo/names/short_name.h), in full as demangled, or as the linker knows them.
 *
 * A short name determines the full one, so we can rewrite it alone or in a stack without knowing
 * which function it came from.
 */
#ifndef FISQL_CLI_RUN_NAMES_H
#define FISQL_CLI_RUN_NAMES_H

#include <sqlite3.h>
#include <stdbool.h>

enum name_style { NAMES_SHORT, NAMES_FULL, NAMES_LINKAGE };

/* Separates the functions of a stack, outermost first. No name in a database contains it. */
#define NAMES_ARROW " => "

/* Finds a style by its word: short, full or no. False if there is none. */
bool name_style_parse(const char *word, enum name_style *style);

/* The SQL expression for a function's name in the style; `f` is its row in functions. */
const char *name_style_sql(enum name_style style);

/* Looks names up. */
struct names {
    enum name_style style;
    sqlite3_stmt *lookup; /* NULL = names stay as they are */
};

/* Returns 0, or SQLite's error code. Release in both cases. */
int names_init(struct names *names, enum name_style style, sqlite3 *database);
void names_release(struct names *names);

/* The text, a function's short name or a stack of them, in the style; what is no function's name
 * stays. The caller frees it; NULL without memory. */
char *names_rewrite(const struct names *names, const char *text);

#endif
