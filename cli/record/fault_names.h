/* The names that rules for faults use: errno values, signals, the calls of the C library, allocations. */
#ifndef FISQL_CLI_RECORD_FAULT_NAMES_H
#define FISQL_CLI_RECORD_FAULT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/fault_calls.h"

/* The number of an errno value's name; 0 = there is no such name. */
int fault_errno(const char *name);
/* All names; *count gets how many. */
const char *const *fault_errno_names(size_t *count);

/* The number of a signal by its name, with SIG or without, or by its number; 0 = there is none. */
int fault_signal(const char *name);

/* A call of the C library. */
struct fault_call_info {
    const char *name;
    const char *arguments; /* separated by spaces */
    int failure;           /* the result that means failure */
    enum fault_way way;
    const char *errors; /* names that are allowed, the usual one first */
};
const struct fault_call_info *fault_call(const char *name, unsigned *number);
const struct fault_call_info *fault_call_at(unsigned number);

/* Is the errno value's name among those that the call can give? */
bool fault_call_gives(const struct fault_call_info *call, const char *error);

/* The kinds of allocation that a name means, a bit for each enum fisql_alloc_kind; 0 = it is none. */
uint64_t fault_allocation(const char *name);

/* The names of all calls and allocations, for what a misspelt one was meant to be. */
const char *const *fault_target_names(size_t *count);

#endif
