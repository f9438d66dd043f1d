/* What a log holds, by the headers of its chunks alone: quick enough for the last line of `fisql record`. */
#ifndef FISQL_CLI_RECORD_LOG_TOTALS_H
#define FISQL_CLI_RECORD_LOG_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct log_totals {
    uint64_t calls, chunks, bytes;
    bool processes; /* some process came to record */
    bool events;    /* and recorded something */
};

/* Adds up the whole chunks of the run. One that a full disk cut counts for nothing: what it would
 * have held is counted as lost. */
void log_totals(int log, uint64_t run_id, struct log_totals *totals);

#endif
