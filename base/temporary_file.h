/* Files without a name, for what does not fit into memory: they are gone when they are closed, however the process ends. */
#ifndef FISQL_BASE_TEMPORARY_FILE_H
#define FISQL_BASE_TEMPORARY_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A new file on the disk of the folder, for reading and writing by the owner. A descriptor, or -1 with errno. */
int temporary_file_open(const char *folder);

/* Writes all of it at an offset. 0, or -1 with errno. */
int temporary_file_write(int file, const void *data, size_t bytes, uint64_t offset);

#endif
