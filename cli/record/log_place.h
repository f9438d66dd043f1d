/*
 * Where a recording's log goes. An older log of that name is kept beside it as PATH.earlier-XXXXXX
 * until something has been recorded, and gets its name back if nothing is. With --rotate it then
 * becomes PATH.1, as if this recording were its continuation.
 */
#ifndef FISQL_CLI_RECORD_LOG_PLACE_H
#define FISQL_CLI_RECORD_LOG_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct log_place {
    const char *path;       /* borrowed */
    int log;                /* opened O_APPEND; the caller's */
    uint32_t rotated;       /* logs PATH.1, PATH.2, ... to keep; 0 = none */
    char earlier[PATH_MAX]; /* path of the older log; empty = none, or it is gone */
};

/* Makes the log. Returns 0, or -1 after saying why not; then nothing has changed. With `rotated`,
 * no file that is no log may have the name of a log to keep. */
int log_place_make(struct log_place *place, const char *path, uint32_t rotated);

/* PATH.NUMBER, or PATH if that is 0, into PATH_MAX bytes. False: it is too long. */
bool log_place_numbered(char *name, const char *path, uint32_t number);

/* Renames PATH.1 to PATH.2, and so on, up to PATH.COUNT, which is replaced. Returns 0, or -1 with
 * errno. */
int log_place_shift(const char *path, uint32_t count);

/* Gives a log the name PATH.1. keep: it keeps its own name, too, where the file system can. Returns
 * 0, or -1 with errno. */
int log_place_number(const char *from, const char *path, bool keep);

bool log_place_keeps(const struct log_place *place);

/* Something has been recorded: removes the older log. */
void log_place_recorded(struct log_place *place);

/* Nothing has: puts the older log back in place of the new one. Returns whether it did; if not,
 * says where it is. */
bool log_place_give_back(struct log_place *place);

/* The program could not be run: removes the new log, and puts an older one back. */
void log_place_remove(struct log_place *place);

#endif
