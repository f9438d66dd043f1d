/* Bringing a file to the disk during writing: see write_out.h. */
#include "loader/sqlite/write_out.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define EACH_NS 20000000                /* from one time to the next */
#define KEPT_BYTES ((uint64_t)32 << 20) /* of the last bytes stay: the loader patches rows there */
#define DROPPED_MIN ((uint64_t)8 << 20) /* at once */
#define MEASURED_BYTES ((uint64_t)16 << 20) /* before we know a page's cost */
#define PAGE_BYTES 4096
#define PAGE_DEAR_NS 4000
#define TIMED_BYTES (64 << 10) /* at least: for fewer, reading the clock would cost too much */

/* These errors mean lost data; others, that the file system does not support the call. */
static bool is_loss(int problem)
{
    return problem == EIO || problem == ENOSPC || problem == EDQUOT;
}

static void drop(struct write_out *out)
{
    struct stat status;
    if (fstat(out->file, &status) != 0 || (uint64_t)status.st_size < KEPT_BYTES)
        return;
    uint64_t end = ((uint64_t)status.st_size - KEPT_BYTES) / DROPPED_MIN * DROPPED_MIN;
    off_t from = (off_t)out->dropped_bytes, bytes = (off_t)end - from;
    if (bytes <= 0)
        return;
    if (sync_file_range(out->file, from, bytes,
                        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                            SYNC_FILE_RANGE_WAIT_AFTER) != 0) {
        out->problem = is_loss(errno) ? errno : out->problem;
        return;
    }
    (void)posix_fadvise(out->file, from, bytes, POSIX_FADV_DONTNEED);
    __atomic_store_n(&out->dropped_bytes, end, __ATOMIC_RELAXED);
}

/* Dear pages stay dear: they become cheap only because we drop others. */
static void look_at_costs(struct write_out *out)
{
    uint64_t bytes = __atomic_load_n(&out->copied_bytes, __ATOMIC_RELAXED);
    if (out->dear || bytes < MEASURED_BYTES)
        return;
    uint64_t ns = __atomic_exchange_n(&out->copying_ns, 0, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&out->copied_bytes, bytes, __ATOMIC_RELAXED);
    out->dear = ns / (bytes / PAGE_BYTES) >= PAGE_DEAR_NS;
}

static void wait_a_moment(struct write_out *out)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += EACH_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&out->changed, &out->lock, &until);
}

static void *write_out(void *context)
{
    struct write_out *out = context;
    pthread_mutex_lock(&out->lock);
    while (!out->stop) {
        wait_a_moment(out);
        bool keep = out->keep;
        pthread_mutex_unlock(&out->lock);
        /* It does not wait, so it takes no error from fsync(). */
        (void)sync_file_range(out->file, 0, 0, SYNC_FILE_RANGE_WRITE);
        look_at_costs(out);
        if (out->dear && !keep)
            drop(out);
        pthread_mutex_lock(&out->lock);
    }
    pthread_mutex_unlock(&out->lock);
    return NULL;
}

void write_out_begin(struct write_out *out, int file)
{
    *out = (struct write_out){.file = file};
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->changed, NULL);
    out->begun = pthread_create(&out->thread, NULL, write_out, out) == 0;
}

void write_out_keep(struct write_out *out)
{
    if (!out->begun)
        return;
    pthread_mutex_lock(&out->lock);
    out->keep = true;
    pthread_mutex_unlock(&out->lock);
}

int write_out_end(struct write_out *out)
{
    if (!out->begun)
        return out->problem;
    pthread_mutex_lock(&out->lock);
    out->stop = true;
    pthread_cond_signal(&out->changed);
    pthread_mutex_unlock(&out->lock);
    pthread_join(out->thread, NULL);
    pthread_mutex_destroy(&out->lock);
    pthread_cond_destroy(&out->changed);
    out->begun = false;
    return out->problem;
}

/* The thread's processor time: it may wait for the disk, or for other writers. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t write_out_clock(const struct write_out *out, size_t bytes)
{
    return out != NULL && bytes >= TIMED_BYTES ? now_ns() : 0;
}

void write_out_copied(struct write_out *out, size_t bytes, uint64_t clock)
{
    if (clock == 0)
        return;
    __atomic_fetch_add(&out->copying_ns, now_ns() - clock, __ATOMIC_RELAXED);
    __atomic_fetch_add(&out->copied_bytes, bytes, __ATOMIC_RELAXED);
}
