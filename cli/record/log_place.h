/*
 * Where a recording's log goes. An older log of that name is kept beside it as PATH.earlier-XXXXXX
 * until something has been recorded, and gets its name back if nothing is.
 */
#ifndef FISQL_CLI_RECORD_LOG_PLACE_H
#define FISQL_CLI_RECORD_LOG_PLACE_H

#include <limits.h>
#include <stdbool.h>

struct log_place {
    const char *path;       /* borrowed */
    int log;                /* opened O_APPEND; the caller's */
    char earlier[PATH_MAX]; /* path of the older log; empty = none, or it is gone */
};

/* Makes the log. Returns 0, or -1 after saying why not; then nothing has changed. */
int log_place_make(struct log_place *place, const char *path);

bool log_place_keeps(const struct log_place *place);

/* Something has been recorded: removes the older log. */
void log_place_recorded(struct log_place *place);

/* Nothing has: puts the older log back in place of the new one. Returns whether it did; if not,
 * says where it is. */
bool log_place_give_back(struct log_place *place);

/* The program could not be run: removes the new log, and puts an older one back. */
void log_place_remove(struct log_place *place);

#endif
