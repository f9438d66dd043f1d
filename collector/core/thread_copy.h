/* At the process's end: what other threads have recorded outside the live area. */
#ifndef FISQL_COLLECTOR_CORE_THREAD_COPY_H
#define FISQL_COLLECTOR_CORE_THREAD_COPY_H

#include <stdbool.h>

struct thread_log;

/* Writes it for another thread. Returns false if that failed, or the live area has it. */
bool thread_log_copy(const struct thread_log *log);

#endif
