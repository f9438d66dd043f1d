/*
 * The log file: one O_APPEND descriptor, at a high number, so that the program's own descriptors
 * get the numbers that they would get without us. Programs close unknown descriptors (daemons do),
 * and the number may then belong to a file of theirs. So every write first checks that the
 * descriptor is still the log, and reopens the log if it is not. If the program has changed its
 * user or root folder, we cannot; then `fisql record` gets the chunk through the live area. We
 * count a chunk that cannot be written as lost, and the program goes on.
 *
 * Where possible we write full chunks at multiples of their size: the kernel then copies them to
 * whole large pages, at two thirds of the cost. Short chunks shift the log's end; one thread at a
 * time makes up for that with a chunk that is shorter by as much.
 *
 * With `fisql record --rotate`, fisql record now and then gives the log's path to a new file. Then
 * we open the log for each write: no process keeps the blocks of a removed log, and threads need
 * not agree on a descriptor. The area's log_epoch says which log an open file is: it was even, and
 * the same, before and after the file was opened. Facts are in every log. Those of the old log are
 * copied when the new one is in its place; if we wrote facts to the old one later, we write them
 * again.
 */
#include "collector/core/log_file.h"

#include "collector/core/file.h"
#include "collector/core/handed.h"
#include "collector/core/live_area.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/core/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int log_file = -1;
static dev_t log_device;
static ino_t log_inode;
static const void *log_evens_up; /* atomic: the log with the shorter chunk */

#define OPEN_FLAGS (O_RDWR | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)

static bool log_file_ours(void)
{
    struct stat status;
    return log_file >= 0 && fstat(log_file, &status) == 0 && status.st_dev == log_device &&
           status.st_ino == log_inode;
}

/* Uses an open file as the log. Returns false if it cannot be written like one. */
static bool log_file_take(int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)))
        return false;
    log_device = status.st_dev;
    log_inode = status.st_ino;
    log_file = file_move_high(file);
    return true;
}

static bool log_file_use(int file)
{
    bool taken = file >= 0 && log_file_take(file);
    if (!taken && file >= 0)
        close(file);
    return taken;
}

bool log_file_open(const char *path)
{
    return process.options.rotates || log_file_ours() || log_file_use(file_open(path, OPEN_FLAGS));
}

/* Uses only system calls that recording needs anyway (seccomp.c). */
static bool is_log(int file, uint64_t run_id)
{
    struct fisql_chunk chunk;
    return lseek(file, 0, SEEK_SET) == 0 &&
           read(file, &chunk, sizeof chunk) == (ssize_t)sizeof chunk &&
           chunk.magic == FISQL_CHUNK_MAGIC && chunk.run_id == run_id;
}

/* Our chunks must not go into a file of the program's that has the number by chance. */
bool log_file_adopt(int file, uint64_t run_id)
{
    if (process.options.rotates) {
        close(file); /* it is the live area once more */
        return true;
    }
    int flags = fcntl(file, F_GETFL);
    return flags >= 0 && (flags & O_APPEND) != 0 && is_log(file, run_id) && log_file_take(file);
}

int log_file_descriptor(void)
{
    return log_file_ours() ? log_file : -1;
}

/* Can a new log use this file: a device, or an empty file of ours that no other process is about to
 * use? Locks the file for as long as the log is open. */
static bool may_use(int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return true; /* log_file_take() checks it */
    if (status.st_uid != geteuid())
        return false;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(file, &status) == 0 && status.st_size == 0;
}

/* Replaces an empty file that others may have open. The old one stays locked until then: a process
 * that waited for it finds another file at its path. Returns the file to use, -1 = none. */
static int log_file_alone(int file)
{
    struct stat status, named;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & 077) == 0)
        return file;
    int own = -1;
    if (lstat(process.log_path, &named) == 0 && named.st_ino == status.st_ino &&
        named.st_dev == status.st_dev && unlink(process.log_path) == 0)
        own = file_open(process.log_path, OPEN_FLAGS | O_CREAT | O_EXCL);
    if (own >= 0 && !may_use(own)) {
        close(own);
        own = -1;
    }
    close(file);
    return own;
}

