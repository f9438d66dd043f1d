/* What a log holds, by the headers of its chunks: fast enough for the last line of `fisql
 * record`. */
#ifndef FISQL_CLI_RECORD_LOG_TOTALS_H
#define FISQL_CLI_RECORD_LOG_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct log_totals {
    uint64_t calls, chunks, bytes;
    bool processes; /* some process began to record */
    bool events;    /* and recorded something */
};

/* Adds up the run's whole chunks. A chunk cut by a full disk is not counted: its calls count as
 * lost. `doubtful`: some write failed, so that all chunks are read. */
void log_totals(int log, uint64_t run_id, bool doubtful, struct log_totals *totals);

#endif
