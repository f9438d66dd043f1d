/*
 * Names of scopes of fisql_trace.h in programs that are being recorded. A scope is a call whose function is no address
 * but a point's number; chunks of facts in the log describe the point. The first question goes through the log once,
 * from chunk to chunk by their lengths. It reads the chunks of points and processes whole, and only the headers of the
 * others.
 */
#ifndef FISQL_LIVE_LIVE_POINTS_H
#define FISQL_LIVE_LIVE_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/log/log_points.h"

struct live_points;

/* Texts are borrowed from the points. */
struct live_point {
    const struct log_point *point;
    const char *short_name; /* of its function, as people say it */
};

/* Nothing is read yet. log: its path, copied; NULL = it is not known. NULL: no memory. */
struct live_points *live_points_open(const char *log, uint64_t run_id);
void live_points_close(struct live_points *points);

/* The point that is the function of a call (fisql_is_point()) of a process image: one of the process, or of the
 * process that it was forked from. False: the log does not say, or cannot be read. */
bool live_points_find(struct live_points *points, uint64_t process_key, uint64_t function,
                      struct live_point *found);

#endif
