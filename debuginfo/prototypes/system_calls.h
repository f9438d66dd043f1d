/* The C library's functions that only make a system call: its wrappers. The names of system calls are
 * those of the system that compiled fisql. */
#ifndef FISQL_DEBUGINFO_PROTOTYPES_SYSTEM_CALLS_H
#define FISQL_DEBUGINFO_PROTOTYPES_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* The system call that a function makes each time it is called, and little else: `openat` for `open64`.
 * NULL = none, or what is made without the kernel, as clock_gettime() by the vDSO. The texts are static.
 * Thread-safe. */
const char *system_call_of(const char *function);

/* Is a library at a path the one, or one of those, that have the wrappers? */
bool system_calls_are_in(const char *path);

/* Made by system_calls.sh: the names of system calls, ascending. */
extern const char *const system_call_names[];
extern const size_t system_call_names_count;

#endif
