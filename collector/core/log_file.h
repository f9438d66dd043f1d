/* The log file: one O_APPEND descriptor. */
#ifndef FISQL_COLLECTOR_CORE_LOG_FILE_H
#define FISQL_COLLECTOR_CORE_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends a chunk. Returns 0, or an errno value after counting the chunk as lost. */
int log_file_write(const void *chunk, size_t size_bytes, uint32_t calls);
/* With --rotate: the log of an epoch, open, so that what is written goes there even if fisql record
 * replaces that log meanwhile. */
struct log_held {
    int file;
    uint32_t epoch; /* formats/live.h: log_epoch */
};
/* Opens the log that has the path now; false: it cannot be opened. For a moment, and quiet. */
bool log_file_hold(struct log_held *held);
/* As log_file_write(), to the held log. */
int log_file_held_write(const struct log_held *held, const void *chunk, size_t size_bytes,
                        uint32_t calls);
void log_file_let_go(const struct log_held *held);
/* The size to which `writer` should fill the chunk that it begins, so that full chunks lie at
 * multiples of FISQL_LIVE_CHUNK_BYTES in the log. Call log_file_room_used() when it is written. */
uint32_t log_file_room(const void *writer);
void log_file_room_used(const void *writer);
void log_file_forked(void);
/* Opens the log unless it is open. */
bool log_file_open(const char *path);
/* The log's descriptor for an image that cannot open the log: see children.h. adopt takes an
 * inherited descriptor if it is that run's log; descriptor: -1 = none. */
bool log_file_adopt(int file, uint64_t run_id);
int log_file_descriptor(void);
/* Makes a new log. If one exists, the new one gets the first free number behind its name. */
bool log_file_create(void);

#endif
