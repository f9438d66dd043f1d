/*
 * Our descriptors in somebody else's process. The program must get the numbers that it would get
 * without us, and what it does with descriptors that it has closed must not reach our files.
 */
#include "collector/core/file.h"

#include "collector/core/digits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* While we open a file, we fill closed standard descriptors with one that can be neither read nor
 * written: for the program's other threads they stay closed. */
int file_open_at(int folder, const char *path, int flags)
{
    int held[3], count = 0;
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++) {
        int file = fcntl(standard, F_GETFD) < 0 ? open("/", O_PATH | O_CLOEXEC) : -1;
        if (file >= 0)
            held[count++] = file;
    }
    int file = openat(folder, path, flags | O_CLOEXEC, 0600);
    int error = errno;
    while (count > 0)
        close(held[--count]);
    errno = error;
    return file;
}

int file_open(const char *path, int flags)
{
    return file_open_at(AT_FDCWD, path, flags);
}

void file_descriptor_path(int file, char path[32])
{
    char digits[DIGITS_BYTES];
    stpcpy(stpcpy(path, "/proc/self/fd/"), digits_put(digits, (uint64_t)file, 10, 1));
}

int file_copy_high(int file, bool close_at_exec)
{
    struct rlimit limit;
    int lowest = 1000;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur <= 1100)
        lowest = (int)(limit.rlim_cur - limit.rlim_cur / 8);
    return fcntl(file, close_at_exec ? F_DUPFD_CLOEXEC : F_DUPFD, lowest);
}

int file_move_high(int file)
{
    int high = file_copy_high(file, true);
    if (high < 0) {
        fcntl(file, F_SETFD, FD_CLOEXEC);
        return file;
    }
    close(file);
    return high;
}

/* ---- RLIMIT_FSIZE ---- */

static bool signal_pending(int number)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

void file_size_begin(struct file_size *limit)
{
    limit->waiting = signal_pending(SIGXFSZ);
}

void file_size_end(const struct file_size *limit)
{
    sigset_t one;
    struct timespec now = {0, 0};
    if (limit->waiting || !signal_pending(SIGXFSZ))
        return;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    sigtimedwait(&one, NULL, &now);
}
