/* What a process has mapped (/proc/PID/maps). */
#ifndef FISQL_CLI_RECORD_PROCESS_MAPS_H
#define FISQL_CLI_RECORD_PROCESS_MAPS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_mapping {
    uint64_t start, end, offset, inode;
    dev_t device;
    const char *path; /* "" = none */
};

struct process_maps {
    struct process_mapping *items; /* by address */
    size_t count, capacity;
    char *text; /* that the paths lie in */
};

/* Returns 0, or -1 with *error: without memory. A process that is gone, or that we may not look at,
 * has mapped nothing. Release the maps in either case. */
int process_maps_read(struct process_maps *maps, pid_t pid, struct error *error);
void process_maps_release(struct process_maps *maps);

/* The mapping of an address; NULL = none. */
const struct process_mapping *process_maps_at(const struct process_maps *maps, uint64_t address);
/* Where the file of a mapping begins; 0 = not known. */
uint64_t process_maps_bias(const struct process_maps *maps, const struct process_mapping *mapping);

#endif
