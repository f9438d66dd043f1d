/*
 * Names of scopes of fisql_trace.h in programs that are being recorded. A scope is a call whose
 * function is not an address but the number of a point, which chunks of facts in the log describe.
 * The first question walks the log, by the lengths of its chunks, a later one for an unknown point
 * goes on from there. We read chunks of points and processes whole, of the others the headers alone.
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
    const char *short_name; /* of its function */
};

/* Reads nothing yet. log: its path, copied; NULL = not known. NULL: no memory. */
struct live_points *live_points_open(const char *log, uint64_t run_id);
void live_points_close(struct live_points *points);

/* The point of a call's function (fisql_is_point()) in a process image, or in the process that it
 * was forked from. False: the log has none, or we cannot read it. */
bool live_points_find(struct live_points *points, uint64_t process_key, uint64_t function,
                      struct live_point *found);

/* The process image that this one was forked from; 0 = it was not, or is not known. */
uint64_t live_points_parent(struct live_points *points, uint64_t process_key);

#endif
