/*
 * Opening a file in two steps: it is looked at first, and opened when it is known to be one that may be.
 * Opening alone can do something: to a FIFO, whose other side waits, and to a device.
 */
#ifndef FISQL_BASE_FILE_LOOK_H
#define FISQL_BASE_FILE_LOOK_H

#include <sys/stat.h>

/* A descriptor that says which file it is, and can neither read nor write it (O_PATH). flags: O_NOFOLLOW or
 * 0. -1 with errno. The caller closes it. */
int file_look(const char *path, int flags, struct stat *status);

/* Opens the very file that was looked at, whatever its path leads to by now. -1 with errno. */
int file_look_open(int looked, int flags);

/* Both for a regular file alone: of others only *status is filled, with errno = EINVAL. */
int file_open_regular(const char *path, int flags, struct stat *status);

#endif
