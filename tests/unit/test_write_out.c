/* A file that is written is dropped from memory behind the writer where memory is dear, and only there. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "loader/sqlite/write_out.h"
#include "tests/unit/check.h"

#define MIB ((size_t)1 << 20)
#define FILE_MIB 64u

static char path[2][512];

static int make(const char *name)
{
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!check(file >= 0, "%s is made", name))
        exit(1);
    return file;
}

/* What a MiB of the file holds. */
static void fill(unsigned char *data, unsigned number)
{
    for (size_t i = 0; i < MIB; i++)
        data[i] = (unsigned char)(number * 7 + i % 251);
}

/* dear: each write is said to have taken since the thread began; else nothing. */
static void write_file(struct write_out *out, int file, bool dear)
{
    unsigned char *data = malloc(MIB);
    size_t written = 0;
    check_equal(0, ftruncate(file, 0), "a file grows");
    for (unsigned i = 0; data != NULL && i < FILE_MIB; i++) {
        fill(data, i);
        written += (size_t)pwrite(file, data, MIB, (off_t)(i * MIB));
        write_out_copied(out, MIB, dear ? 1 : write_out_clock(out, MIB));
    }
    check_equal(FILE_MIB * MIB, written, "the file is written");
    free(data);
}

/* How many pages are in memory of some MiB of the file; SIZE_MAX where the kernel does not say. */
static size_t in_memory(int file, unsigned first, unsigned count)
{
    size_t bytes = count * MIB, page = (size_t)sysconf(_SC_PAGESIZE), pages = 0;
    unsigned char *seen = calloc(bytes / page, 1);
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, (off_t)(first * MIB));
    bool known = seen != NULL && mapped != MAP_FAILED && mincore(mapped, bytes, seen) == 0;
    for (size_t i = 0; known && i < bytes / page; i++)
        pages += seen[i] & 1;
    munmap(mapped, bytes);
    free(seen);
    return known ? pages : SIZE_MAX;
}

static bool is_whole(int file)
{
    unsigned char *data = malloc(MIB), *expected = malloc(MIB);
    bool same = data != NULL && expected != NULL;
    for (unsigned i = 0; same && i < FILE_MIB; i++) {
        fill(expected, i);
        same = pread(file, data, MIB, (off_t)(i * MIB)) == (ssize_t)MIB &&
               memcmp(data, expected, MIB) == 0;
    }
    free(data);
    free(expected);
    return same;
}

/* Does this file system drop what is on the disk? tmpfs does not. */
static bool can_drop(int file)
{
    unsigned char *data = calloc(1, MIB);
    bool dropped = data != NULL && pwrite(file, data, MIB, 0) == (ssize_t)MIB && fsync(file) == 0 &&
                   posix_fadvise(file, 0, (off_t)MIB, POSIX_FADV_DONTNEED) == 0 &&
                   in_memory(file, 0, 1) == 0;
    free(data);
    return dropped;
}

static void use_processor(void)
{
    struct timespec now;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < 100000000);
}

/* Writes a file that is dear, and waits until its first half has been dropped. */
static void write_dear(int file)
{
    const struct timespec moment = {0, 10000000};
    struct write_out out;
    bool drops = can_drop(file);
    write_out_begin(&out, file);
    write_file(&out, file, true);
    for (int i = 0;
         i < 3000 && __atomic_load_n(&out.dropped_bytes, __ATOMIC_RELAXED) < FILE_MIB / 2 * MIB;
         i++)
        nanosleep(&moment, NULL);
    check_equal(0, write_out_end(&out), "everything could be written");
    if (drops)
        check_equal(0, in_memory(file, 0, FILE_MIB / 2), "what is on the disk is dropped");
    check_equal(FILE_MIB / 2 * MIB, out.dropped_bytes, "but for what was written last");
    check(is_whole(file), "nothing is lost");
    check_equal(0, write_out_end(&out), "it may be ended twice");
}

/* What stays is written first, so its thread has had as long to drop it. */
static void stays(int file, int other, bool dear)
{
    struct write_out out;
    write_out_begin(&out, file);
    if (dear)
        write_out_keep(&out);
    write_file(&out, file, dear);
    write_dear(other);
    check_equal(0, write_out_end(&out), "it is written");
    /* Not whether it is in memory: there are machines that drop what nobody asked for in a while. */
    check_equal(0, out.dropped_bytes,
                dear ? "what is to be kept stays" : "what costs little stays");
    check(is_whole(file), "and is whole");
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    struct write_out idle;
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "%s/write-out-%d", folder != NULL ? folder : "/tmp", i);
    int file = make(path[0]), other = make(path[1]);
    use_processor();
    stays(file, other, false);
    stays(file, other, true);
    write_out_begin(&idle, file);
    check_equal(0, write_out_clock(NULL, MIB), "without one, nothing is measured");
    check_equal(0, write_out_clock(&idle, 4096), "nor of a single page");
    check(write_out_clock(&idle, MIB) > 0, "but of many");
    check_equal(0, write_out_end(&idle), "nothing was written");
    close(file);
    close(other);
    unlink(path[0]);
    unlink(path[1]);
    return check_status();
}
