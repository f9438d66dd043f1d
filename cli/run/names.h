/*
 * Names of functions as people want to read them: in full as demangled, short (no template
 * arguments, parameter lists, return types or ABI tags), or as the linker knows them.
 */
#ifndef FISQL_CLI_NAMES_H
#define FISQL_CLI_NAMES_H

#include <sqlite3.h>
#include <stdbool.h>

enum name_style { NAMES_FULL, NAMES_SHORT, NAMES_LINKAGE };

/* Finds a style by its word: full, short or no. Returns whether there is one. */
bool name_style_parse(const char *word, enum name_style *style);

/* "void ns::sort<int*>(int*, int*) [clone .cold]" -> "ns::sort". Caller frees; NULL without memory.
 */
char *name_short(const char *name);

/* Rewrites text in which functions of the database are named, alone or in a stack (separated by
 * " > ", " -> ", ", " or "; "), in the style; other text stays as it is. */
struct names {
    enum name_style style;
    sqlite3_stmt *lookup;
};

/* Returns 0, or SQLite's error code. Release in both cases. */
int names_init(struct names *names, enum name_style style, sqlite3 *database);
void names_release(struct names *names);

/* Caller frees; NULL without memory. */
char *names_rewrite(const struct names *names, const char *text);

#endif
