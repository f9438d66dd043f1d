/* Filters for all queries: see query_filter.h. */
#include "cli/query/query_filter.h"

#include "base/shortage.h"
#include "base/memory_text.h"
#include "cli/out/amount.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include "queries/embedded.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The modules that functions have: of the user's map, and libraries that it does not wholly cover. */
#define MODULES_SQL                                                                                \
    "SELECT name FROM module_map UNION SELECT l.name FROM modules l WHERE NOT EXISTS "             \
    "(SELECT 1 FROM module_map) OR EXISTS (SELECT 1 FROM functions f WHERE f.module_id = l.id "    \
    "AND f.id NOT IN (SELECT function_id FROM mapped_functions))"

/* A filter: the parameter that it binds if a query has it; else the columns that it looks at and
 * the condition on one, in which %c is the column and %v the value. */
static const struct filter_kind {
    const char *option;
    const char *parameter;
    const char *columns;
    const char *condition;
    /* if the result has no such column: a condition on the functions that it names */
    const char *by_function;
    const char *known; /* SQL that gives all names of the kind, to find the nearest */
    const char *match; /* SQL that gives a row if the value ?1 matches anything */
} kinds[FILTERS_COUNT] = {
    [FILTER_FUNCTION] =
        {"function", "function", "function caller callee allocator allocated_by freed_by owner",
         "(%c = %v OR %c GLOB %v OR %c GLOB %v || '[(<]*' OR EXISTS (SELECT 1 FROM functions n "
         "WHERE n.name = %c AND (n.full_name = %v OR n.full_name GLOB %v OR "
         "' ' || n.full_name GLOB '* ' || %v || '[(<]*')))",
         NULL, "SELECT name FROM functions",
         "SELECT 1 FROM functions WHERE name = ?1 OR name GLOB ?1 OR name GLOB ?1 || '[(<]*' OR "
         "full_name = ?1 OR full_name GLOB ?1 OR ' ' || full_name GLOB '* ' || ?1 || '[(<]*' LIMIT "
         "1"},
    [FILTER_FILE] = {"file", "file", "file", "(%c = %v OR %c GLOB %v OR %c GLOB '*/' || %v)",
                     "(d.file = %v OR d.file GLOB %v OR d.file GLOB '*/' || %v)",
                     "SELECT name FROM files UNION SELECT path FROM files",
                     "SELECT 1 FROM files WHERE ?1 IN (name, path) OR name GLOB ?1 OR path GLOB ?1 "
                     "OR path GLOB '*/' || ?1 LIMIT 1"},
    [FILTER_MODULE] = {"module", "module", "module", "(%c = %v OR %c GLOB %v)",
                       "(d.module = %v OR d.module GLOB %v)", MODULES_SQL,
                       "SELECT 1 FROM (" MODULES_SQL ") WHERE name = ?1 OR name GLOB ?1 LIMIT 1"},
    [FILTER_THREAD] = {"thread", "thread", "thread tid thread_name alloc_thread free_thread",
                       "(CAST(%c AS TEXT) = %v OR %c GLOB %v OR EXISTS (SELECT 1 FROM threads t "
                       "WHERE CAST(t.tid AS TEXT) = %v AND t.name = %c))",
                       NULL, "SELECT coalesce(name, tid) FROM threads",
                       "SELECT 1 FROM threads WHERE ?1 = CAST(tid AS TEXT) OR name = ?1 OR name "
                       "GLOB ?1 OR ?1 = 'all' LIMIT 1"},
    [FILTER_SINCE] = {"since", "since_ns",
                      "enter_ns at_ns time_ns ns alloc_ns start_ns end_ns first_ns", "%c >= %v",
                      NULL, NULL, NULL},
    [FILTER_UNTIL] = {"until", "until_ns",
                      "enter_ns at_ns time_ns ns alloc_ns start_ns end_ns first_ns", "%c <= %v",
                      NULL, NULL, NULL},
};

/* Is there a row? The value is bound to ?1. */
static bool any_row(sqlite3 *database, const char *sql, const char *value)
{
    sqlite3_stmt *statement = database_ask(database, sql);
    sqlite3_bind_text(statement, 1, value, -1, SQLITE_STATIC);
    bool found = database_row(statement);
    sqlite3_finalize(statement);
    return found;
}

