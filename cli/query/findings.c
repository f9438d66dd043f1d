/* The findings report: see findings.h. The `report` line of a query's header puts it in. The
 * sections are the digest's, and in each the queries that the digest names come first. */
#include "cli/query/findings.h"
#include "cli/query/kept_blocks.h"
#include "cli/query/query_needs.h"
#include "cli/query/recording_limits.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/run/database.h"
#include "base/memory_text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *title;
} parts[PARTS_COUNT] = {{"errors", "Errors"}, {"findings", "Findings"}, {"overview", "Overview"}};

const char *findings_part_title(enum findings_part part)
{
    return parts[part].title;
}

enum { ROWS_SHOWN = 3, COLUMNS_SHOWN = 6, CELL_WIDTH = 56 };

enum findings_part findings_part_of(const struct query_file *query)
{
    if (query->report == NULL)
        return PART_FINDINGS;
    size_t length = strcspn(query->report, " ");
    for (int i = 0; i < PARTS_COUNT; i++) {
        if (strlen(parts[i].word) == length && strncmp(query->report, parts[i].word, length) == 0)
            return (enum findings_part)i;
    }
    return PART_NONE;
}

/* ---- the order ---- */

enum { SECTION_ERRORS = 2, SECTION_OTHER = 8 };

/* The sections in the digest's order; all but the errors are groups of queries. */
static const char *const sections[] = {"Time",
                                       "Memory",
                                       [SECTION_ERRORS] = "Errors and losses",
                                       "Coverage and threads",
                                       "Arguments and results",
                                       "Locks",
                                       "Faults",
                                       "Objects",
                                       [SECTION_OTHER] = "Other",
                                       "Inlining and call structure"};
enum { SECTIONS_COUNT = sizeof sections / sizeof sections[0] };

static int section_of(const struct query_file *query)
{
    if (findings_part_of(query) == PART_ERRORS)
        return SECTION_ERRORS;
    for (int i = 0; i < SECTIONS_COUNT; i++)
        if (query->group != NULL && strcmp(query->group, sections[i]) == 0)
            return i;
    return SECTION_OTHER;
}

/* The place of a query: those of the digest come first, in its order, the others by name. */
static int place_of(const struct query_file *query)
{
    static const char *const first[] = {
        "hot-functions", "waiting",      "lock-waits", "temporary-allocations",
        "not-freed",     "completeness", "dead-code"};
    enum { COUNT = sizeof first / sizeof first[0] };
    for (int i = 0; i < COUNT; i++)
        if (strcmp(query->name, first[i]) == 0)
            return i;
    return COUNT;
}

static int by_order(const void *left, const void *right)
{
    const struct query_file *a = *(const struct query_file *const *)left;
    const struct query_file *b = *(const struct query_file *const *)right;
    int sections_apart = section_of(a) - section_of(b), apart = place_of(a) - place_of(b);
    return sections_apart != 0 ? sections_apart : apart != 0 ? apart : strcmp(a->name, b->name);
}

/* The queries of the report in its order, as a malloc'ed list; NULL without memory. */
static const struct query_file **queries_in_order(const struct query_set *set, size_t *count)
{
    const struct query_file **list = calloc(set->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list != NULL && i < set->count; i++)
        if (findings_part_of(&set->queries[i]) != PART_NONE)
            list[(*count)++] = &set->queries[i];
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_order);
    return list;
}

/* ---- the report ---- */

/* findings.sql */
extern const char findings_sql_head[];

void findings_settings(struct query_request *request, const struct query_file *query)
{
    const char *space = query->report != NULL ? strchr(query->report, ' ') : NULL;
    request->settings_count = space != NULL;
    request->settings[0] = space != NULL ? space + 1 : NULL;
}

static void print_count(sqlite3_stmt *statement, int column, const char *noun, const char *plural)
{
    long long count = sqlite3_column_int64(statement, column);
    printf(", %lld %s%s", count, noun, count != 1 ? plural : "");
}

/* Prints a text from elsewhere. */
static void put(const char *text, bool markdown)
{
    if (markdown)
        text_put_markdown(stdout, text);
    else
        text_put(stdout, text);
}

/* What ran, in one line. */
static void print_head(sqlite3 *database, const char *path, bool markdown)
{
    sqlite3_stmt *statement = database_ask(database, findings_sql_head);
    printf("%sFindings in ", markdown ? "## " : "");
    put(path, markdown);
    puts(markdown ? "\n" : "");
    if (database_row(statement)) {
        char time[64];
        const char *command = (const char *)sqlite3_column_text(statement, 0);
        output_time(sqlite3_column_double(statement, 4), time, sizeof time);
        put(command, markdown);
        printf(": %s", time);
        print_count(statement, 1, "process", "es");
        print_count(statement, 2, "thread", "s");
        print_count(statement, 3, "call", "s");
        print_count(statement, 5, "block", "s");
        putchar('\n');
    }
    sqlite3_finalize(statement);
}

