/* What was left out while the program ran: see recording_limits.h. */
#include "cli/query/recording_limits.h"

#include "cli/out/amount.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/run/database.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMITS_SAID = 3 };

/* The time of a filter, which the query has checked; `otherwise` if it is not given. */
static int64_t time_of(const struct query_request *request, int filter, int64_t otherwise)
{
    int64_t ns = otherwise;
    if (request->filters.values[filter] == NULL ||
        !amount_time(request->filters.values[filter], &ns))
        return otherwise;
    return ns;
}

/* Prints a text: in the document a paragraph (Markdown: a quotation); on stderr if `out` is
 * NULL. */
static void limit_put(FILE *out, bool markdown, const char *text)
{
    if (out == NULL) {
        note("%s", text);
        return;
    }
    char *shown = text_shown(text, strlen(text));
    if (shown != NULL)
        shown[0] = (char)toupper((unsigned char)shown[0]);
    char *copy = shown != NULL && markdown ? text_markdown(shown) : NULL;
    fprintf(out, "%s%s\n", markdown ? "\n> " : "",
            copy != NULL    ? copy
            : shown != NULL ? shown
                            : "?");
    free(copy);
    free(shown);
}

/* Prints what --since and --until let through: the first few one by one, then how many more. */
static void limits_put(const struct query_request *request, sqlite3 *database, FILE *out)
{
    sqlite3_stmt *row =
        database_ask(database, "SELECT text FROM main.recording_limits WHERE from_ns <= ?2"
                               " AND coalesce(to_ns > ?1, 1)");
    long rows = 0;
    char *text = NULL;
    bool markdown = request->format == OUTPUT_MARKDOWN;
    sqlite3_bind_int64(row, 1, time_of(request, FILTER_SINCE, 0));
    sqlite3_bind_int64(row, 2, time_of(request, FILTER_UNTIL, INT64_MAX));
    while (database_row(row)) {
        if (rows++ >= LIMITS_SAID)
            continue;
        text = sqlite3_mprintf("recording was restricted %s",
                               (const char *)sqlite3_column_text(row, 0));
        if (text != NULL)
            limit_put(out, markdown, text);
        sqlite3_free(text);
    }
    sqlite3_finalize(row);
    text = rows > LIMITS_SAID
               ? sqlite3_mprintf("and %ld times more: `fisql query completeness` has them",
                                 rows - LIMITS_SAID)
               : NULL;
    if (text != NULL)
        limit_put(out, markdown, text);
    sqlite3_free(text);
}

void query_limits_say(const struct query_request *request, const struct query_file *query,
                      sqlite3 *database)
{
    if (query->own || strcmp(query->group, "Trust") == 0)
        return;
    if (request->format == OUTPUT_TABLE || request->format == OUTPUT_MARKDOWN)
        limits_put(request, database, request->format == OUTPUT_MARKDOWN ? stdout : NULL);
}

void query_limits_print(const struct query_request *request, sqlite3 *database)
{
    limits_put(request, database, stdout);
}
