/*
 * The list of slots with whole chunks that `fisql record` appends to the log (formats/live.h, struct
 * fisql_writer). hand_over.c puts them there, and in silence (silent.h) log_file.c copies of them.
 */
#ifndef FISQL_COLLECTOR_CORE_HANDED_H
#define FISQL_COLLECTOR_CORE_HANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is fisql record there to take them? */
bool handed_taken(void);
/* How many it has not taken yet. */
uint32_t handed_count(void);
/* Puts a slot on the list. */
void handed_put(uint32_t slot);
/* Wakes fisql record where it sleeps. */
void handed_wake(void);

/* Does it append the chunks of a process that makes no system calls? */
bool handed_silently_possible(void);
/* Tells it that the process will make none: only copies come. */
void handed_silently(void);
/* Passes a copy of a whole chunk on, without a system call: it waits for room, but not for ever.
 * False: it could not. */
bool handed_copy(const void *chunk, size_t size_bytes);

#endif
