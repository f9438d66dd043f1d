/*
 * Disk blocks for the log, reserved ahead of its end while a program is recorded: the kernel then
 * need not find them while the program waits in write(2), which takes a third off that. The log's
 * size does not show them, and what was not used is given back at the end.
 */
#ifndef FISQL_CLI_RECORD_LOG_SPACE_H
#define FISQL_CLI_RECORD_LOG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct log_space {
    int log; /* borrowed */
    bool off;
    uint64_t reserved_bytes; /* from the file's start */
    uint64_t size_bytes;     /* of the log when it was last looked at */
};

/* Begins to reserve, where the file system is one that gains by it and has plenty of room. */
void log_space_begin(struct log_space *space, int log);

/* To be called again and again while the log grows. Returns false if it has not grown lately. */
bool log_space_keep(struct log_space *space);

/* Gives back what is beyond the log's end. No process may be writing to it any more. */
void log_space_end(struct log_space *space);

#endif
