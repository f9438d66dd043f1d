/*
 * Reserves disk blocks ahead of the log's end while a program is recorded, so that the kernel need
 * not find them while the program waits in write(2), which takes a third off that time. The log's
 * size does not show them; the unused ones are given back at the end.
 */
#ifndef FISQL_CLI_RECORD_LOG_SPACE_H
#define FISQL_CLI_RECORD_LOG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct log_space {
    int log; /* borrowed */
    bool off;
    uint64_t limit_bytes;    /* no log gets longer, so reserve no more; 0 = none */
    uint64_t reserved_bytes; /* from the file's start */
    uint64_t size_bytes;     /* of the log at the last look */
};

/* Begins to reserve, if the file system gains by it and has plenty of room: at most limit_bytes, if
 * that is not 0. */
void log_space_begin(struct log_space *space, int log, uint64_t limit_bytes);

/* To be called repeatedly while the log grows. Returns whether it has grown since the last call. */
bool log_space_keep(struct log_space *space);

/* Gives back what is beyond the log's end. No process may write to it any more. */
void log_space_end(struct log_space *space);

#endif
