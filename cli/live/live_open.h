/*
 * Opens the live area that a process maps, and its log. The process may be another user's, and root
 * may ask. So we do not believe what a process says in its environment or by the names of its
 * files.
 *
 * - We open an area through /proc, by numbers alone: a pid and a descriptor, or a pid and a
 *   mapping.
 * - We look at it first (base/file_look.h). A memory file has to be the mapped one, any other a
 *   regular file: we open neither a FIFO nor a device.
 * - We follow names of files for processes of our own user only. For others we ask no file system
 *   that a user may serve (FUSE): it may never answer.
 */
#ifndef FISQL_CLI_LIVE_LIVE_OPEN_H
#define FISQL_CLI_LIVE_LIVE_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/live.h"

/* A mapping of a live area. */
struct live_mapping {
    uint64_t start, end, inode;
    dev_t device;
    char path[PATH_MAX];
    bool memory; /* memory of fisql record; else a file beside the log */
};

/* The first mapping of a live area in a process: shared, writable, from the area's head on. False:
 * none. */
bool live_mapping_find(pid_t pid, struct live_mapping *mapping);

/* Opens the mapped area for reading. *recorder: the process with an open descriptor of it, as fisql
 * record has; 0 = none. -1: we cannot open it. */
int live_open_area(pid_t pid, const struct live_mapping *mapping, pid_t *recorder);

/* Opens for reading the log that the recorder has open. *name: its path, which the caller frees;
 * NULL without memory. -1: none. */
int live_open_log(pid_t recorder, uint64_t run_id, char **name);

/* Opens for reading a file that a process of our own user names. -1: another user's process, or no
 * regular file. */
int live_open_named(pid_t pid, const char *path);

/* The value of a variable in the process's environment; NULL = none. Caller frees. */
char *live_variable(pid_t pid, enum fisql_variable variable);

#endif
