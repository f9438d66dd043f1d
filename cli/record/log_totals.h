/* What a log holds, by the headers of its chunks: fast enough for the last line of `fisql
 * record`. */
#ifndef FISQL_CLI_RECORD_LOG_TOTALS_H
#define FISQL_CLI_RECORD_LOG_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct fisql_chunk;

struct log_totals {
    uint64_t calls, chunks, bytes;
    bool processes; /* some process began to record */
    bool events;    /* and recorded something */
    bool torn;      /* somewhere there is no whole chunk */
};

/* One chunk, or what is there in place of a whole one. */
struct log_place_of_chunk {
    int log;
    uint64_t offset, bytes;
    const struct fisql_chunk *head;
    bool whole;
};
typedef void log_visit(const struct log_place_of_chunk *place, void *context);

/* Calls visit() with each chunk of the run, in order. `doubtful`: see log_totals(). */
void log_walk(int log, uint64_t run_id, bool doubtful, log_visit *visit, void *context);

/* Adds up the run's whole chunks. A chunk cut by a full disk is not counted: its calls count as
 * lost. `doubtful`: some write failed, so that all chunks are read. */
void log_totals(int log, uint64_t run_id, bool doubtful, struct log_totals *totals);

/* Is the chunk with this header, at that offset, what its checksum says? */
bool log_checksum_right(int log, uint64_t offset, const struct fisql_chunk *head);

/* Reads the header of a chunk of the run. False: there is none. */
bool log_header_at(int log, uint64_t offset, uint64_t run_id, struct fisql_chunk *chunk);

/* The offset of the next header from `offset` on, or `size`, that of the log. */
uint64_t log_header_find(int log, uint64_t offset, uint64_t size, uint64_t run_id);

#endif
