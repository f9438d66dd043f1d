/* What queries need: see query_needs.h. */
#include "cli/query/query_needs.h"

#include "cli/run/database.h"

#include <string.h>

static const struct {
    const char *word;
    const char *there; /* SQL that gives a row if the run has it */
    bool partly;       /* without it the query finds less, not nothing */
    const char *why;
} needs[] = {
    {"values", "SELECT 1 FROM main.parameters LIMIT 1", false,
     "no arguments or results were recorded; `fisql record --values` records them"},
    {"faults", "SELECT 1 FROM main.fault_rules LIMIT 1", false,
     "no calls were made to fail; `fisql record --fault` makes them fail"},
    {"locks", "SELECT 1 FROM main.locks LIMIT 1", false,
     "no locks were recorded; `fisql record --locks` records them"},
    {"library-calls", "SELECT 1 FROM main.functions WHERE external LIMIT 1", false,
     "no library calls were recorded; `fisql record --library-calls` records them"},
    {"experiments", "SELECT 1 FROM main.experiments LIMIT 1", false,
     "it is no campaign's database; `fisql faults PROGRAM` makes one (faults.db)"},
    {"diaries", "SELECT 1 FROM main.diaries LIMIT 1", false,
     "the program kept no diaries of its objects; FISQL_KEEP of fisql.h does"},
    {"references", "SELECT 1 FROM main.object_references LIMIT 1", false,
     "the program recorded no reference counts; FISQL_REF and FISQL_UNREF of fisql.h do"},
    {"allocations",
     "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM main.run"
     " WHERE key = 'options' AND instr(',' || value || ',', ',no-alloc,') > 0)",
     false,
     "no allocations were recorded; `fisql record` without --no-alloc records them, other tools do "
     "not"},
    {"waits",
     "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM main.run"
     " WHERE key = 'options' AND instr(',' || value || ',', ',no-waits,') > 0)",
     false,
     "no waiting was recorded; `fisql record` without --no-waits records it, other tools do not"},
    {"calls",
     "SELECT 1 WHERE (EXISTS (SELECT 1 FROM main.calls)"
     " OR (SELECT total(calls) FROM main.threads) = 0)"
     " AND NOT EXISTS (SELECT 1 FROM main.run WHERE key = 'calls')",
     true,
     "reads rows of calls, which the database lacks: what it says is not whole; load the log "
     "with --calls=all, or push the run with --calls"}};
enum { NEEDS_COUNT = sizeof needs / sizeof needs[0] };

/* The need that the word of so many bytes names, NEEDS_COUNT if none. */
static int place_of(const char *word, size_t length)
{
    int i = 0;
    while (i < NEEDS_COUNT &&
           (strlen(needs[i].word) != length || strncmp(needs[i].word, word, length) != 0))
        i++;
    return i;
}

bool query_needs_known(const char *words)
{
    for (; *words != '\0'; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        if (place_of(words, length) == NEEDS_COUNT)
            return false;
        words += length;
    }
    return true;
}

static bool lacks(int place, sqlite3 *database)
{
    sqlite3_stmt *statement = database_ask(database, needs[place].there);
    bool nothing =
        statement != NULL && !database_row(statement) && sqlite3_errcode(database) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return nothing;
}

/* The reason, by the first need of that kind that the run lacks. */
static const char *first_lack(const struct query_file *query, sqlite3 *database, bool partly)
{
    for (const char *word = query->needs; word != NULL && *word != '\0';
         word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        int place = place_of(word, length);
        if (place < NEEDS_COUNT && needs[place].partly == partly && lacks(place, database))
            return needs[place].why;
        word += length;
    }
    return NULL;
}

bool query_needs_word(const struct query_file *query, const char *needed)
{
    for (const char *word = query->needs; word != NULL && *word != '\0';
         word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (strlen(needed) == length && strncmp(word, needed, length) == 0)
            return true;
        word += length;
    }
    return false;
}

const char *query_lacks(const struct query_file *query, sqlite3 *database)
{
    return first_lack(query, database, false);
}

const char *query_lacks_part(const struct query_file *query, sqlite3 *database)
{
    return first_lack(query, database, true);
}
