/*
 * The folder that an experiment runs in: one of its own, in which everything that is in the folder where the
 * campaign was started is linked, or copied. What the program makes there is compared with what it makes
 * without a fault, and removed.
 */
#ifndef FISQL_CLI_FAULTS_FOLDER_H
#define FISQL_CLI_FAULTS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Names of files, relative to a folder. */
struct folder_names {
    char **items;
    size_t count, room;
};
int folder_names_add(struct folder_names *names, const char *name); /* 0, or -1 without memory */
void folder_names_release(struct folder_names *names);

/* Makes the folder with what is in `source`: links to it, or with `copy` a copy. What has the name `skipped`, or
 * begins with it and a dot or a dash, is left out. Returns 0, or 2 after saying what is wrong. */
int folder_make(const char *path, const char *source, const char *skipped, bool copy);

/* Adds to `names` each file that one of the folders lacks, or that is another one in the other. `first_only`: ends at
 * the first. Those in `ignored` (may be NULL) are not looked at. Returns 0, or -1 without memory. */
int folder_compare(const char *expected, const char *actual, const struct folder_names *ignored,
                   bool first_only, struct folder_names *names);

bool files_same(const char *one, const char *other);

/* Removes it with all that is in it; or what is in it alone. */
void folder_remove(const char *path);
void folder_empty(const char *path);

#endif
