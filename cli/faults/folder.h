/*
 * Copies the folders of experiments, compares them with what the program leaves without a fault,
 * and removes them. mirror.h says where an experiment runs.
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

/* The absolute path, without links to folders, of a file that need not exist: in `full`, of
 * PATH_MAX bytes, with room for endings. Returns 0, or 2 after saying what is wrong. */
enum { FOLDER_PATH_SPARE = 64 };
int folder_full_path(const char *path, char *full);

/* Makes `to` a copy of `from`, without `skipped` (folder_entry_listed()). Returns 0, or 2 after
 * saying what is wrong. */
int folder_copy(const char *from, const char *to, const char *skipped);

/* Is the entry `name` of `folder` to be listed? Not ".", "..", and the campaign's database and
 * files: the absolute path `skipped` (NULL = none), also with a dot or dash and more behind it. */
bool folder_entry_listed(const char *folder, const char *name, const char *skipped);

/* Adds to `names` each file that is missing or different in one of the folders. `first_only`:
 * stops at the first. Files in `ignored` (may be NULL) are not compared. Returns 0, or -1
 * without memory. */
int folder_compare(const char *expected, const char *actual, const struct folder_names *ignored,
                   bool first_only, struct folder_names *names);

bool files_same(const char *one, const char *other);

/* Removes a folder with its contents; or only the contents. */
void folder_remove(const char *path);
void folder_empty(const char *path);

#endif
