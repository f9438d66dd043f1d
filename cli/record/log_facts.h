/* Copying what a log says of processes and threads that go on, for the next log (log_rotate.h). */
#ifndef FISQL_CLI_RECORD_LOG_FACTS_H
#define FISQL_CLI_RECORD_LOG_FACTS_H

#include "base/error.h"
#include "base/intern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_facts_process;
struct live;

/* Zeros at first. Release after a failure, too. */
struct log_facts {
    uint64_t run_id;
    struct intern processes; /* (0, process_key) */
    struct log_facts_process *of_process;
    size_t of_process_room;
    struct intern threads; /* (process_key, thread) */
    uint8_t *of_thread;
    size_t of_thread_room;
};

/* Learns from the log from its start up to `end` which processes and threads have ended; those with a
 * slot in the live area have not. The caller holds the area's lock. -1: no memory. */
MUST_CHECK int log_facts_learn(struct log_facts *facts, const struct live *live, int log,
                               uint64_t end, struct error *error);

/* Copies the wanted facts from *offset up to `end` to the end of another log; *offset gets the end of
 * the last whole chunk. Returns 0 or errno. */
int log_facts_copy(const struct log_facts *facts, int log, uint64_t *offset, uint64_t end, int to);

void log_facts_release(struct log_facts *facts);

#endif
