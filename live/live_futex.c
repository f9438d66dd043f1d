/* Futexes of another process: see live_futex.h. Nothing that we read is trusted. */
#include "live/live_futex.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The words of glibc's pthread_mutex_t, from the futex on. */
enum { WORD_LOCK, WORD_COUNT, WORD_OWNER, WORD_USERS, WORD_KIND, WORDS };
#define LOCK_CONTENDED 2u
#define KIND_MAX 0x3ffu

/* A file of the thread as text; its length, or -1. */
static ssize_t read_text(uint32_t pid, uint32_t tid, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", pid, tid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    ssize_t length = read(file, text, size - 1);
    int error = errno;
    close(file);
    errno = error;
    if (length >= 0)
        text[length] = '\0';
    return length;
}

/* The futex's words, as far as they can be read. */
static void read_words(uint32_t pid, uint64_t address, uint32_t words[WORDS])
{
    char path[64];
    memset(words, 0, WORDS * sizeof words[0]);
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/mem", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    for (size_t i = 0; i < WORDS; i++) /* behind a word a page may end */
        if (pread(file, &words[i], sizeof words[i], (off_t)(address + i * sizeof words[i])) !=
            (ssize_t)sizeof words[i])
            break;
    close(file);
}

static bool is_thread(uint32_t pid, uint32_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32, pid, tid);
    return tid != 0 && access(path, F_OK) == 0;
}

/* 0 = it does not tell. */
static uint32_t owner_of(uint32_t pid, const uint32_t words[WORDS])
{
    uint32_t owner = 0;
    if ((words[WORD_LOCK] & FUTEX_WAITERS) != 0)
        owner = words[WORD_LOCK] & FUTEX_TID_MASK;
    else if (words[WORD_LOCK] == LOCK_CONTENDED && words[WORD_USERS] != 0 &&
             words[WORD_KIND] <= KIND_MAX)
        owner = words[WORD_OWNER];
    return is_thread(pid, owner) ? owner : 0;
}

static bool read_switches(uint32_t pid, uint32_t tid, uint64_t *switches)
{
    static const char key[] = "\nvoluntary_ctxt_switches:";
    char text[8192];
    const char *found =
        read_text(pid, tid, "status", text, sizeof text) > 0 ? strstr(text, key) : NULL;
    if (found != NULL)
        *switches = strtoull(found + sizeof key - 1, NULL, 10);
    return found != NULL;
}

static bool waits(uint64_t operation)
{
    uint64_t command = operation & ~(uint64_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
           command == 13; /* FUTEX_LOCK_PI2: Linux 5.14 */
}

enum live_futex_found live_futex_read(uint32_t pid, uint32_t tid, struct live_futex *futex)
{
    char text[256];
    long number;
    uint64_t address, operation, value, limit;
    uint32_t words[WORDS];
    if (read_text(pid, tid, "syscall", text, sizeof text) < 0)
        return errno == EACCES || errno == EPERM ? LIVE_FUTEX_DENIED : LIVE_FUTEX_NONE;
    if (sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &number, &address,
               &operation, &value, &limit) != 5 ||
        number != SYS_futex || !waits(operation) || address > INT64_MAX - sizeof words)
        return LIVE_FUTEX_NONE;
    read_words(pid, address, words);
    *futex = (struct live_futex){
        .address = address, .owner = owner_of(pid, words), .limited = limit != 0};
    return futex->owner != 0 && read_switches(pid, tid, &futex->switches) ? LIVE_FUTEX_OWNED
                                                                          : LIVE_FUTEX_NONE;
}
