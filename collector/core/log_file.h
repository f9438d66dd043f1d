/* The log file: one O_APPEND descriptor. */
#ifndef FISQL_COLLECTOR_CORE_LOG_FILE_H
#define FISQL_COLLECTOR_CORE_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends a chunk. Returns 0, or errno after counting the chunk as lost. */
int log_file_write(const void *chunk, size_t size_bytes, uint32_t calls);
/* How many bytes the chunk that `writer` begins should be filled to, so that full chunks come to
 * lie at multiples of FISQL_LIVE_CHUNK_BYTES in the log; and what tells that it has been written.
 */
uint32_t log_file_room(const void *writer);
void log_file_room_used(const void *writer);
void log_file_forked(void);
/* The log's descriptor for an image that cannot open it: see children.h. keep opens the log if it
 * is not; adopt takes a descriptor that was handed on, if it is the log of that run; descriptor
 * gives ours, -1 if there is none. */
void log_file_keep(const char *path);
bool log_file_adopt(int file, uint64_t run_id);
int log_file_descriptor(void);
bool log_file_open(void);
/* Makes a new log. One that is there already is kept: then the new one gets a number behind its
 * name, the first that is free. */
bool log_file_create(void);

#endif
