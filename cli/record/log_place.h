/*
 * Where a recording's log goes. An older log of that name gives way to it, but not for nothing: it lies
 * beside, as PATH.earlier-XXXXXX, until something has been recorded, and gets its name back where nothing is.
 */
#ifndef FISQL_CLI_RECORD_LOG_PLACE_H
#define FISQL_CLI_RECORD_LOG_PLACE_H

#include <limits.h>
#include <stdbool.h>

struct log_place {
    const char *path;       /* borrowed */
    int log;                /* descriptor, opened O_APPEND; of the caller */
    char earlier[PATH_MAX]; /* where the older log lies; empty = there is none, or it is gone */
};

/* Makes the log. Returns 0, or -1 after saying why not: then all is as it was. */
int log_place_make(struct log_place *place, const char *path);

/* Is there an older log that can come back? */
bool log_place_keeps(const struct log_place *place);

/* Something has been recorded: the older log goes. */
void log_place_recorded(struct log_place *place);

/* Nothing has: the older log takes the place of the new one. Returns whether it did; if not, it is said where
 * it lies. */
bool log_place_give_back(struct log_place *place);

/* The program could not be run: the new log goes, and an older one comes back. */
void log_place_remove(struct log_place *place);

#endif
