/* See mapped.h. */
#include "collector/core/mapped.h"

#include "collector/core/lock.h"
#include "collector/core/system_call.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

#define RANGES_MAX 8192u

struct mapped_range {
    uint64_t start, end; /* end 0 = free */
};
static struct mapped_range *ranges; /* NULL = there is no list */
static uint32_t ranges_used, ranges_lost;
static uint32_t ranges_lock; /* taken with signals blocked only */

static uint64_t pages_of(uint64_t bytes)
{
    return (bytes + 4095) & ~(uint64_t)4095;
}

static void put(uint64_t start, uint64_t end)
{
    uint32_t at = 0;
    while (at < ranges_used && ranges[at].end != 0)
        at++;
    if (at == RANGES_MAX) {
        ranges_lost++;
        return;
    }
    ranges[at] = (struct mapped_range){start, end};
    if (at == ranges_used)
        ranges_used++;
}

static void take(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0, used = ranges_used; i < used; i++) {
        struct mapped_range was = ranges[i];
        if (was.end == 0 || was.start >= end || start >= was.end)
            continue;
        ranges[i].end = 0;
        if (was.start < start)
            put(was.start, start);
        if (was.end > end)
            put(end, was.end);
    }
}

bool mapped_begin(void)
{
    const long argument[6] = {0,
                              (long)(RANGES_MAX * sizeof *ranges),
                              PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                              -1,
                              0};
    long got = system_call(SYS_mmap, argument);
    if (got < 0 && got > -4096)
        return false;
    ranges = (struct mapped_range *)(intptr_t)got;
    return true;
}

void mapped_add(uint64_t start, uint64_t bytes)
{
    if (ranges == NULL)
        return;
    lock_acquire(&ranges_lock);
    take(start, start + pages_of(bytes));
    put(start, start + pages_of(bytes));
    lock_release(&ranges_lock);
}

void mapped_remove(uint64_t start, uint64_t bytes)
{
    if (ranges == NULL)
        return;
    lock_acquire(&ranges_lock);
    take(start, start + pages_of(bytes));
    lock_release(&ranges_lock);
}

static void unmap(uint64_t start, uint64_t bytes)
{
    const long argument[6] = {(long)start, (long)bytes};
    system_call(SYS_munmap, argument);
}

bool mapped_drop_all(void)
{
    for (uint32_t i = 0; i < ranges_used; i++)
        if (ranges[i].end != 0)
            unmap(ranges[i].start, ranges[i].end - ranges[i].start);
    if (ranges != NULL)
        unmap((uint64_t)(uintptr_t)ranges, pages_of(RANGES_MAX * sizeof *ranges));
    ranges = NULL;
    ranges_used = 0;
    return ranges_lost == 0;
}

void mapped_forked(void)
{
    lock_forked(&ranges_lock);
}

/* ---- in the shared libraries: what the collector calls ---- */

static bool failed(long result)
{
    if (result >= 0 || result <= -4096)
        return false;
    errno = (int)-result;
    return true;
}

HIDDEN void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int file,
                         off_t offset);
HIDDEN int __wrap_munmap(void *start, size_t bytes);
HIDDEN void *__wrap_mremap(void *start, size_t before, size_t bytes, int flags, ...);

void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int file, off_t offset)
{
    const long argument[6] = {(long)(intptr_t)start, (long)bytes, protection, flags, file, offset};
    long result = system_call(SYS_mmap, argument);
    if (failed(result))
        return MAP_FAILED;
    mapped_add((uint64_t)result, bytes);
    return (void *)(intptr_t)result;
}

int __wrap_munmap(void *start, size_t bytes)
{
    const long argument[6] = {(long)(intptr_t)start, (long)bytes};
    mapped_remove((uint64_t)(uintptr_t)start, bytes); /* before another thread gets it */
    return failed(system_call(SYS_munmap, argument)) ? -1 : 0;
}

void *__wrap_mremap(void *start, size_t before, size_t bytes, int flags, ...)
{
    const long argument[6] = {(long)(intptr_t)start, (long)before, (long)bytes, flags};
    if (before != 0)
        mapped_remove((uint64_t)(uintptr_t)start, before);
    long result = system_call(SYS_mremap, argument);
    if (failed(result)) {
        if (before != 0)
            mapped_add((uint64_t)(uintptr_t)start, before);
        return MAP_FAILED;
    }
    mapped_add((uint64_t)result, bytes);
    return (void *)(intptr_t)result;
}