enum { KNOWN_NAMES_MAX = 200000 }; /* so many are compared with a mistyped one */

static int fail_unknown_name(sqlite3 *database, const struct filter_kind *kind, const char *value)
{
    char **names = calloc(KNOWN_NAMES_MAX, sizeof *names);
    size_t count = 0;
    sqlite3_stmt *statement = database_ask(database, kind->known);
    while (names != NULL && count < KNOWN_NAMES_MAX && database_row(statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        names[count] = strdup(name != NULL ? name : "");
        count += names[count] != NULL;
    }
    sqlite3_finalize(statement);
    const char *nearest =
        names != NULL ? nearest_name(value, (const char *const *)names, count) : NULL;
    if (nearest != NULL)
        fail("--%s %s: no such %s in the recording; did you mean %s?", kind->option, value,
             kind->option, nearest);
    else
        fail("--%s %s: no such %s in the recording; sqlite3 lists them: %s", kind->option, value,
             kind->option, kind->known);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return 2;
}

int filters_check(const struct filters *filters, sqlite3 *database)
{
    for (int i = 0; i < FILTERS_COUNT; i++) {
        const char *value = filters->values[i];
        int64_t ns;
        if (value == NULL)
            continue;
        if (kinds[i].match == NULL && !amount_time(value, &ns))
            return fail("--%s %s: wants a time since the run's start, such as 1500ns, 10ms or 2.5s",
                        kinds[i].option, value);
        if (kinds[i].match != NULL && !any_row(database, kinds[i].match, value))
            return shortage_noted() != 0 ? 2 : fail_unknown_name(database, &kinds[i], value);
    }
    return 0;
}

static bool has_column(sqlite3_stmt *statement, const char *name, size_t length)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *column = sqlite3_column_name(statement, i);
        if (column != NULL && strlen(column) == length && strncmp(column, name, length) == 0)
            return true;
    }
    return false;
}

/* Does the query itself take the filter's value? A column that is named like the filter goes first:
 * so all filters mean the same in every query. */
static bool has_parameter(sqlite3_stmt *statement, const struct filter_kind *kind)
{
    char name[64];
    snprintf(name, sizeof name, ":%s", kind->parameter);
    return sqlite3_bind_parameter_index(statement, name) != 0 &&
           !has_column(statement, kind->option, strlen(kind->option));
}

/* Writes the condition with its column and value filled in. */
static void put_condition(FILE *out, const char *condition, const char *column, int length,
                          const char *value)
{
    for (const char *at = condition; *at != '\0'; at++) {
        if (at[0] == '%' && at[1] == 'c')
            fprintf(out, "q.\"%.*s\"", length, column);
        else if (at[0] == '%' && at[1] == 'v')
            fprintf(out, ":fisql_%s", value);
        else {
            fputc(*at, out);
            continue;
        }
        at++;
    }
}

/* Writes a condition for each of the columns that the result has, joined by OR. Returns how many.
 */
static int put_columns(FILE *out, const struct filter_kind *kind, const char *columns,
                       const char *condition, sqlite3_stmt *statement)
{
    int count = 0;
    for (const char *at = columns; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (length > 0 && has_column(statement, at, length)) {
            fputs(count++ > 0 ? " OR " : "", out);
            put_condition(out, condition, at, (int)length, kind->option);
        }
        at += length + strspn(at + length, " ");
    }
    return count;
}

/* Writes the filter's condition on the result. Returns whether the query has what it needs. */
static bool put_filter(FILE *out, enum filter filter, const struct query_file *query,
                       sqlite3_stmt *statement)
{
    const struct filter_kind *kind = &kinds[filter];
    const struct query_part *named =
        query_part_find(query->filters, query->filters_count, kind->option);
    const char *columns = named != NULL && named->value != NULL ? named->value : kind->columns;
    if (put_columns(out, kind, columns, kind->condition, statement) > 0)
        return true;
    if (kind->by_function == NULL)
        return false;
    char condition[512]; /* the function of that name, and of that place if the result has one */
    bool located = has_column(statement, "location", 8) && has_column(statement, "function", 8) &&
                   query_part_find(query->columns, query->columns_count, "kind") == NULL;
    snprintf(condition, sizeof condition,
             "EXISTS (SELECT 1 FROM function_details d WHERE d.name = %%c%s AND %s)",
             located ? " AND d.location = q.location" : "", kind->by_function);
    return put_columns(out, kind, kinds[FILTER_FUNCTION].columns, condition, statement) > 0;
}

