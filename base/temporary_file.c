/* Files without a name: see temporary_file.h. */
#include "base/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int temporary_file_open(const char *folder)
{
    char path[4096];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    /* Some file systems have no such files. */
    int length = snprintf(path, sizeof path, "%s/.fisql-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

int temporary_file_write(int file, const void *data, size_t bytes, uint64_t offset)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = pwrite(file, at, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = ENOSPC;
        if (done <= 0)
            return -1;
        at += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}
