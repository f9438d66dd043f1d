/*
 * Names of scopes of fisql_trace.h in programs that are being recorded. A scope is a call whose function is no address
 * but a point's number; what it stands for is in the log, as chunks of facts. The log is gone through when the
 * first of them is asked, once, by the lengths of its chunks: of all but the chunks that tell of points and processes the
 * header alone is read.
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

/* What the function of a call (fisql_is_point()) of a process image stands for: told by the process, or by that
 * which it was forked from. False: the log does not say, or cannot be read. */
bool live_points_find(struct live_points *points, uint64_t process_key, uint64_t function,
                      struct live_point *found);

#endif
