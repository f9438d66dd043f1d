/*
 * Opening a file in two steps: we look at it first, and open it once we know that it is harmless.
 * Opening alone can have effects: it wakes the other side of a FIFO, and may start a device.
 */
#ifndef FISQL_BASE_FILE_LOOK_H
#define FISQL_BASE_FILE_LOOK_H

#include <sys/stat.h>

/* A descriptor that identifies the file and can neither read nor write it (O_PATH). flags:
 * O_NOFOLLOW or 0. -1 with errno. The caller closes it. */
int file_look(const char *path, int flags, struct stat *status);

/* Opens the very file that was looked at, whatever its path leads to by now. -1 with errno. */
int file_look_open(int looked, int flags);

/* Both steps, for regular files. For any other, fills *status only and fails with EINVAL. */
int file_open_regular(const char *path, int flags, struct stat *status);

#endif
