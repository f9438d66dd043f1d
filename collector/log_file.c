/*
 * The log file as the collector sees it: one O_APPEND descriptor, kept at a high number so that the
 * program's own descriptors get the numbers that they would get without us. Programs close
 * descriptors that they do not know (daemons do), and the number may then belong to a file of
 * theirs: so every write first asks whether the descriptor is still the log, and opens the log anew
 * if it is not. A chunk that cannot be written is counted as lost; the program goes on.
 *
 * Full chunks are written at multiples of their size where that can be had: the kernel then copies
 * them to whole large pages, at two thirds of the cost. Short chunks move the log's end off; one
 * thread at a time makes up for that with a chunk that is shorter by as much.
 */
#include "collector/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int log_file = -1;
static dev_t log_device;
static ino_t log_inode;
static uint64_t log_end;         /* atomic: where the last write ended */
static const void *log_evens_up; /* atomic: whose chunk is shorter so that the end is even again */

static int high_descriptor(int file)
{
    struct rlimit limit;
    int lowest = 1000;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur <= 1100)
        lowest = (int)(limit.rlim_cur - limit.rlim_cur / 8);
    int high = fcntl(file, F_DUPFD_CLOEXEC, lowest);
    if (high < 0)
        return file;
    close(file);
    return high;
}

/* Is what lies at the log's path ours to replace: an empty file, or an older log, of our own? */
static bool may_replace(int file, const struct stat *status)
{
    uint32_t magic = 0;
    ssize_t got = pread(file, &magic, sizeof magic, 0);
    return status->st_uid == geteuid() &&
           (got == 0 || (got == (ssize_t)sizeof magic && magic == FISQL_CHUNK_MAGIC));
}

/* A log of our own in the place of what is there, so that nobody else has it open. */
static int log_file_create(int flags)
{
    struct stat status;
    int old = open(process.log_path, O_RDONLY | flags);
    if (old >= 0) {
        bool found = fstat(old, &status) == 0;
        bool replace = found && S_ISREG(status.st_mode) && may_replace(old, &status);
        close(old);
        if (found && S_ISCHR(status.st_mode))
            return open(process.log_path, O_WRONLY | flags);
        if (!replace || unlink(process.log_path) != 0)
            return -1;
    } else if (errno != ENOENT) {
        return -1;
    }
    return open(process.log_path, O_WRONLY | O_CREAT | O_EXCL | flags, 0600);
}

bool log_file_open(bool create)
{
    struct stat status;
    int flags = O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
    int file = create ? log_file_create(flags) : open(process.log_path, O_WRONLY | flags);
    if (file < 0)
        return false;
    if (fstat(file, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))) {
        close(file);
        return false;
    }
    log_device = status.st_dev;
    log_inode = status.st_ino;
    log_file = high_descriptor(file);
    return true;
}

static bool log_file_ours(void)
{
    struct stat status;
    return log_file >= 0 && fstat(log_file, &status) == 0 && status.st_dev == log_device &&
           status.st_ino == log_inode;
}

static bool signal_pending(int number)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

static void count_lost(size_t size_bytes, uint32_t calls, int error)
{
    struct fisql_live_area *area = process.area;
    if (area == NULL)
        return;
    if (__atomic_fetch_add(&area->lost_chunks, 1, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&area->lost_errno, (uint64_t)error, __ATOMIC_RELAXED);
    __atomic_fetch_add(&area->lost_bytes, size_bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&area->lost_calls, calls, __ATOMIC_RELAXED);
}

uint32_t log_file_room(const void *writer)
{
    const void *nobody = NULL;
    uint32_t over =
        (uint32_t)(__atomic_load_n(&log_end, __ATOMIC_RELAXED) % FISQL_LIVE_CHUNK_BYTES);
    over &= ~7u;
    if (over > FISQL_LIVE_CHUNK_BYTES / 2)
        over -= FISQL_LIVE_CHUNK_BYTES / 2; /* no chunk is shorter than half: it takes two */
    if (over == 0 || !__atomic_compare_exchange_n(&log_evens_up, &nobody, writer, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return FISQL_LIVE_CHUNK_BYTES;
    return FISQL_LIVE_CHUNK_BYTES - over;
}

void log_file_room_used(const void *writer)
{
    __atomic_compare_exchange_n(&log_evens_up, &writer, NULL, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

void log_file_forked(void)
{
    log_evens_up = NULL; /* a thread of the parent may have been at it */
}

int log_file_write(const void *chunk, size_t size_bytes, uint32_t calls)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    int error = 0;
    if (!log_file_ours() && !log_file_open(false)) {
        error = errno != 0 ? errno : EBADF;
    } else {
        /* Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, which would kill the program: it stays
         * blocked here and is taken back, unless one was waiting before. */
        bool waiting = signal_pending(SIGXFSZ);
        ssize_t written = write(log_file, chunk, size_bytes);
        if (written != (ssize_t)size_bytes)
            error = written < 0 ? errno : ENOSPC;
        off_t end = lseek(log_file, 0, SEEK_CUR);
        if (end > 0)
            __atomic_store_n(&log_end, (uint64_t)end, __ATOMIC_RELAXED);
        if (error == EFBIG && !waiting && signal_pending(SIGXFSZ)) {
            sigset_t one;
            struct timespec now = {0, 0};
            sigemptyset(&one);
            sigaddset(&one, SIGXFSZ);
            sigtimedwait(&one, NULL, &now);
        }
    }
    if (error != 0)
        count_lost(size_bytes, calls, error);
    quiet_end(&quiet);
    return error;
}
