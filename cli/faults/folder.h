/*
 * Folders of experiments: copied, compared with what the program leaves without a fault, and removed. Where an
 * experiment runs, mirror.h says.
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

/* The absolute path, without links to folders, of a file that need not be there: in `full`, of PATH_MAX bytes, with room
 * for endings. Returns 0, or 2 after saying what is wrong. */
enum { FOLDER_PATH_SPARE = 64 };
int folder_full_path(const char *path, char *full);

/* Makes `to` a copy of `from`, without `skipped` (folder_entry_listed()). Returns 0, or 2 after saying what is wrong. */
int folder_copy(const char *from, const char *to, const char *skipped);

/* Is the entry `name` of `folder` to be listed? Not "." and "..", and not what has the path `skipped` (absolute, NULL =
 * none) or begins with it and a dot or a dash: the campaign's database and its files. */
bool folder_entry_listed(const char *folder, const char *name, const char *skipped);

/* Adds to `names` each file that one of the folders lacks, or that is another one in the other. `first_only`: ends at
 * the first. Those in `ignored` (may be NULL) are not looked at. Returns 0, or -1 without memory. */
int folder_compare(const char *expected, const char *actual, const struct folder_names *ignored,
                   bool first_only, struct folder_names *names);

bool files_same(const char *one, const char *other);

/* Removes it with all that is in it; or what is in it alone. */
void folder_remove(const char *path);
void folder_empty(const char *path);

#endif
