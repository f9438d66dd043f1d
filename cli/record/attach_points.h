/* Where a stopped thread may run code for us that opens a library: collector code, dlopen(),
 * dlclose(). */
#ifndef FISQL_CLI_RECORD_ATTACH_POINTS_H
#define FISQL_CLI_RECORD_ATTACH_POINTS_H

#include "cli/record/stopped.h"

#include <stdbool.h>
#include <stddef.h>

/* The thread that stands best; stopped->count if none may. It is blocked in a wait (epoll_wait, read,
 * accept, nanosleep, a condition variable, ...), or, if `patient` is no more, in the program's own
 * code; in no handler of a signal, and not in the C library, the dynamic linker or an allocator, whose
 * locks it might hold. */
size_t attach_point(const struct stopped *stopped, bool musl, bool impatient);

#endif
