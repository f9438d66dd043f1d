/* The names in rules for faults: errno values, signals, calls of the C library, allocations. */
#ifndef FISQL_CLI_RECORD_FAULT_NAMES_H
#define FISQL_CLI_RECORD_FAULT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/fault_calls.h"

/* The number of an errno value by its name; 0 = no such name. */
int fault_errno(const char *name);
/* All names, *count of them. */
const char *const *fault_errno_names(size_t *count);

/* The number of a signal by its name, with SIG or without, or by its number; 0 = none. */
int fault_signal(const char *name);

/* A call of the C library. */
struct fault_call_info {
    const char *name;
    const char *arguments; /* separated by spaces */
    int failure;           /* the result that means failure */
    enum fault_way way;
    const char *errors; /* allowed names, the usual one first */
};
const struct fault_call_info *fault_call(const char *name, unsigned *number);

/* May the call set the errno value of this name? */
bool fault_call_gives(const struct fault_call_info *call, const char *error);

/* A bit for each enum fisql_alloc_kind that the name means; 0 = none. */
uint64_t fault_allocation(const char *name);

/* The names of all calls and allocations, to find what a misspelt one means. */
const char *const *fault_target_names(size_t *count);

#endif
