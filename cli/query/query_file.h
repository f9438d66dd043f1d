/*
 * Query files: queries/NAME.sql, compiled in, and files of the user's own. A file opens with
 * comment lines that describe it:
 *
 *   -- title:       Inline candidates
 *   -- question:    what it answers, in one line: `fisql query --list`
 *   -- group:       Inlining and call structure
 *   -- description: what it finds and why it matters; continued on lines that begin with spaces
 *   -- advice:      what to do with a row, and when the advice is wrong
 *   -- source:      where the method comes from
 *   -- report:      errors | findings | overview | none: its place in `fisql query --all`
 *                   (findings by default), and a parameter's value there: NAME=VALUE
 *   -- needs:       values: what not every recording has (query_needs.h)
 *   -- libraries:   shown: it is about library calls as well: if they were recorded, they do not count
 *                   as their callers (own_code.h)
 *   -- hides:       inlined=1: the compiler may inline them; min_saved=0: ...: settings that show rows
 *                   which rules leave out, and the rules (left_out.h)
 *   -- filter:      function = allocated_by freed_by
 *   -- param:       min_calls = 100 | calls | ignore rarer functions
 *   -- column:      function  | -     | demangled name
 *
 * Then comes one SELECT, in which :min_calls is the parameter. Not bound, it is NULL, and the query
 * uses its default. A user's own file may leave out any of the header; fisql binds its defaults, so
 * that the SQL needs no coalesce.
 *
 * A parameter that takes one of some words has them as its unit: cpu/wall/wait.
 *
 * A unit says how tables show a number: ns is a time, bytes a size, % a share; "ns a call" is the
 * time of a call or a mean of them, and shown as ~N if it is less than what the hooks cost. Of
 * texts, function is a function's name (so are, without a unit, columns with the usual names:
 * function, caller, owner, ...), and stack the names of functions, outermost first, with " => "
 * between them. A column whose text begins with "allocs.id" names the block whose stack
 * --suppressions matches. A filter line names the columns that a filter option (query_filter.h)
 * looks at, if they are not the usual ones.
 */
#ifndef FISQL_CLI_QUERY_QUERY_FILE_H
#define FISQL_CLI_QUERY_QUERY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/loader.h"

enum { QUERY_PARTS_MAX = 40 };

/* A parameter, a column or a filter. Strings are owned by the query file. */
struct query_part {
    char *name;
    char *value; /* a parameter's default, a filter's columns; NULL if there is none */
    char *unit;
    char *text;
};

struct query_file {
    char *name;
    char *title, *question, *group, *description, *advice, *source,
        *report; /* each NULL if the header lacks it */
    char *needs, *hides, *libraries;
    struct query_part params[QUERY_PARTS_MAX], columns[QUERY_PARTS_MAX], filters[QUERY_PARTS_MAX];
    size_t params_count, columns_count, filters_count;
    char *sql; /* the whole text */
    bool own;  /* the user's, not ours */
};

/* Parses a file's text. Returns 0, or -1 without memory. Release in both cases. */
int query_file_parse(struct query_file *query, const char *name, const char *text);
void query_file_release(struct query_file *query);

/* The part of that name, NULL if there is none. */
const struct query_part *query_part_find(const struct query_part *parts, size_t count,
                                         const char *name);

/* The name of a canned query's view: the query's with underscores; where the schema has a table of
 * that name, _view behind it. */
void query_view_name(const char *query, char *name, size_t size);

/* Views of the canned queries, with all parameters at their defaults. */
struct query_views {
    struct load_view *items;
    size_t count;
};

/* 0, or -1 without memory. Release in both cases. */
int query_views_make(struct query_views *views);
void query_views_release(struct query_views *views);

/* A script that creates the views. Caller frees; NULL without memory. */
char *query_views_sql(void);

#endif
