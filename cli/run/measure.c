/* The words and columns of --by: see measure.h. */
#include "cli/run/measure.h"

#include "cli/run/database.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *total, *self;
} measures[] = {
#define MEASURE_ROW(constant, word, total, self) {word, total, self},
    MEASURES(MEASURE_ROW)
#undef MEASURE_ROW
};

bool measure_parse(const char *word, enum measure *measure)
{
    for (unsigned i = 0; i < sizeof measures / sizeof measures[0]; i++) {
        if (strcmp(word, measures[i].word) == 0) {
            *measure = (enum measure)i;
            return true;
        }
    }
    return false;
}

const char *measure_word(enum measure measure)
{
    return measures[measure].word;
}

const char *measure_total(enum measure measure)
{
    return measures[measure].total;
}

const char *measure_self(enum measure measure)
{
    return measures[measure].self;
}

double measure_sum(sqlite3 *database, enum measure measure)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT total(%s) FROM function_stats", measure_self(measure));
    sqlite3_stmt *row = database_ask(database, sql);
    double sum = database_row(row) ? sqlite3_column_double(row, 0) : 0;
    sqlite3_finalize(row);
    return sum;
}
