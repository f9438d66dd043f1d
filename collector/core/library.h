/* What differs between C libraries, and between the shared and the linked-in collector. */
#ifndef FISQL_COLLECTOR_CORE_LIBRARY_H
#define FISQL_COLLECTOR_CORE_LIBRARY_H

#include "collector/core/base.h"

#include <stdbool.h>

__attribute__((noreturn)) void library_exit(int status);
/* pthread_atfork() of any C library. */
void library_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
/* Takes them off again, where the C library can. */
void library_at_fork_end(void);
/* Do the program's calls of malloc() reach us, or does it have its own malloc()? */
bool library_sees_malloc(void);
/* Are the program's hooks ours? A preloaded collector finds another one in a program that holds it
 * (fisql cc --static-runtime). */
bool library_has_hooks(void);
/* Was this library opened by `fisql record -p` (formats/attach.h)? Then it waits to be called. */
bool library_is_brought_in(void);
/* A preloaded sanitizer is starting and does not have the C library's functions yet. The
 * collector's constructor, which runs later, clears it. */
extern HIDDEN bool library_sanitizer_starting;

#endif