bool log_file_create(void)
{
    size_t length = strlen(process.log_path);
    for (unsigned number = 0; number < 10000; number++) {
        if (number != 0)
            snprintf(process.log_path + length, 8, ".%u", number);
        int file = file_open(process.log_path, OPEN_FLAGS | O_CREAT);
        if (file < 0)
            return false;
        if (!may_use(file))
            close(file);
        else if ((file = log_file_alone(file)) >= 0)
            return log_file_use(file);
    }
    return false;
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
    uint64_t end = process.area != NULL && process.area->writer.packs == 0
                       ? __atomic_load_n(&process.area->writer.log_end, __ATOMIC_RELAXED)
                       : 0;
    uint32_t over = (uint32_t)(end % FISQL_LIVE_CHUNK_BYTES) & ~7u;
    if (over > FISQL_LIVE_CHUNK_BYTES / 2)
        over -= FISQL_LIVE_CHUNK_BYTES / 2; /* no chunk is shorter than half: two make up for it */
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
    log_evens_up = NULL; /* a thread of the parent may have held it */
}

/* The reason of a short write that ended at `end`. */
static int short_write_error(off_t end)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                   end >= 0 && (rlim_t)end >= limit.rlim_cur;
    return limited ? EFBIG : ENOSPC;
}

/* Appends the chunk to an open log. Returns 0 or errno. */
static int append(int file, const void *chunk, size_t size_bytes)
{
    struct file_size limit;
    int error = 0;
    file_size_begin(&limit);
    ssize_t written = write(file, chunk, size_bytes);
    if (written < 0)
        error = errno;
    off_t end = lseek(file, 0, SEEK_CUR);
    if (written >= 0 && written != (ssize_t)size_bytes)
        error = short_write_error(end);
    if (end > 0 && process.area != NULL)
        __atomic_store_n(&process.area->writer.log_end, (uint64_t)end, __ATOMIC_RELAXED);
    if (error == EFBIG)
        file_size_end(&limit);
    return error;
}

static uint32_t epoch_now(void)
{
    return __atomic_load_n(&process.area->writer.log_epoch, __ATOMIC_SEQ_CST);
}

/* fisql record needs a moment to replace a log; we wait for it for a second. */
#define REPLACED_TRIES 100
#define REPLACED_NS 10000000

static void epoch_wait(uint32_t epoch)
{
    const struct timespec look = {0, REPLACED_NS};
    const long argument[6] = {(long)(intptr_t)&process.area->writer.log_epoch, FUTEX_WAIT,
                              (long)epoch, (long)(intptr_t)&look};
    system_call(SYS_futex, argument);
}

/* Opens the log that has the path now, and says which it is. If fisql record was killed while it
 * replaced the log, the one at the path stays. Returns -1 with errno. */
static int rotating_open(uint32_t *epoch)
{
    for (int tries = 0; tries < REPLACED_TRIES; tries++) {
        *epoch = epoch_now();
        if (*epoch % 2 != 0 && handed_taken()) {
            epoch_wait(*epoch);
            continue;
        }
        int file = file_open(process.log_path, OPEN_FLAGS);
        if (file < 0)
            return -1;
        bool ours = is_log(file, process.run_id);
        if (ours && epoch_now() == *epoch)
            return file;
        close(file);
        if (!ours && epoch_now() == *epoch)
            break; /* another recording has taken the path */
    }
    errno = EBADF;
    return -1;
}

static int rotating_write(const struct fisql_chunk *chunk, size_t size_bytes)
{
    bool facts = chunk->kind != FISQL_CHUNK_EVENTS && chunk->kind != FISQL_CHUNK_LOSS;
    for (;;) {
        uint32_t epoch;
        int file = rotating_open(&epoch), error = errno;
        if (file < 0)
            return live_area_leave(chunk, size_bytes) ? 0 : error;
        error = append(file, chunk, size_bytes);
        close(file);
        if (error != 0 || !facts || epoch_now() / 2 == epoch / 2)
            return error;
    }
}

bool log_file_hold(struct log_held *held)
{
    held->file = rotating_open(&held->epoch);
    return held->file >= 0;
}

int log_file_held_write(const struct log_held *held, const void *chunk, size_t size_bytes,
                        uint32_t calls)
{
    int error = append(held->file, chunk, size_bytes);
    if (error != 0)
        count_lost(size_bytes, calls, error);
    return error;
}

void log_file_let_go(const struct log_held *held)
{
    close(held->file);
}

int log_file_write(const void *chunk, size_t size_bytes, uint32_t calls)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    int error = 0;
    if (silent()) {
        error = handed_copy(chunk, size_bytes) ? 0 : EPERM;
    } else if (process.options.rotates && process.area != NULL) {
        error = rotating_write(chunk, size_bytes);
    } else if (!log_file_ours() && !log_file_open(process.log_path)) {
        error = errno != 0 ? errno : EBADF;
        if (live_area_leave(chunk, size_bytes))
            error = 0;
    } else {
        error = append(log_file, chunk, size_bytes);
    }
    if (error != 0)
        count_lost(size_bytes, calls, error);
    quiet_end(&quiet);
    return error;
}