static bool can_filter(enum filter filter, const struct query_file *query, sqlite3_stmt *statement)
{
    char scratch[4096];
    FILE *out = fmemopen(scratch, sizeof scratch, "w");
    if (out == NULL)
        return false;
    bool can =
        has_parameter(statement, &kinds[filter]) || put_filter(out, filter, query, statement);
    fclose(out);
    return can;
}

bool filters_fit(const struct filters *filters, sqlite3 *database, const struct query_file *query)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, query->sql, -1, &statement, NULL) != SQLITE_OK)
        return true; /* running it reports what is wrong with it */
    bool fit = true;
    for (int i = 0; i < FILTERS_COUNT && fit && statement != NULL; i++)
        fit = filters->values[i] == NULL || can_filter((enum filter)i, query, statement);
    sqlite3_finalize(statement);
    return fit;
}

static int filters_text(const struct query_file *query, sqlite3_stmt *statement, char *text,
                        size_t size)
{
    int count = 0;
    text[0] = '\0';
    for (int i = 0; i < FILTERS_COUNT; i++) {
        if (can_filter((enum filter)i, query, statement)) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s--%s", count++ > 0 ? " " : "", kinds[i].option);
        }
    }
    return count;
}

int query_filters_text(const struct query_file *query, char *text, size_t size)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int count = 0;
    text[0] = '\0';
    if (sqlite3_open(":memory:", &database) == SQLITE_OK &&
        sqlite3_exec(database, embedded_schema, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, query->sql, -1, &statement, NULL) == SQLITE_OK &&
        statement != NULL)
        count = filters_text(query, statement, text, size);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return count;
}

static int bind_filters(const struct filters *filters, sqlite3_stmt *statement)
{
    for (int i = 0; i < FILTERS_COUNT; i++) {
        const char *value = filters->values[i];
        if (value == NULL)
            continue;
        char name[64];
        int64_t ns = 0;
        bool is_time = kinds[i].match == NULL && amount_time(value, &ns);
        snprintf(name, sizeof name, ":fisql_%s", kinds[i].option);
        int index = sqlite3_bind_parameter_index(statement, name);
        if (index == 0) {
            snprintf(name, sizeof name, ":%s", kinds[i].parameter);
            index = sqlite3_bind_parameter_index(statement, name);
        }
        int result = is_time ? sqlite3_bind_int64(statement, index, ns)
                             : sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
        if (result != SQLITE_OK)
            return fail("--%s %s: cannot be bound: %s", kinds[i].option, value,
                        sqlite3_errstr(result));
    }
    return 0;
}

/* Prepares the first statement of the text, which must be the only one and read rows. */
static sqlite3_stmt *prepare_only(sqlite3 *database, const char *name, const char *sql,
                                  size_t *length)
{
    sqlite3_stmt *statement = NULL, *second = NULL;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, &tail) != SQLITE_OK) {
        fail("%s: %s", name, sqlite3_errmsg(database));
        return NULL;
    }
    *length = (size_t)(tail - sql);
    bool more =
        sqlite3_prepare_v2(database, tail, -1, &second, NULL) != SQLITE_OK || second != NULL;
    sqlite3_finalize(second);
    if (statement == NULL)
        fail("%s: holds no SQL statement", name);
    else if (more)
        fail("%s: holds more than one statement: a query is one SELECT", name);
    else if (sqlite3_column_count(statement) == 0 || !sqlite3_stmt_readonly(statement))
        fail("%s: gives no rows or would change the database: a query is one SELECT", name);
    else
        return statement;
    sqlite3_finalize(statement);
    return NULL;
}

/* ---- sorting ---- */

/* The column of that name, else the one whose name has a unit more. */
static int column_named(sqlite3_stmt *statement, const char *word, size_t length)
{
    static const char *const units[] = {"", "_ns", "_bytes"};
    for (size_t unit = 0; unit < sizeof units / sizeof units[0]; unit++)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *name = sqlite3_column_name(statement, i);
            if (strncmp(name, word, length) == 0 && strcmp(name + length, units[unit]) == 0)
                return i;
        }
    return -1;
}

