/*
 * Points: places in the program with a macro of fisql_trace.h, and the functions, counters and marks
 * of other tools' recordings, from chunks of facts. A process numbers its points; a forked child has
 * those of its parent, too. Process UINT32_MAX: they are all processes'. Texts are not trusted.
 */
#ifndef FISQL_LOADER_LOG_LOG_POINTS_H
#define FISQL_LOADER_LOG_LOG_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "formats/log.h"

struct facts;

struct log_point {
    enum fisql_point_kind kind; /* FISQL_POINT_KINDS_COUNT = not known */
    char *function, *file;      /* "" = not known */
    char *label, *values;       /* NULL = it has none */
    uint32_t line, level;       /* 0 = not known */
    uint64_t address;           /* in its code; 0 = not known */
};

struct log_points {
    struct log_point *items;
    size_t count, capacity;
    struct intern of_number; /* (process index, number) */
};

/* Takes in a chunk of kind POINTS. */
int log_points_take(struct log_points *points, struct facts *facts, uint32_t process,
                    struct error *error);
void log_points_release(struct log_points *points);

/* The point's index; INTERN_NONE if the process itself has no point of that number. */
uint32_t log_points_find(const struct log_points *points, uint32_t process, uint32_t number);

/* Is it a function of another tool's recording? */
static inline bool log_point_is_function(const struct log_point *point)
{
    return point->kind == FISQL_POINT_NAMED || point->kind == FISQL_POINT_EXTERNAL;
}

#endif
