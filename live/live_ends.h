/* The threads that have ended, as a log that is being written says: by its facts, so that nothing is asked of the program. */
#ifndef FISQL_LIVE_LIVE_ENDS_H
#define FISQL_LIVE_LIVE_ENDS_H

#include <stdint.h>

/* Where we are in the log. Zeros but for log and run_id at first. */
struct live_ends {
    int log; /* an open file; borrowed */
    uint64_t run_id, offset;
};

/* Calls `ended` for each thread whose end was written since the last call. */
void live_ends_read(struct live_ends *ends,
                    void (*ended)(void *context, uint32_t pid, uint32_t tid), void *context);

#endif
