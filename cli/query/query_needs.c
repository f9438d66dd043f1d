/* What queries need: see query_needs.h. */
#include "cli/query/query_needs.h"

#include <string.h>

static const struct {
    const char *word;
    const char *there; /* SQL that gives a row if the run has it */
    const char *why;
} needs[] = {{"values", "SELECT 1 FROM main.parameters LIMIT 1",
              "no arguments or results were recorded; `fisql record --values` records them"}};
enum { NEEDS_COUNT = sizeof needs / sizeof needs[0] };

static int place_of(const char *word)
{
    int i = 0;
    while (i < NEEDS_COUNT && (word == NULL || strcmp(needs[i].word, word) != 0))
        i++;
    return i;
}

bool query_needs_known(const char *word)
{
    return place_of(word) < NEEDS_COUNT;
}

const char *query_lacks(const struct query_file *query, sqlite3 *database)
{
    int place = place_of(query->needs);
    sqlite3_stmt *statement = NULL;
    if (place == NEEDS_COUNT)
        return NULL;
    bool lacks =
        sqlite3_prepare_v2(database, needs[place].there, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return lacks ? needs[place].why : NULL;
}