/* The first sentence of the advice. */
static int first_sentence(const char *text)
{
    const char *end = text;
    for (; *end != '\0'; end++) {
        if ((*end == '.' || *end == ':') && (end[1] == ' ' || end[1] == '\0') &&
            !(end - text >= 3 &&
              (strncmp(end - 3, "e.g", 3) == 0 || strncmp(end - 3, "i.e", 3) == 0)))
            return (int)(end - text);
    }
    return (int)(end - text);
}

static void put_sentence(const char *advice)
{
    char *text = text_shown(advice, (size_t)first_sentence(advice));
    fputs(text != NULL ? text : "?", stdout);
    free(text);
}

/* Runs a query and prints its part if it has rows. Returns how many it has, -1 after an error. */
static long print_query(const struct query_request *request, const struct query_file *query,
                        sqlite3 *database, bool markdown)
{
    char *text = NULL;
    size_t size = 0;
    long rows = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return -1;
    int status = query_run(request, database, query, out, &rows);
    if (fclose(out) != 0)
        status = 2;
    if (status == 0 && rows > 0) {
        fputs(markdown ? "\n#### " : "\n", stdout);
        put(query->title != NULL ? query->title : query->name, markdown);
        fputs(markdown ? " (`" : " (", stdout);
        text_put(stdout, query->name);
        fputs(markdown ? "`, " : ", ", stdout);
        printf(rows > request->limit ? "rows: %ld, the first %ld)\n" : "rows: %ld)\n", rows,
               request->limit);
        fputs(markdown ? "\n" : "", stdout);
        fputs(text, stdout);
        if (query->advice != NULL) {
            fputs(markdown ? "\n> " : "-> ", stdout);
            put_sentence(query->advice);
            fputs(".\n", stdout);
        }
    }
    free(text);
    return status == 0 ? rows : -1;
}

static void print_names(const char *what, const struct query_file **queries, size_t count,
                        bool markdown)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            printf("\n%s: ", what);
        else
            fputs(", ", stdout);
        put(queries[i]->name, markdown);
    }
    if (count > 0)
        puts(".");
}

/* Prints the queries that lack something, those with one reason together; reorders them. */
static void print_lacking(const struct query_file **queries, size_t count, sqlite3 *database,
                          bool markdown)
{
    for (size_t from = 0, to; from < count; from = to) {
        const char *why = query_lacks(queries[from], database);
        char what[160];
        to = from + 1;
        for (size_t i = to; i < count; i++)
            if (query_lacks(queries[i], database) == why) {
                const struct query_file *same = queries[i];
                memmove(&queries[to + 1], &queries[to], (i - to) * sizeof *queries);
                queries[to++] = same;
            }
        snprintf(what, sizeof what, "Left out, for %s", why);
        print_names(what, queries + from, to - from, markdown);
    }
}

int findings_print(const struct query_request *request, const struct query_set *set,
                   sqlite3 *database, const char *path, long *found)
{
    struct query_request one = *request;
    bool markdown = request->format == OUTPUT_MARKDOWN;
    one.limit = request->limit < 0 ? ROWS_SHOWN : request->limit;
    one.columns_max = COLUMNS_SHOWN;
    one.cell_width_max = CELL_WIDTH;
    one.count_all = true;
    one.suppress_any = true;
    size_t count, empty_count = 0, skipped_count = 0, lacking_count = 0;
    const struct query_file **order = queries_in_order(set, &count);
    const struct query_file **empty = calloc(set->count + 1, sizeof *empty);
    const struct query_file **skipped = calloc(set->count + 1, sizeof *skipped);
    const struct query_file **lacking = calloc(set->count + 1, sizeof *lacking);
    int status = order != NULL && empty != NULL && skipped != NULL && lacking != NULL
                     ? 0
                     : fail("out of memory");
    int failed = 0, headed = -1;
    *found = 0;
    print_head(database, path, markdown);
    query_limits_print(request, database);
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct query_file *query = order[i];
        if (query_lacks(query, database) != NULL) {
            lacking[lacking_count++] = query;
            continue;
        }
        if (section_of(query) != headed)
            printf("\n%s%s\n", markdown ? "### " : "== ", sections[section_of(query)]);
        headed = section_of(query);
        if (!filters_fit(&one.filters, database, query)) {
            skipped[skipped_count++] = query;
            continue;
        }
        findings_settings(&one, query);
        long rows = print_query(&one, query, database, markdown);
        if (rows >= 0)
            kept_blocks_say(&one, query, database);
        if (rows == 0)
            empty[empty_count++] = query;
        else if (rows < 0)
            failed = 2;
        else if (findings_part_of(query) != PART_OVERVIEW)
            *found += rows;
    }
    print_names("Nothing found by", empty, empty_count, markdown);
    print_names("Left out, for these filters mean nothing there", skipped, skipped_count, markdown);
    print_lacking(lacking, lacking_count, database, markdown);
    free(lacking);
    free(skipped);
    free(empty);
    free(order);
    return status != 0 ? status : failed;
}
