/*
 * The list of slots with whole chunks that `fisql record` appends to the log (formats/live.h,
 * struct fisql_writer). hand_over.c puts slots there; in silence (silent.h) log_file.c puts copies.
 */
#ifndef FISQL_COLLECTOR_CORE_HANDED_H
#define FISQL_COLLECTOR_CORE_HANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is fisql record alive to take them? */
bool handed_taken(void);
uint32_t handed_count(void);
void handed_put(uint32_t slot);
/* Wakes fisql record if it sleeps. */
void handed_wake(void);

/* Does it append the chunks of a process that makes no system calls? */
bool handed_silently_possible(void);
/* Announces that the process will make none: only copies come. */
void handed_silently(void);
/* Passes on a copy of a whole chunk without a system call; waits a while for room, else false. */
bool handed_copy(const void *chunk, size_t size_bytes);

#endif
