/* Looking at a file before it is opened: see file_look.h. */
#include "base/file_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int file_look(const char *path, int flags, struct stat *status)
{
    int looked = open(path, O_PATH | O_CLOEXEC | flags);
    if (looked >= 0 && fstat(looked, status) != 0) {
        int error = errno;
        close(looked);
        errno = error;
        return -1;
    }
    return looked;
}

int file_look_open(int looked, int flags)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", looked);
    return open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Without /proc: opens the path once more, which has to lead to the same file. */
static int open_again(const char *path, int flags, const struct stat *seen)
{
    struct stat status;
    int file = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || (fstat(file, &status) == 0 && status.st_ino == seen->st_ino &&
                     status.st_dev == seen->st_dev))
        return file;
    close(file);
    errno = ENOENT;
    return -1;
}

int file_open_regular(const char *path, int flags, struct stat *status)
{
    int file = -1;
    int looked = file_look(path, flags & O_NOFOLLOW, status);
    if (looked < 0)
        return -1;
    if (S_ISREG(status->st_mode)) {
        file = file_look_open(looked, flags & ~O_NOFOLLOW);
        if (file < 0 && errno == ENOENT)
            file = open_again(path, flags, status);
    } else {
        errno = EINVAL;
    }
    int error = errno;
    close(looked);
    errno = error;
    return file;
}
