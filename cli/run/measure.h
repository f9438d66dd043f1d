/* The measure of times (--by): the processor's time, all of it, or waiting. */
#ifndef FISQL_CLI_RUN_MEASURE_H
#define FISQL_CLI_RUN_MEASURE_H

#include <sqlite3.h>
#include <stdbool.h>

/* The word, and the columns of total and self time in frames, function_stats and edges. */
#define MEASURES(X)                                                                                \
    X(CPU, "cpu", "cpu_ns", "self_cpu_ns")                                                         \
    X(WALL, "wall", "total_ns", "self_ns")                                                         \
    X(WAIT, "wait", "wait_ns", "self_wait_ns")
enum measure {
#define MEASURE_ENUM(constant, word, total, self) MEASURE_##constant,
    MEASURES(MEASURE_ENUM)
#undef MEASURE_ENUM
};

#define MEASURE_HELP "cpu, wall or wait: weigh times by the processor's, all, or waiting (cpu)"
#define MEASURE_WORDS "cpu, wall or wait"

/* Finds the measure of that word; false if there is none. */
bool measure_parse(const char *word, enum measure *measure);
const char *measure_word(enum measure measure);
const char *measure_total(enum measure measure);
const char *measure_self(enum measure measure);

/* The sum of all functions' self times, which no database can make overflow; 0 if it cannot be
 * read. */
double measure_sum(sqlite3 *database, enum measure measure);

#endif
