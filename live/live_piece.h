/*
 * Saves a piece of a running recording to a log of its own (`fisql top`, key r): what the program
 * does from a begin to an end. The recording itself goes on and does not notice.
 *
 * The piece has copies of the facts that the log has of all processes and threads, of the chunks
 * that come to the log meanwhile, and of those that threads are filling at the end. It is loaded
 * like a log of `fisql record --rotate`: what came before is in an earlier one.
 */
#ifndef FISQL_LIVE_LIVE_PIECE_H
#define FISQL_LIVE_LIVE_PIECE_H

#include "live/live_source.h"

#include <limits.h>
#include <stdint.h>

struct live_piece {
    struct live_source *source; /* borrowed */
    int log;                    /* that the piece begins in; -1 = there is none */
    uint64_t begin;             /* offset there */
    char path[PATH_MAX];        /* of the new log */
};

/* Begins now. log: the recording's, an open file; -1 = not known. Makes the file `path`, which must
 * not exist. Returns 0 or errno. */
int live_piece_begin(struct live_piece *piece, struct live_source *source, int log,
                     const char *path);

/* Ends now, and writes the file. log: the recording's by now. Returns 0 or errno; then the file is
 * gone. */
int live_piece_end(struct live_piece *piece, int log);

#endif
