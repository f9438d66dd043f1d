/* Forks: distinguishes a child from the process that forked it. */
#ifndef FISQL_COLLECTOR_PROCESS_FORK_H
#define FISQL_COLLECTOR_PROCESS_FORK_H

#include "collector/core/fork_mark.h"

/* Not 0 while the thread is between the handlers of a fork. */
extern HIDDEN THREAD_LOCAL uint32_t fork_under_way;
void fork_setup(void);
/* The page is empty: begins to record this process on its own. */
void fork_notice(void);

#endif