static bool fail_unknown_column(const struct query_file *query, sqlite3_stmt *statement,
                                const char *word, size_t length)
{
    const char *names[64];
    char wanted[128];
    size_t count = 0;
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, word);
    for (int i = 0; i < sqlite3_column_count(statement) && count < 64; i++)
        names[count++] = sqlite3_column_name(statement, i);
    const char *nearest = nearest_name(wanted, names, count);
    if (nearest != NULL)
        fail("%s: --sort: has no column %s; did you mean %s?", query->name, wanted, nearest);
    else
        fail("%s: --sort: has no column %s", query->name, wanted);
    say_list("its columns are", names, count);
    return false;
}

/* Figures begin with the greatest, names with A. A column is named by its number: its name may be
 * anything in a query of the user's. */
static bool put_order(FILE *out, const struct filters *filters, const struct query_file *query,
                      sqlite3_stmt *statement)
{
    const char *word = filters->sort;
    for (int number = 0;; number++) {
        size_t length = strcspn(word, ",");
        int column = column_named(statement, word, length);
        if (column < 0)
            return fail_unknown_column(query, statement, word, length);
        const struct query_part *part = query_part_find(query->columns, query->columns_count,
                                                        sqlite3_column_name(statement, column));
        bool is_text =
            part != NULL && (strcmp(part->unit, "-") == 0 || strcmp(part->unit, "function") == 0 ||
                             strcmp(part->unit, "stack") == 0);
        fprintf(out, "%s%d %s NULLS LAST", number == 0 ? " ORDER BY " : ", ", column + 1,
                is_text == filters->reverse ? "DESC" : "ASC");
        if (word[length] == '\0')
            return true;
        word += length + 1;
    }
}

/* The query as a subselect under the filters' conditions. Caller frees; NULL after an error. */
static char *wrapped(const struct filters *filters, const struct query_file *query,
                     sqlite3_stmt *statement, size_t length, bool *needed)
{
    char *sql = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&sql, &size);
    if (out == NULL) {
        fail("%s: out of memory", query->name);
        return NULL;
    }
    while (length > 0 && strchr("; \n\t\r", query->sql[length - 1]) != NULL)
        length--;
    fprintf(out, "SELECT * FROM (%.*s\n) AS q WHERE 1", (int)length, query->sql);
    bool sound = true;
    for (int i = 0; i < FILTERS_COUNT && sound; i++) {
        if (filters->values[i] == NULL || has_parameter(statement, &kinds[i]))
            continue;
        fputs(" AND (", out);
        sound = put_filter(out, (enum filter)i, query, statement);
        fputs(")", out);
        *needed = true;
        if (!sound) {
            char known[256];
            int count = filters_text(query, statement, known, sizeof known);
            fail("%s: has no filter --%s; it has: %s", query->name, kinds[i].option,
                 count > 0 ? known : "none");
        }
    }
    if (sound && filters->sort != NULL) {
        sound = put_order(out, filters, query, statement);
        *needed = true;
    }
    bool whole = ferror(out) == 0;
    whole = fclose(out) == 0 && whole && sql != NULL;
    if (!whole && sound)
        fail("%s: out of memory", query->name);
    if (!whole || !sound) {
        free(sql);
        return NULL;
    }
    return sql;
}

sqlite3_stmt *filters_prepare(const struct filters *filters, sqlite3 *database,
                              const struct query_file *query)
{
    size_t length = 0;
    sqlite3_stmt *statement = prepare_only(database, query->name, query->sql, &length);
    if (statement == NULL)
        return NULL;
    bool needed = false;
    char *sql = wrapped(filters, query, statement, length, &needed);
    if (sql == NULL || needed) {
        sqlite3_finalize(statement);
        statement = NULL;
    }
    if (sql != NULL && needed &&
        sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail("%s: with filters: %s", query->name, sqlite3_errmsg(database));
    free(sql);
    if (statement != NULL && bind_filters(filters, statement) != 0) {
        sqlite3_finalize(statement);
        return NULL;
    }
    return statement;
}
