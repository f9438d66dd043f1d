/*
 * Files that are being made. They have a name of their own until they are whole, are hidden from users
 * who may not read their sources, and are removed if a signal ends the process before.
 *
 * All functions but unfinished_remove_all() may be called from any thread, unfinished_open()
 * with sources only while no other thread makes files (it looks at the umask).
 */
#ifndef FISQL_BASE_UNFINISHED_H
#define FISQL_BASE_UNFINISHED_H

#include <stddef.h>

/* Makes the file, which must not exist, and opens it for reading and writing. The owner may read it, and
 * users who may read each of the sources, less the umask (no sources: nobody else). Returns a
 * descriptor, or -1 with errno. */
int unfinished_open(const char *path, const char *const *sources, size_t sources_count);

/* Gives the whole file its name and replaces a file that has it. Returns 0, or -1 with errno: then it is
 * still unfinished. */
int unfinished_publish(const char *path, const char *name);

/* Removes the file. */
void unfinished_remove(const char *path);

/* For a handler of a signal that ends the process: removes all of them, and lets no more be made.
 */
void unfinished_remove_all(void);

#endif
