/* Hands full chunks over to `fisql record`: see hand_over.c. Signals must be blocked. */
#ifndef FISQL_COLLECTOR_CORE_HAND_OVER_H
#define FISQL_COLLECTOR_CORE_HAND_OVER_H

#include <stdbool.h>

struct thread_log;

/* Passes the log's chunk on and lends the log an empty one, which the caller then begins. False:
 * the chunk is unchanged, and its thread has to write it. */
bool hand_over(struct thread_log *log);
/* Writes the chunks that were handed over and not appended, because the writer is gone. */
void hand_over_take_back(void);
/* The same at the process's end: fisql record may be killed before it appends them. */
void hand_over_end(void);

#endif
