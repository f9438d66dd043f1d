/* Handing full chunks over to `fisql record`: see hand_over.c. Signals must be blocked. */
#ifndef FISQL_COLLECTOR_CORE_HAND_OVER_H
#define FISQL_COLLECTOR_CORE_HAND_OVER_H

#include <stdbool.h>

struct thread_log;

/* Passes the log's chunk on and lends the log an empty one; the chunk is then behind, and the next
 * one is to be begun. False: the chunk is as before, and its thread has to write it. */
bool hand_over(struct thread_log *log);
/* Writes what was handed over and not yet appended, for nobody is there any more to do so. */
void hand_over_take_back(void);
/* The same where the process ends, for fisql record may be killed before it comes to them. */
void hand_over_end(void);

#endif
