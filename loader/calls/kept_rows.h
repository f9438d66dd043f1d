/*
 * Which rows of calls a database keeps where it is not to have them all (load --calls=long): those
 * of the calls that took long, that did not return, and of the first and the last call of each
 * context. That is one row in twenty or fewer; every rollup is as exact as with all of them.
 *
 * Whether a call is the first of its context is known when its row is written; that it is the last
 * one only at the end. So each worker remembers the last row of each context that it left out, and
 * these are inserted when all threads are decoded.
 */
#ifndef FISQL_LOADER_CALLS_KEPT_ROWS_H
#define FISQL_LOADER_CALLS_KEPT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/calls/row_window.h"

#define KEPT_LONG_NS 1000u      /* calls of that and more are long */
#define KEPT_AT_THREADS_END 64u /* rows: where a thread ended, and what lay around that */

/* A context's calls: within a cache line. */
struct kept_frame {
    uint64_t first_id; /* the least one, 0 = none */
    uint64_t last_id;  /* the greatest one */
    /* Of that: not set where its row was written, `thread` 0. What is short has few ns. */
    uint64_t enter_ns, distance, descendants;
    uint32_t thread, depth, duration_ns, children_ns;
};

/* Of one worker, or of all. */
struct kept_rows {
    uint64_t from_id,
        to_id;         /* all rows between them are kept; 0, 0 = none for that: ids begin at 1 */
    uint64_t whole_id; /* and from this one on */
    struct kept_frame *frames; /* by frames.id */
    /* Of the window's ring: rows that must be kept, as records refer to them. The decoding thread
     * sets them while the row waits, the writing thread clears them. */
    unsigned char *wanted;
    size_t capacity;
};

/* Is a call of a context that had some before short, returned, and not asked for? Its row is not
 * written then. */
static inline bool kept_rows_skip(struct kept_rows *kept, uint32_t thread, uint64_t id,
                                  const struct row *row, bool wanted)
{
    if (row->frame >= kept->capacity)
        return false;
    struct kept_frame *frame = &kept->frames[row->frame];
    if (!row->done || row->ended != ENDED_RETURNED || row->duration_ns >= KEPT_LONG_NS || wanted ||
        frame->first_id == 0 || id < frame->first_id || id >= kept->whole_id ||
        id - kept->from_id <= kept->to_id - kept->from_id)
        return false;
    if (id < frame->last_id) /* threads are decoded in any order */
        return true;
    frame->last_id = id;
    frame->enter_ns = row->enter_ns;
    frame->distance = row->distance;
    frame->descendants = row->descendants;
    frame->thread = thread;
    frame->depth = row->depth;
    frame->duration_ns = (uint32_t)row->duration_ns;
    frame->children_ns = (uint32_t)row->children_ns;
    return true;
}

/* Takes note of a row that is written. Returns 0, or -1 without memory. */
MUST_CHECK int kept_rows_keep(struct kept_rows *kept, uint64_t id, const struct row *row,
                              struct error *error);

/* Adds another worker's. */
MUST_CHECK int kept_rows_merge(struct kept_rows *kept, const struct kept_rows *other,
                               struct error *error);

/* Makes `wanted` for a ring of so many rows. */
MUST_CHECK int kept_rows_begin(struct kept_rows *kept, uint64_t ring, struct error *error);

void kept_rows_release(struct kept_rows *kept);

#endif
