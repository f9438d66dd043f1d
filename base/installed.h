/* Finds the files that are installed with fisql: beside the program, as after a build; in ../lib/fisql
 * from there, as after `make install`; or where `make install` would put them. */
#ifndef FISQL_BASE_INSTALLED_H
#define FISQL_BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

/* The real path of the readable file `name`, which may begin with a folder, in `path` of `size` bytes.
 * False if there is none, or no room; then `path` is where it was looked for last. Thread-safe. */
bool installed_find(const char *name, char *path, size_t size);

#endif
