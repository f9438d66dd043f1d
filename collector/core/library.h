/* What differs between C libraries and between the shared and the linked-in collector. */
#ifndef FISQL_COLLECTOR_CORE_LIBRARY_H
#define FISQL_COLLECTOR_CORE_LIBRARY_H

#include "collector/core/base.h"

#include <stdbool.h>

/* Ends the process. */
__attribute__((noreturn)) void library_exit(int status);
/* pthread_atfork(), in whatever C library. */
void library_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
/* Is it us whom the program's calls of malloc() reach, or has it a malloc() of its own? */
bool library_sees_malloc(void);
/* A preloaded sanitizer is starting, and does not have the C library's functions yet. Cleared by the
 * collector's constructor, which runs later. */
extern HIDDEN bool library_sanitizer_starting;

#endif
