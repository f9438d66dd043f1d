/*
 * Files that are being made. They have a name of their own until they are whole, are hidden from
 * users who may not read their sources, and go if a signal ends the process first.
 *
 * All functions but unfinished_remove_all() may be called from any thread; unfinished_open() with
 * sources only while no other thread makes files, because it looks at the umask.
 */
#ifndef FISQL_BASE_UNFINISHED_H
#define FISQL_BASE_UNFINISHED_H

#include <stddef.h>

/* Makes a new file and opens it for reading and writing. The owner may read it, and so may all
 * users who may read each of the sources, less the umask (no sources: nobody else). Returns a
 * descriptor, or -1 with errno. */
int unfinished_open(const char *path, const char *const *sources, size_t sources_count);

/* Gives the file its final name, in place of any file there. Returns 0, or -1 with errno: it stays
 * unfinished. */
int unfinished_publish(const char *path, const char *name);

/* Removes an unfinished file. */
void unfinished_remove(const char *path);

/* For the handler of a signal that ends the process: removes all of them, and lets no more be
 * made. */
void unfinished_remove_all(void);

#endif
