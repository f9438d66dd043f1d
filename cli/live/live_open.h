/*
 * Opens the live area that a process has mapped, and its log. The process may be another user's, and root
 * may ask: what a process says of itself, in its environment or by the names of its files, is not believed.
 *
 * - An area is opened through /proc, by numbers alone: a pid and a descriptor, or a pid and a mapping.
 * - It is looked at before it is opened (base/file_look.h): a memory file has to be the one that is mapped,
 *   any other a regular file. So neither a FIFO nor a device is opened.
 * - Names of files are followed for processes of our own user only; for others, what lies where a user may
 *   serve the file system (FUSE) is not asked at all: it may never answer.
 */
#ifndef FISQL_CLI_LIVE_LIVE_OPEN_H
#define FISQL_CLI_LIVE_LIVE_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/live.h"

/* A mapping of a live area, as a line of maps describes it. */
struct live_mapping {
    uint64_t start, end, inode;
    dev_t device;
    char path[PATH_MAX];
    bool memory; /* of fisql record; else a file beside the log */
};

/* The first mapping of a live area in a process: it begins with the area's head, and the process may write
 * to it. False: it has none. */
bool live_mapping_find(pid_t pid, struct live_mapping *mapping);

/* Opens the area that a process has mapped, for reading. *recorder: the process that holds it open, as
 * fisql record does; 0 = none. -1: it cannot be opened. */
int live_open_area(pid_t pid, const struct live_mapping *mapping, pid_t *recorder);

/* Opens the log of a run that its recorder has open, for reading. *name: its path, which the caller frees;
 * NULL where there is no memory. -1: there is none. */
int live_open_log(pid_t recorder, uint64_t run_id, char **name);

/* Opens for reading what a process of our own user names. -1: it is not ours, or no regular file. */
int live_open_named(pid_t pid, const char *path);

/* What a process was given in a variable of its environment; NULL = it has none. Caller frees. */
char *live_variable(pid_t pid, enum fisql_variable variable);

#endif
