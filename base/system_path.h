/* Which source files belong to the system: to the compiler or to installed libraries. */
#ifndef FISQL_BASE_SYSTEM_PATH_H
#define FISQL_BASE_SYSTEM_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a path without ".", ".." and doubled slashes, as text: it follows no links. Cuts it to
 * fit. */
void system_path_clean(const char *path, char *clean, size_t size);

/* Does the absolute, clean path lie in `folder`? */
bool system_path_within(const char *path, const char *folder);

/* Does the absolute, clean path lie in a folder of the system or of a compiler, wherever that is
 * installed (.../include/c++/12/vector, .../lib/gcc/..., .../lib/clang/...)? */
bool system_path(const char *path);

#endif
